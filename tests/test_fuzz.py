"""Input that somebody got wrong, at random: one line says what is wrong, and no traceback reaches its author."""

import copy
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lib.core.command import run
from lib.core.errors import InputError
from lib.core.files import save_arrays
from lib.core.records import write_record
from lib.pate.queries import read_queries, read_rounds
from lib.plan.config import check_config, claim_ids, expand_download, expand_own_volumes, expand_repetitions, register
from lib.plan.paper_settings import check_device, check_protocols
from lib.plan.plan import Plan
from lib.plan.schema import fill_defaults
from lib.reporting.records import read_record
from scripts import aggregate
from tests.plan.test_config import CONFIG, SCHEMA
from tests.reporting.test_records import FIELDS
from tests.sealed import places, sealed, text_of

REGISTER, CLAIMS = register(), claim_ids()
FIXED = settings(
    derandomize=True, deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 500),
    st.integers(-(10**400), 10**400),
    st.floats(),
    st.text(max_size=6),
    st.just([]),
    st.just({}),
)


def mutated(block, data):
    """The block with one to three values replaced, removed, or put elsewhere."""
    block = copy.deepcopy(block)
    for _ in range(data.draw(st.integers(1, 3))):
        found = list(places(block))
        if not found:
            break
        *way, key = data.draw(st.sampled_from(found))
        parent = block
        for step in way:
            parent = parent[step]
        kind = data.draw(st.sampled_from(["replace", "remove", "move", "rename"]))
        if kind == "remove":
            del parent[key]
        elif kind == "move":
            other = block
            for step in data.draw(st.sampled_from(found)):
                other = other[step]
            parent[key] = copy.deepcopy(other)
        elif kind == "rename" and isinstance(parent, dict):
            parent[data.draw(st.text(max_size=6))] = parent.pop(key)
        else:
            parent[key] = data.draw(scalars)
    return block


def one_line(error: InputError) -> None:
    assert str(error).strip() and "\n" not in str(error)


# ---------------------------------------------------------------- configuration


def planned_or_refused(config) -> bool:
    """As Snakemake has it before the first job: refused in one line, or all results can be named; whether they can."""
    try:
        expand_own_volumes(config)
        expand_download(config)
        expand_repetitions(config)
        check_config(config, SCHEMA, CLAIMS)
        fill_defaults(config, SCHEMA)
        check_protocols(config)
        check_device(config)
    except InputError as error:
        one_line(error)
        return False
    plan = Plan(config, REGISTER)
    return bool(plan.results.captions()) and isinstance(plan.results.all_targets(), list)


def test_the_configuration_that_is_changed_is_itself_planned():
    assert planned_or_refused(copy.deepcopy(CONFIG))


@pytest.mark.slow
@given(st.data())
@settings(FIXED, max_examples=25)
def test_a_configuration_is_planned_or_refused_in_one_line(data):
    planned_or_refused(mutated(CONFIG, data))


@pytest.mark.long
@given(st.data())
@settings(FIXED, max_examples=5000)
def test_of_five_thousand_changed_configurations_each_is_planned_or_refused_in_one_line(data):
    planned_or_refused(mutated(CONFIG, data))


# The same where mistakes are likeliest to pass the schema: one block, values of the right kind.
BLOCKS = ["release", "noise_seed", "scalable_pate", "ensembles", "accounting"]


@pytest.mark.slow
@given(st.data(), st.sampled_from(BLOCKS))
@settings(FIXED, max_examples=25)
def test_a_block_is_checked_or_refused_in_one_line(data, name):
    config = copy.deepcopy(CONFIG)
    config[name] = mutated({name: CONFIG[name]}, data).get(name)
    try:
        check_config(config, SCHEMA)
    except InputError as error:
        one_line(error)


# ---------------------------------------------------------------- records


@pytest.mark.slow
@given(st.data())
@FIXED
def test_a_record_is_read_or_refused_in_one_line(tmp_path, data):
    path = tmp_path / "record.json"
    provenance = {"kind": "mechanism", "read": [{"path": "votes", "sha256": "0" * 64}], "wrote": []}
    write_record(path, **FIELDS, provenance=provenance)
    path.write_text(text_of(sealed(mutated(json.loads(path.read_text()), data))))
    try:
        record = read_record(path)
    except InputError as error:
        one_line(error)
    else:
        for statement in record["privacy"].values():
            assert 0 <= statement.epsilon < float("inf") and 0 < statement.delta < 1


@pytest.mark.parametrize("epsilon", [10**400, 1e400, float("nan"), -1, "1", None])
def test_an_epsilon_that_is_no_number_is_refused(tmp_path, epsilon):
    path = tmp_path / "record.json"
    write_record(path, **FIELDS)
    record = json.loads(path.read_text())
    record["privacy"]["epsilon"]["epsilon"] = epsilon
    path.write_text(text_of(sealed(record)))
    with pytest.raises(InputError, match="not a result record"):
        read_record(path)


@given(st.one_of(st.binary(max_size=80), st.recursive(scalars, lambda part: st.lists(part, max_size=3)).map(text_of)))
@FIXED
def test_a_file_that_is_no_record_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "record.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as caught:
        read_record(path)
    one_line(caught.value)


# ---------------------------------------------------------------- votes

DTYPES = ["int64", "int8", "uint64", "float64", "float16", "bool", "complex64", "U3", "S2", "datetime64[s]"]
arrays = st.builds(
    lambda shape, dtype, fill, seed: np.asarray(fill * np.random.default_rng(seed).integers(0, 4, shape)).astype(dtype),
    st.lists(st.integers(0, 4), max_size=3),
    st.sampled_from(DTYPES),
    st.sampled_from([1, -1, 10**4, 3]),
    st.integers(0, 9),
)
VOTES = np.array([[9, 1, 0], [4, 3, 3], [0, 10, 0], [2, 2, 6], [5, 5, 0]])
RUNS = [
    {"queries": 2},
    {"queries": 9},
    {"queries": "published"},
    {"queries": 2, "first": 2, "first_round": {"queries": 2}},
]


@given(st.dictionaries(st.sampled_from(["votes", "published_indices", "probabilities"]), arrays), st.sampled_from(RUNS))
@FIXED
def test_votes_are_read_or_refused_in_one_line(tmp_path, wrong, run):
    right = {"votes": VOTES, "published_indices": np.array([3, 0]), "probabilities": np.full((5, 3), 1 / 3)}
    path = tmp_path / "votes.npz"
    save_arrays(path, **right | wrong, fingerprint=np.array("ab"))
    try:
        rounds, rows, _ = read_rounds(path, path, 10, run)
    except InputError as error:
        one_line(error)
    else:
        for votes, _, scores in rounds:
            assert votes.dtype == np.int64 and (votes.sum(axis=1) == 10).all() and (votes >= 0).all()
            assert scores is None or (scores.shape == votes.shape and np.isfinite(scores).all())
        assert len(rows) == len(rounds[-1][0])


@given(st.binary(max_size=40), st.integers(0, 10**6))
@FIXED
def test_a_damaged_file_of_votes_is_refused_in_one_line(tmp_path, content, place):
    path = tmp_path / "votes.npz"
    save_arrays(path, votes=VOTES, fingerprint=np.array("ab"))
    whole = path.read_bytes()
    place %= len(whole)
    path.write_bytes(whole[:place] + content + whole[place + len(content) :][: len(whole)])
    try:
        votes, _, _ = read_queries(path, 10, {"queries": 5})
    except InputError as error:
        one_line(error)
    else:
        np.testing.assert_array_equal(votes, VOTES)


RUN = {"aggregator": "gnmax", "queries": 5, "sigma": 2.0, "delta": 1e-3}
ACCOUNTING = {"orders": {"linear": [2.0, 9.0, 0.5], "logarithmic": [9.0, 50.0, 5]}, "moments": 8}


@given(arrays, st.text(max_size=70), st.sampled_from(["0", "-1", "1.5", "x", "", "9" * 500]))
@settings(FIXED, max_examples=25)
def test_a_script_ends_with_a_line_and_a_status(tmp_path, capsys, votes, fingerprint, noise_seed):
    path = tmp_path / "votes.npz"
    text = np.array(fingerprint.encode("utf-8", "ignore").decode())
    save_arrays(path, votes=votes if votes.size % 2 else VOTES, fingerprint=text)
    line = f"--preset p --seed 1 --dataset d --job j --teachers 10 --noise-seed={noise_seed}".split(" ")
    line += ["--votes", str(path), "--run", json.dumps(RUN), "--accounting", json.dumps(ACCOUNTING)]
    line += ["--record", str(tmp_path / "record.json"), "--labels", str(tmp_path / "labels.npz")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("signal.signal", lambda *ignored: None)
        try:
            run(lambda: aggregate.main(line))
        except SystemExit as ended:
            assert ended.code in (1, 2)
            # argparse names the program, which under a runner of tests may be any
            last = capsys.readouterr().err.rstrip().splitlines()[-1]
            assert last.startswith(("error: ", "usage")) or ": error: " in last
        else:
            assert read_record(tmp_path / "record.json")["ledger"][0]["count"] == 5
