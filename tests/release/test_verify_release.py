"""A release that was tampered with: every fault is named."""

import copy
import hashlib
import json
import math
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from lib.core.command import run
from lib.core.errors import InputError
from lib.release.card import card
from lib.release.files import CONTENT, SUMS, write_sums
from lib.release.pricing import check_draws, epsilons
from lib.release.statement import meaning
from lib.release.verify import verify
from scripts import verify_release
from tests.release.conftest import ENSEMBLE
from tests.sealed import places, text_of

FIXED = settings(derandomize=True, deadline=None, max_examples=50)


def faults(folder) -> list[str]:
    return [f"{check.name}: {fault}" for check in verify(folder) for fault in check.faults]


def change(folder, name: str, edit, sums: bool) -> None:
    """Edit a JSON file of the release, and with `sums` its checksum and provenance's digest too."""
    path = folder / name
    block = json.loads(path.read_text())
    edit(block)
    path.write_text(json.dumps(block, indent=1, sort_keys=True) + "\n")
    if sums:
        update(folder, name)


def update(folder, name: str) -> None:
    digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    provenance = json.loads((folder / "provenance.json").read_text())
    for entry in provenance["files"]:
        if entry["path"] == name:
            entry["sha256"] = digest
    (folder / "provenance.json").write_text(json.dumps(provenance, indent=1, sort_keys=True) + "\n")
    write_sums(folder)


def named(found: list[str], *words: str) -> bool:
    return any(all(word in fault for word in words) for fault in found)


def test_an_untouched_release_is_what_it_says(folder, capsys):
    assert faults(folder) == []
    verify_release.main([str(folder)])
    printed = capsys.readouterr().out
    assert printed.count("ok ") == 14 and "FAULT" not in printed and printed.endswith("what it says\n")
    assert "NOT PRIVATE" in printed


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
    write_sums(folder)
    assert named(faults(folder), f"provenance: {name}: is not the file that provenance.json tells of")


@pytest.mark.parametrize("sums", [False, True])
@pytest.mark.parametrize("part", ["spent", "announced"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_ledger_entry_removed_is_named(folder, part, place, sums):
    kind = ("threshold", "gnmax", "gnss")[place]
    change(folder, "privacy.json", lambda block: block[part]["draws"].pop(place), sums)
    assert named(faults(folder), "caps: ", f"{part} lacks {kind}")


@pytest.mark.parametrize("sums", [False, True])
@pytest.mark.parametrize("part", ["spent", "announced"])
@pytest.mark.parametrize("change_of_count", [-30, -1, 1, 30])
def test_a_count_altered_is_named(folder, part, change_of_count, sums):
    def edit(block):
        block[part]["draws"][1]["count"] += change_of_count

    change(folder, "privacy.json", edit, sums)
    found = faults(folder)
    assert named(found, f"epsilon {part}: ", "is below" if change_of_count > 0 else "is not that of its draws")
    assert named(found, "ledger: ", "gnmax") == (part == "spent")


@pytest.mark.parametrize("sums", [False, True])
@pytest.mark.parametrize("event", [False, True])
@pytest.mark.parametrize("part", ["spent", "announced"])
def test_a_sigma_altered_is_named(folder, part, event, sums):
    def edit(block):
        draw = block[part]["draws"][1]
        draw["parameters"]["sigma"] *= 2
        if event:
            draw["dp_event"] = f"GaussianDpEvent(noise_multiplier={draw['parameters']['sigma'] / math.sqrt(2)!r})"

    change(folder, "privacy.json", edit, sums)
    assert named(faults(folder), "caps: " if event else "draws: ", "gnmax")


@pytest.mark.parametrize("sums", [False, True])
@pytest.mark.parametrize("part", ["spent", "announced"])
@pytest.mark.parametrize("factor", [0.5, 0.999, 1 - 1e-8])
def test_an_epsilon_lowered_by_hand_is_named(folder, part, factor, sums):
    def edit(block):
        block[part]["statement"]["epsilon"] *= factor

    change(folder, "privacy.json", edit, sums)
    assert named(faults(folder), f"epsilon {part}: privacy.json", "is below")


def test_a_sanitized_epsilon_altered_is_named(folder):
    change(folder, "privacy.json", lambda block: block["sanitized"].update(epsilon=0.1234), True)
    assert named(faults(folder), "ledger: ", "sanitized epsilon 0.1234")


def test_an_epsilon_lowered_on_the_card_is_named(folder):
    text = (folder / "MODEL_CARD.md").read_text()
    stated = json.loads((folder / "privacy.json").read_text())["announced"]["statement"]["epsilon"]
    shown = f"epsilon {math.ceil(100 * stated) / 100:.2f}"
    assert shown in text
    (folder / "MODEL_CARD.md").write_text(text.replace(shown, "epsilon 0.50"))
    update(folder, "MODEL_CARD.md")
    assert named(faults(folder), "model card: MODEL_CARD.md")


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("name", ["votes.npz", ".hidden", "more/votes.npz"])
def test_a_private_file_smuggled_in_is_named(folder, made, name, told):
    (folder / name).parent.mkdir(exist_ok=True)
    shutil.copyfile(made.VOTES, folder / name)
    if told:
        digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        with (folder / SUMS).open("a") as stream:
            stream.write(f"{digest}  {name}\n")
    found = faults(folder)
    assert named(found, f"files: {name}: does not belong")
    assert named(found, f"checksums: {name}", "does not belong") == told


def test_a_private_file_in_the_place_of_the_weights_is_named(folder, made):
    shutil.copyfile(made.VOTES, folder / "model.safetensors")
    write_sums(folder)
    found = faults(folder)
    assert named(found, "provenance: model.safetensors") and named(found, "weights: model.safetensors")


def test_private_arrays_beside_the_weights_are_named(folder):
    arrays = load_file(folder / "model.safetensors")
    save_file(arrays | {"votes": np.zeros((3, 3))}, folder / "model.safetensors")
    update(folder, "model.safetensors")
    assert named(faults(folder), "weights: model.safetensors", "votes")


def test_a_link_is_no_file_of_a_release(folder, made):
    (folder / "student.json").unlink()
    (folder / "student.json").symlink_to(made.root / made.STUDENT)
    assert named(faults(folder), "files: student.json: not a plain file")


def test_a_provenance_that_leads_to_private_data_is_named(folder, made):
    def edit(block):
        block["jobs"][1]["read"].append({"path": made.VOTES, "sha256": None})

    change(folder, "provenance.json", edit, False)
    write_sums(folder)
    for name in CONTENT:
        assert named(faults(folder), f"provenance: {name}: depends on private data", f"<- {made.VOTES}")


def test_a_digest_of_something_private_is_named(folder, made):
    def edit(block):
        for job in block["jobs"]:
            for entry in job["read"]:
                if entry["path"] == made.VOTES:
                    entry["sha256"] = "0" * 64

    change(folder, "provenance.json", edit, False)
    write_sums(folder)
    assert named(faults(folder), "tells the digest of", made.VOTES)


@pytest.mark.parametrize(
    "edit",
    [
        lambda block: block.update(noise_seed=None),
        lambda block: block.update(meaning="trust me"),
        lambda block: block.update(noise_seed=None, meaning=meaning(None, block["announced"]["statement"])),
        lambda block: block["announced"]["statement"].update(guarantee=True),
        lambda block: block["announced"]["statement"].update(delta=1e-9),
        lambda block: block.update(delta=0.5),
        lambda block: block["sanitized"].update(guarantee=True),
        lambda block: block["spent"]["statement"].update(data_dependent=False),
        lambda block: block.update(sanitized=None),
        lambda block: block.update(noise="discrete"),
        lambda block: block.update(surprise=1),
        lambda block: block["announced"]["draws"][0].update(count=-1),
        lambda block: block["announced"]["draws"][0].update(mechanism="none"),
        lambda block: block["announced"]["draws"][0]["parameters"].update(sigma=float("nan")),
        lambda block: block["announced"]["draws"][0]["parameters"].update(more=1.0),
        lambda block: block.update(orders=[1.0]),
        lambda block: block.update(orders=[]),
    ],
)
def test_a_statement_that_does_not_hold_together_is_refused(folder, edit):
    change(folder, "privacy.json", edit, True)
    assert faults(folder)


@pytest.mark.parametrize("labels", [-1, 1, 1000])
def test_labels_that_the_ledger_does_not_pay_for_are_named(folder, labels):
    def edit(block):
        block["labels"] += labels

    change(folder, "student.json", edit, True)
    found = faults(folder)
    assert named(found, "student: student.json", "labels, and privacy.json pays for")
    assert named(found, "student: student.json", "queries were checked") == (labels == 1000)


def in_all_ledgers(folder, edit) -> None:
    """Edit the draws of privacy.json and of the mechanisms alike; epsilons and the card follow."""

    def statements(block):
        for part in ("announced", "spent"):
            edit(block[part]["draws"])
            least = max(epsilons(block["orders"], block[part]["draws"], block["delta"]))
            block[part]["statement"]["epsilon"] = least * (1 + 1e-9)

    def mechanisms(block):
        for job in block["jobs"]:
            edit(job["draws"])

    change(folder, "provenance.json", mechanisms, False)
    change(folder, "privacy.json", statements, True)
    made = [json.loads((folder / f"{name}.json").read_text()) for name in ("privacy", "student")]
    (folder / "MODEL_CARD.md").write_text(card(*made))
    update(folder, "MODEL_CARD.md")


def test_ledgers_that_are_edited_alike_agree(folder):
    in_all_ledgers(folder, lambda draws: None)
    assert faults(folder) == []


@pytest.mark.parametrize("mechanism", ["gnss", "gnmax"])
def test_a_draw_that_was_never_made_pays_for_nothing(folder, mechanism):
    """The epsilon that the data decided is still there, and its release would cost nothing."""

    def edit(draws):
        for draw in draws:
            if draw["mechanism"] == mechanism:
                draw["count"] = 0

    in_all_ledgers(folder, edit)
    assert named(faults(folder), "content: privacy.json", "count")
    block = json.loads((folder / "privacy.json").read_text())
    with pytest.raises(InputError, match=f"0 of {mechanism}; allowed is at least 1"):
        check_draws(block["spent"]["draws"], "spent")


@pytest.mark.parametrize("samples", [0, 1000, 10**9])
def test_a_delta_that_is_not_small_for_so_many_records_is_named(folder, samples):
    change(folder, "student.json", lambda block: block.update(private_samples=samples), True)
    assert named(faults(folder), "student: privacy.json: delta 0.001", "1 / private_samples")


@pytest.mark.parametrize("samples", [999, 1000])
def test_no_release_is_made_with_such_a_delta(made, monkeypatch, samples):
    monkeypatch.setitem(ENSEMBLE, "private", samples)
    if samples < 1000:
        assert faults(made.release()) == []
        return
    with pytest.raises(InputError, match=r"delta .* 1000"):
        made.release()


def test_another_loader_is_named(folder):
    path = folder / "load_student.py"
    path.write_text(path.read_text() + "\nimport os\n")
    update(folder, path.name)
    assert faults(folder) == ["loader: load_student.py: is not lib/release/loader.py of this version of the project"]


def test_all_faults_are_listed(folder, capsys):
    change(folder, "privacy.json", lambda block: block["announced"]["statement"].update(epsilon=0.1), False)
    (folder / "student.json").unlink()
    (folder / "extra").write_text("x")
    with pytest.raises(SystemExit) as ended:
        run(lambda: verify_release.main([str(folder)]))
    printed = capsys.readouterr().out
    assert ended.value.code == 1
    for words in ("student.json: missing", "extra: does not belong", "is below", "privacy.json: is not the file"):
        assert words in printed


def test_what_is_no_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="no folder"):
        verify(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    assert len(faults(tmp_path / "empty")) >= len(CONTENT)


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


@pytest.mark.parametrize("name", ["privacy.json", "provenance.json", "student.json", "environment.json"])
def test_no_mutation_ends_in_a_traceback_or_a_smaller_epsilon(original, tmp_path, name):
    folder = tmp_path / "release"
    shutil.copytree(original.root / original.FOLDER, folder)
    whole = {each: (folder / each).read_text() for each in ("privacy.json", "provenance.json", name)}
    before = json.loads(whole[name])
    least = json.loads(whole["privacy.json"])["announced"]["statement"]["epsilon"]

    @given(st.data())
    @FIXED
    def run(data):
        for each, text in whole.items():
            (folder / each).write_text(text)
        after = mutated(before, data)
        (folder / name).write_text(text_of(after))
        if name != "provenance.json":
            update(folder, name)
        write_sums(folder)
        if not faults(folder) and name == "privacy.json":
            # accepted: then it states no less than what its draws cost, and these are the draws that were made
            own, second = epsilons(after["orders"], after["announced"]["draws"], after["delta"])
            assert after["announced"]["statement"]["epsilon"] >= max(own, second)
            assert after["announced"]["statement"]["epsilon"] >= least * (1 - 1e-9)
            assert all(draw["count"] >= 1 for part in ("announced", "spent") for draw in after[part]["draws"])

    run()


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
