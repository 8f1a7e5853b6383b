"""A release that is checked: all faults are named, nothing ends in a traceback, and what is at hand is compared."""

import copy
import json
import math
import shutil
import subprocess

import jsonschema
import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.command import run
from lib.core.errors import InputError
from lib.core.files import load_arrays, read_sealed_json, save_arrays, write_sealed_json
from lib.plan.config import catalogue
from lib.release.commit import commit
from lib.release.files import CONTENT, SIGNATURE, SUMS, json_bytes, read_files, sums
from lib.release.kinds import KINDS
from lib.release.loader import load
from lib.release.pricing import check_draws, epsilons
from lib.release.sanitized import least, sanitized_fault
from lib.release.statement import LARGEST_EPSILON, announced_draws, privacy
from lib.release.verify import verify
from pate_accountant.draws import as_dict
from pate_accountant.rdp import order_grid
from pate_accountant.released_epsilon import release_epsilon
from scripts import sign_release, verify_release
from tests.release.conftest import ACCOUNTING, ENSEMBLE, RUN, SANITIZE
from tests.release.tamperings import Forgery, cycle
from tests.sealed import places, text_of

FIXED = settings(derandomize=True, deadline=None, max_examples=50)
ORDERS = order_grid(**ACCOUNTING["orders"])


def faults(folder) -> list[str]:
    return [f"{check.name}: {fault}" for check in verify(folder)[1] for fault in check.faults]


def seal(folder) -> None:
    """Write the checksums of what lies there."""
    content, _ = read_files(folder)
    (folder / SUMS).write_bytes(sums(content))


def named(found: list[str], *words: str) -> bool:
    return any(all(word in fault for word in words) for fault in found)


def ended(capsys, *options: str) -> tuple[int, list[str]]:
    """Exit status and printed lines of the program."""
    capsys.readouterr()
    status = 0
    try:
        run(lambda: verify_release.main(list(options)))
    except SystemExit as end:
        status = end.code
    return status, capsys.readouterr().out.splitlines()


@pytest.fixture
def keys(tmp_path):
    """A key, and the file of who may sign."""
    key, allowed = tmp_path / "key", tmp_path / "allowed"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(key)], check=True)
    allowed.write_text(f"author@example.org {key.with_suffix('.pub').read_text()}")
    return str(key), str(allowed)


# ---------------------------------------------------------------- the folder alone


@pytest.mark.parametrize("aggregator", ["gnmax", "confident_gnmax"])
def test_the_release_of_an_epsilon_is_announced_with_the_answers(aggregator):
    draw = {"mechanism": "gnss", "count": 1, "parameters": {}}
    answers = announced_draws(RUN | {"aggregator": aggregator}, [])
    assert announced_draws(RUN | {"aggregator": aggregator}, [draw]) == [*answers, draw]


@pytest.mark.parametrize("part", ["announced", "spent"])
def test_a_kind_of_draw_comes_once(folder, part):
    """Else the later of the two counts would be all that is compared with what was announced."""
    forged = Forgery.of(folder)
    forged.privacy["sanitized"] = None  # a third draw would be one kind too many
    for block in (forged.privacy["announced"], forged.privacy["spent"]):
        block["draws"] = [draw for draw in block["draws"] if draw["mechanism"] != "gnss"]
    draws = forged.privacy[part]["draws"]
    kind = next(draw for draw in draws if draw["count"] > 1)
    draws.append(copy.deepcopy(kind) | {"count": 1})
    kind["count"] -= 1
    forged.reprice()
    forged.write(folder)
    assert f"caps: privacy.json: {part}: a kind of draw comes twice" in faults(folder)


def test_every_kind_of_draw_that_was_spent_was_announced(folder):
    forged = Forgery.of(folder)
    forged.privacy["sanitized"] = None
    for block in (forged.privacy["announced"], forged.privacy["spent"]):
        block["draws"] = [draw for draw in block["draws"] if draw["mechanism"] != "gnss"]
    (answers,) = forged.privacy["announced"]["draws"] = forged.privacy["announced"]["draws"][1:]
    answers["count"] *= 10  # so that more epsilon is announced than spent
    forged.reprice()
    forged.write(folder)
    assert [fault.partition(" (")[0] for fault in faults(folder) if fault.startswith("caps: ")] == [
        "caps: privacy.json: announced lacks threshold"
    ]


def test_an_untouched_release_is_consistent(folder, capsys):
    assert faults(folder) == []
    status, lines = ended(capsys, "--folder", str(folder))
    assert status == 0 and lines.pop() == "consistent; author not checked"
    assert len(lines) == 15 and all(line.startswith("ok ") for line in lines)
    assert named(lines, "NOT PRIVATE")


@pytest.mark.parametrize("name", [*CONTENT, SUMS])
def test_one_byte_changed_is_named(folder, name):
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    assert named(faults(folder), "checksums: ", "" if name == SUMS else f"{name}: is not the file")


@pytest.mark.parametrize("name", [*CONTENT, SUMS])
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    assert named(faults(folder), f"files: {name}: missing")


@pytest.mark.parametrize(
    "name", ["MODEL_CARD.md", "environment.json", "load_student.py", "model.safetensors", "student.json"]
)
def test_one_byte_changed_is_named_by_provenance_where_the_checksum_was_made_again(folder, name):
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    seal(folder)
    assert named(faults(folder), f"provenance: {name}: is not the file that provenance.json tells of")


def test_all_faults_are_listed(folder, capsys):
    block = json.loads((folder / "privacy.json").read_text())
    block["announced"]["statement"]["epsilon"] = 0.1
    (folder / "privacy.json").write_bytes(json_bytes(block))
    (folder / "student.json").unlink()
    (folder / "extra").write_text("x")
    status, lines = ended(capsys, "--folder", str(folder))
    assert status == 1 and lines[-1].endswith(" faults")
    for words in ("student.json: missing", "extra: does not belong", "is below", "privacy.json: is not the file"):
        assert named(lines, words)


def test_what_is_no_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="no folder"):
        verify(tmp_path / "none")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="no folder"):
        verify(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    assert len(faults(tmp_path / "empty")) == len(CONTENT) + 1


@pytest.mark.parametrize("count", [0, -1])
def test_a_draw_that_was_never_made_pays_for_nothing(folder, count):
    draws = json.loads((folder / "privacy.json").read_text())["spent"]["draws"]
    draws[0]["count"] = count
    with pytest.raises(InputError, match=f"{count} of threshold; allowed is at least 1"):
        check_draws(draws, "spent")


def test_a_threshold_alone_need_not_be_positive():
    draw = as_dict("threshold", 3, {"sigma": 2.0, "threshold": -1.0})
    check_draws([draw], "spent")
    for parameter, value in (("sigma", 0.0), ("sigma", -2.0), ("threshold", math.nan)):
        with pytest.raises(InputError, match=f"{parameter} = {value}; allowed is a positive number"):
            check_draws([draw | {"parameters": draw["parameters"] | {parameter: value}}], "spent")


@pytest.mark.parametrize("samples", [999, 1000])
def test_no_release_is_made_with_a_delta_that_is_large_for_so_many_records(made, monkeypatch, samples):
    monkeypatch.setitem(ENSEMBLE, "private", samples)
    if samples < 1000:
        assert faults(made.release()) == []
        return
    with pytest.raises(InputError, match=r"delta .* 1000"):
        made.release()


@pytest.mark.parametrize(
    "label", ["digits **certified**", "digits\n", "d\N{CYRILLIC SMALL LETTER I}gits", "", "x" * 61]
)
def test_no_release_is_made_of_words_that_would_not_be_verified(made, monkeypatch, label):
    monkeypatch.setitem(ENSEMBLE, "label", label)
    before = (made.root / made.FOLDER / "student.json").read_bytes()
    with pytest.raises(InputError, match=r"student\.json: label: ") as caught:
        made.release()
    assert "\n" not in str(caught.value)
    assert (made.root / made.FOLDER / "student.json").read_bytes() == before


def test_labels_of_the_catalogue_and_its_models_may_be_released():
    with open("schemas/release.schema.yaml", encoding="utf-8") as stream:
        defined = yaml.safe_load(stream)["$defs"]
    config = catalogue()
    for ensemble in config["ensembles"].values():
        jsonschema.validate(ensemble["label"], defined["line"])
    models = [model for model in config["models"].values() if model["kind"] in KINDS]
    assert len({model["kind"] for model in models}) == len(KINDS)
    for model in models:
        jsonschema.validate(model, {"$ref": "#/$defs/student/properties/model", "$defs": defined})


def test_the_loader_refuses_a_tree_that_leads_back(made):
    made.student({"kind": "random_forest", "trees": 3})
    folder = made.release()
    forged = Forgery.of(folder)
    cycle(forged.tensors)
    forged.write(folder)
    with pytest.raises(ValueError, match="leads back to itself"):
        load(folder).probabilities(load_arrays(made.SAMPLES)["x_test"])


# ---------------------------------------------------------------- how much is announced


def test_above_the_largest_epsilon_nothing_is_built_or_verified(made, folder, capsys):
    stated = json.loads((folder / "privacy.json").read_text())["announced"]["statement"]["epsilon"]
    words = (
        f"epsilon {math.ceil(100 * stated) / 100:.2f} is announced: allowed is at most release.largest_epsilon = 5.0"
    )
    with pytest.raises(InputError, match=words):
        made.release(largest=5.0)
    status, lines = ended(capsys, "--folder", str(folder), "--largest-epsilon", "5")
    assert status == 1 and [line for line in lines if "FAULT" in line] == [f"FAULT  size: privacy.json: {words}"]
    assert stated < LARGEST_EPSILON
    assert ended(capsys, "--folder", str(folder), "--largest-epsilon", str(stated))[0] == 0


def sanitized(run: dict, teachers: int = 60, classes: int = 10) -> str | None:
    """What is wrong with a data-dependent epsilon of such a run, from its public parameters."""
    curve = [epsilons(ORDERS[[place]], announced_draws(run, []), run["delta"])[0] for place in range(len(ORDERS))]
    order = float(ORDERS[int(np.argmin(curve))])
    draw = {"mechanism": "gnss", "count": 1, "parameters": {"order": order, "beta": 0.3 / order, "sigma_ss": 5.0}}
    said = {"announced": {"draws": [*announced_draws(run, []), draw]}, "orders": ORDERS, "delta": run["delta"]}
    return sanitized_fault(said, teachers, classes)


def test_a_sanitised_epsilon_is_not_published_where_the_caps_are_better():
    assert sanitized(RUN) is None
    many = RUN | {"max_answered": 60, "sigma_threshold": 40.0, "sigma": 16.0}
    assert "the caps say 3.17 without it; allowed is release.sanitized = false" in sanitized(many)
    assert "continuous noise" in sanitized({"aggregator": "gnmax", "queries": 9, "sigma": 8.0, "delta": 1e-3})


def test_nothing_is_built_with_a_sanitised_epsilon_that_says_less_than_the_caps(made):
    run = RUN | {"max_answered": 60, "sigma_threshold": 40.0, "sigma": 16.0, "threshold": 20}
    made.mechanisms(run=run)
    made.student()
    with pytest.raises(InputError, match="a sanitized epsilon, which for the cheapest votes comes to"):
        made.release()
    assert faults(made.release([made.STUDENT, made.PUBLIC, made.AGGREGATED])) == []


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8, 0.95, 1.0])
def test_no_votes_bring_a_sanitised_epsilon_below_its_least(share):
    rng = np.random.default_rng(3)
    chances = np.full(10, (1 - share) / 9)
    chances[4] = share
    votes = rng.multinomial(60, chances, size=RUN["queries"])
    found = release_epsilon(ORDERS, votes, 60, RUN, 8, SANITIZE, rng)
    draws = {draw["mechanism"]: draw for draw in [*announced_draws(RUN, []), *found.ledger]}
    mean, deviation = least(draws, RUN["delta"], 60, 10)
    assert found.privacy["sanitized_epsilon_fixed"].epsilon >= mean * (1 - 1e-12)
    assert found.numbers["fixed_std"] >= deviation * (1 - 1e-12)
    released = privacy(RUN, ORDERS.tolist(), None, [], found.ledger, None)["announced"]["statement"]
    joint = found.privacy["epsilon_caps_with_release"].as_dict()
    assert joint == released | {"epsilon": pytest.approx(released["epsilon"], rel=2e-9)}
    if share == 1:
        assert found.privacy["sanitized_epsilon_fixed"].epsilon <= 1.1 * mean


# ---------------------------------------------------------------- what is at hand, and who signed


def test_the_samples_and_the_run_are_compared(made, folder, capsys, tmp_path):
    report = tmp_path / "report.json"
    options = ["--folder", str(folder), "--samples", made.SAMPLES, "--run", ".", "--report", str(report)]
    status, lines = ended(capsys, *options)
    assert status == 0 and named(lines, "ok     samples: ") and named(lines, "ok     run: ")
    written = json.loads(report.read_text())
    assert written["verdict"] == "consistent; author not checked" and len(written["checks"]) == 17
    report.unlink()
    arrays = load_arrays(made.SAMPLES)
    arrays["y_test"] = (arrays["y_test"] + 1) % 10
    save_arrays("other.npz", **arrays)
    status, lines = ended(capsys, *options[:2], "--samples", "other.npz", "--report", str(report))
    assert status == 1 and named(lines, "accuracy") and named(lines, "public_fingerprint") and not report.exists()
    save_arrays("other.npz", **arrays | {"y_test": arrays["y_test"][1:]})
    status, lines = ended(capsys, *options[:2], "--samples", "other.npz")
    assert status == 1 and named(lines, "x_public, x_test and y_test are no samples and their classes")


def test_a_run_that_is_not_that_of_the_release_is_named(made, folder, capsys):
    options = ["--folder", str(folder), "--run"]
    status, lines = ended(capsys, *options, "nowhere")
    assert status == 1 and named(lines, "FAULT  run: nowhere/results/tiny/release_parts/run/1.json: not a readable")
    record = read_sealed_json(made.STUDENT)
    record["metrics"]["student_accuracy"] = 99.0
    write_sealed_json(made.STUDENT, record)
    status, lines = ended(capsys, *options, ".")
    assert status == 1 and named(lines, "FAULT  run: student.json: the records below . give another")


def test_a_signature_says_who_signed(folder, keys, capsys):
    key, allowed = keys
    status, lines = ended(capsys, "--folder", str(folder), "--signer", allowed)
    assert status == 1 and named(lines, f"FAULT  signature: {SIGNATURE}: missing, so nobody signed")
    sign_release.main(["--folder", str(folder), "--key", key])
    assert ended(capsys, "--folder", str(folder))[1][-1] == "consistent; author not checked"
    status, lines = ended(capsys, "--folder", str(folder), "--signer", allowed)
    assert status == 0 and lines[-1].startswith("consistent; signed by author@example.org (SHA256:")
    # sha256sum and ssh-keygen agree, without this project
    summed = subprocess.run(["sha256sum", "--check", "--quiet", SUMS], cwd=folder, check=False)
    assert summed.returncode == 0


def test_a_signature_of_something_else_is_none(folder, keys, capsys):
    key, allowed = keys
    sign_release.main(["--folder", str(folder), "--key", key])
    words = ["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n"]
    for namespace, signed in (("file", (folder / SUMS).read_bytes()), ("released-student", b"other")):
        made = subprocess.run([*words, namespace], input=signed, capture_output=True, check=True).stdout
        (folder / SIGNATURE).write_bytes(made)
        status, lines = ended(capsys, "--folder", str(folder), "--signer", allowed)
        assert status == 1 and named(lines, f"FAULT  signature: {SIGNATURE}: none of {allowed} signed this release")


def test_what_cannot_be_signed_is_refused(folder, keys, monkeypatch, tmp_path):
    key, _ = keys
    with pytest.raises(InputError, match="none: cannot sign"):
        sign_release.main(["--folder", str(folder), "--key", str(tmp_path / "none")])
    with pytest.raises(InputError, match=r"not signed, since privacy\.json: epsilon"):
        sign_release.main(["--folder", str(folder), "--key", key, "--largest-epsilon", "1"])
    sign_release.main(["--folder", str(folder), "--key", key])
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(InputError, match="ssh-keygen: not found; signatures need OpenSSH"):
        sign_release.main(["--folder", str(folder), "--key", key])


def test_without_ssh_keygen_a_signature_is_not_checked(folder, keys, monkeypatch, tmp_path, capsys):
    key, allowed = keys
    sign_release.main(["--folder", str(folder), "--key", key])
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    status, lines = ended(capsys, "--folder", str(folder), "--signer", allowed)
    assert status == 1 and named(lines, "FAULT  signature: ssh-keygen: not found")
    status, lines = ended(capsys, "--folder", str(folder), "--signer", str(tmp_path / "none"))
    assert status == 1 and named(lines, "no file of allowed signers; its lines are NAME KEYTYPE KEY")


def test_the_commit_is_told_where_the_sources_are_its(tmp_path):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    assert commit(tmp_path) is None
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "x.py").write_text("x = 1\n")
    for words in (["init", "--quiet"], ["add", "lib"], ["commit", "--quiet", "--message", "x"]):
        subprocess.run([*git, *words], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    assert commit(tmp_path) == head
    assert commit(tmp_path / "lib") is None
    (tmp_path / "config.yaml").write_text("seed: 1\n")
    assert commit(tmp_path) == head
    (tmp_path / "lib" / "x.py").write_text("x = 2\n")
    assert commit(tmp_path) is None


# ---------------------------------------------------------------- fuzzing

values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**400), 10**400),
    st.integers(-3, 500),
    st.floats(),
    st.floats(0, 50),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.sampled_from(["gnmax", "threshold", "lnmax", "gnss", "discrete_gnmax", "replace_one", 1e-300, 1e300]),
)


def mutated(block, data):
    """The block with a few values replaced, removed or repeated."""
    block = copy.deepcopy(block)
    for _ in range(data.draw(st.integers(1, 3))):
        found = sorted((path for path in places(block) if path[0] != "orders" or len(path) == 1), key=str)
        if not found:
            break
        *way, key = data.draw(st.sampled_from(found))
        parent = block
        for step in way:
            parent = parent[step]
        kind = data.draw(st.sampled_from(["replace", "remove", "scale"]))
        if kind == "remove":
            del parent[key]
        elif kind == "scale" and isinstance(parent[key], float):
            parent[key] *= data.draw(st.floats(0, 3))
        else:
            parent[key] = data.draw(values)
    return block


@pytest.mark.slow
@pytest.mark.parametrize("name", ["privacy", "provenance", "student", "environment"])
def test_no_mutation_ends_in_a_traceback_or_a_smaller_epsilon(original, tmp_path, name):
    """What follows from the mutated file is made again where that can be."""
    release, folder = original.root / original.FOLDER, tmp_path / "release"
    shutil.copytree(release, folder)
    before = json.loads((release / f"{name}.json").read_text())
    stated = json.loads((release / "privacy.json").read_text())["announced"]["statement"]["epsilon"]

    @given(st.data())
    @FIXED
    def run(data):
        after = mutated(before, data)
        forged = Forgery.of(release)
        if name == "provenance":
            forged.provenance = lambda block: block.clear() or block.update(after)
        else:
            setattr(forged, name, after)
        try:
            forged.write(folder)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            (folder / f"{name}.json").write_text(text_of(after))
            seal(folder)
        if not faults(folder) and name == "privacy":
            # accepted: then it states no less than what its draws cost, and these are the draws that were made
            own, second = epsilons(after["orders"], after["announced"]["draws"], after["delta"])
            assert after["announced"]["statement"]["epsilon"] >= max(own, second)
            assert after["announced"]["statement"]["epsilon"] >= stated * (1 - 1e-9)
            assert all(draw["count"] >= 1 for part in ("announced", "spent") for draw in after[part]["draws"])

    run()


@pytest.mark.slow
@given(st.binary(max_size=60), st.sampled_from([*CONTENT, SUMS]), st.integers(0, 10**6))
@FIXED
def test_no_damage_ends_in_a_traceback(original, tmp_path_factory, content, name, place):
    folder = tmp_path_factory.getbasetemp() / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(original.root / original.FOLDER, folder)
    old = (folder / name).read_bytes()
    place %= len(old)
    new = old[:place] + content + old[place + len(content) :]
    (folder / name).write_bytes(new)
    found = faults(folder)
    assert bool(found) == (new != old)
