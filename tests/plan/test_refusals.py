"""Mistakes in the tiny preset and in what is laid over it: one line names the key, the value and what is allowed."""

import pytest

from lib.core.errors import InputError
from lib.plan.config import check_config, claim_ids, load, merged
from tests.plan.configurations import CONFIG, SCHEMA
from tests.workflow.running import TINY

CLAIMS = claim_ids()


def refusal(overlay: dict) -> str:
    """The line with which an overlay on the tiny preset is refused."""
    with pytest.raises(InputError) as caught:
        check_config(merged(merged(CONFIG, TINY), overlay), SCHEMA, CLAIMS)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def run(name: str, **keys) -> dict:
    """An overlay that changes keys of one run."""
    return {"scalable_pate": {"runs": {name: keys}}}


def digits(**keys) -> dict:
    """An overlay that changes keys of the ensemble."""
    return {"ensembles": {"digits": keys}}


LNMAX, GNMAX, CONFIDENT = (f"scalable_pate.runs.digits_{name}" for name in ("lnmax", "gnmax", "confident"))
NO_NUMBER, NO_LIMIT = float("nan"), float("inf")
# what is wrong, the overlay, and what the line says: the key, the value, what is allowed
REFUSED = [
    ("misspelt key at the top", {"presett": "x"}, ["'presett'", "did you mean preset?", "data_root"]),
    ("misspelt key in a run", run("digits_lnmax", laplace_scal=2.0), [LNMAX, "'laplace_scal'", "laplace_scale"]),
    ("misspelt key in a dataset", {"datasets": {"digits": {"modul": "x"}}}, ["datasets.digits", "'modul'", "module"]),
    ("misspelt key in a block", {"accounting": {"order": 1}}, ["accounting", "'order'", "did you mean orders?"]),
    ("delta 0", run("digits_lnmax", delta=0.0), [f"{LNMAX}.delta = 0.0", "greater than 0", "less than 1"]),
    ("delta 1", run("digits_lnmax", delta=1.0), [f"{LNMAX}.delta = 1.0", "greater than 0", "less than 1"]),
    (
        "delta that publishing a private record keeps",
        run("digits_confident", delta=0.5),
        [f"{CONFIDENT}.delta = 0.5", "at most one in ensembles.digits.private = 200, 0.005"],
    ),
    ("delta that YAML reads as text", run("digits_lnmax", delta="1e-5"), [f"{LNMAX}.delta = '1e-5'", "1.0e-5"]),
    ("delta that is not a number", run("digits_lnmax", delta=NO_NUMBER), [f"{LNMAX}.delta = nan", "allowed"]),
    ("sigma below 0", run("digits_gnmax", sigma=-4.0), [f"{GNMAX}.sigma = -4.0", "greater than 0"]),
    ("sigma that is not a number", run("digits_gnmax", sigma=NO_NUMBER), [f"{GNMAX}.sigma = nan", "allowed"]),
    ("infinite sigma", run("digits_gnmax", sigma=NO_LIMIT), [f"{GNMAX}.sigma = inf", "allowed"]),
    (
        "sigma of the check 0",
        run("digits_confident", sigma_threshold=0.0),
        [f"{CONFIDENT}.sigma_threshold = 0.0", "greater than 0"],
    ),
    ("scale below 0", run("digits_lnmax", laplace_scale=-1.0), [f"{LNMAX}.laplace_scale = -1.0", "greater than 0"]),
    ("more teachers than samples", digits(teachers=201), ["ensembles.digits.teachers = 201", "at most", "200"]),
    ("one teacher", digits(teachers=1), ["ensembles.digits.teachers = 1", "at least 2"]),
    ("unknown dataset", digits(dataset="nope"), ["ensembles.digits.dataset = 'nope'", "allowed: ", "digits"]),
    ("unknown ensemble", run("digits_lnmax", ensemble="nope"), [f"{LNMAX}.ensemble = 'nope'", "allowed: adult"]),
    (
        "unknown run in a table",
        {"scalable_pate": {"table1": ["nope"]}},
        ["scalable_pate.table1 = 'nope'", "digits_lnmax"],
    ),
    (
        "run of the wrong aggregator in a table",
        {"scalable_pate": {"table2": ["digits_lnmax"]}},
        ["scalable_pate.table2 = 'digits_lnmax'", "allowed: ", "confident_gnmax"],
    ),
    (
        "unknown aggregator",
        run("digits_lnmax", aggregator="nope"),
        [f"{LNMAX}.aggregator = 'nope'", "lnmax, gnmax, confident_gnmax"],
    ),
    ("unknown model", digits(model="svm"), ["ensembles.digits.model = 'svm'", "allowed: ", "random_forest"]),
    ("unknown kind", digits(kind="bought"), ["ensembles.digits.kind = 'bought'", "trained, published"]),
    ("more queries than the pool", run("digits_lnmax", queries=301), [f"{LNMAX}.queries = 301", "at most", "300"]),
    (
        "more answers than queries",
        run("digits_confident", max_answered=61),
        [f"{CONFIDENT}.max_answered = 61", "at most", "60"],
    ),
    ("no queries", run("digits_lnmax", queries=0), [f"{LNMAX}.queries = 0", ">= 1"]),
    ("key that the aggregator lacks", run("digits_gnmax", aggregator="lnmax"), [GNMAX, "laplace_scale"]),
    ("preset with a slash", {"preset": "a/b"}, ["preset = 'a/b'", "text matching"]),
    ("no repetition", {"repetitions": 0}, ["repetitions = 0", "at least 1"]),
    ("empty block", {"datasets": {"digits": None}}, ["datasets.digits = None", "a mapping"]),
    (
        "orders the wrong way round",
        {"accounting": {"orders": {"linear": [9.0, 2.0, 1.0]}}},
        ["[9.0, 2.0", "first < last"],
    ),
    ("unknown claim", run("digits_lnmax", claims={"epsilon": "nope.v01"}), [LNMAX, "'nope.v01'"]),
]


def test_the_tiny_preset_is_not_refused():
    assert load(overrides=TINY)["preset"] == "tiny"


@pytest.mark.slow
@pytest.mark.parametrize(("overlay", "says"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_a_mistake_in_an_overlay_is_one_line(overlay, says):
    line = refusal(overlay)
    for part in says:
        assert part in line


@pytest.mark.parametrize(
    ("name", "keys"),
    [("digits_lnmax", {"sigma": 3.0}), ("digits_gnmax", {"laplace_scale": 3.0}), ("digits_gnmax", {"threshold": 3})],
)
def test_a_key_of_another_aggregator_is_refused_and_not_offered(name, keys):
    line = refusal(run(name, **keys))
    (key,) = keys
    assert f"scalable_pate.runs.{name}" in line and f"'{key}'" in line
    allowed = line.partition("allowed: ")[2].split(", ")
    assert "queries" in allowed
    assert key not in allowed


def test_a_whole_number_written_as_a_float_is_refused():
    assert "repetitions = 1.0" in refusal({"repetitions": 1.0})
