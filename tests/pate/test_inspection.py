"""What the tables of teachers, of selection and of the search say of votes that are known."""

import json

import numpy as np
import pytest
from scipy.stats import norm

from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays
from lib.data.query_labels import query_labels
from lib.pate import agreement
from lib.pate.interactive import NONE, TEACHERS
from lib.reporting.records import read_record
from pate_accountant import confident, parameter_search, threshold
from pate_accountant.rdp import epsilon_classic, order_grid
from scripts import account, inspect_selection

ORDERS = {"linear": [2.0, 20.0, 0.5], "logarithmic": [20.0, 100.0, 10]}
GRID = order_grid(**ORDERS)
TEACHERS_IN_ALL = 20
VOTES = np.array([[18, 1, 1], [8, 6, 6], [2, 17, 1], [7, 6, 7], [1, 1, 18], [10, 9, 1]])
TRUTH = np.array([0, 1, 1, 0, 2, 1])  # the plurality is wrong on rows 1 and 5
RUN = {
    "ensemble": "own",
    "aggregator": "confident_gnmax",
    "queries": 6,
    "threshold": 12,
    "sigma_threshold": 4.0,
    "sigma": 2.0,
    "delta": 1e-3,
}


@pytest.fixture
def files(tmp_path):
    """Samples, their split, votes on the public ones, and labels released for rows 0, 2 and 4 of five asked."""
    paths = {name: str(tmp_path / f"{name}.npz") for name in ("data", "split", "votes", "labels", "scores")}
    rng = np.random.default_rng(0)
    y = np.concatenate([rng.integers(0, 3, 30), TRUTH, rng.integers(0, 3, 4)])
    save_arrays(paths["data"], x=rng.integers(0, 255, (40, 2, 2), np.uint8), y=y, fingerprint=np.array("ab" * 32))
    indices = {"private": np.arange(30), "public": np.arange(30, 36), "test": np.arange(36, 40)}
    save_arrays(paths["split"], **indices, teacher=np.arange(30) % TEACHERS_IN_ALL, fingerprint=np.array("ab" * 32))
    save_arrays(paths["votes"], votes=VOTES, labels=TRUTH, fingerprint=np.array("ab" * 32))
    source = np.array([TEACHERS, NONE, TEACHERS, NONE, TEACHERS])
    released = {"labels": np.array([0, -1, 1, -1, 2]), "source": source, "rows": np.arange(5)}
    save_arrays(paths["labels"], **released, fingerprint=np.array("ab" * 32))
    return paths


def inspect(files, tmp_path, run, *more):
    """The record and the noiseless labels."""
    record, noiseless = tmp_path / "record.json", tmp_path / "noiseless.npz"
    inspect_selection.main(
        [
            *(f"--{name}={files[name]}" for name in ("votes", "data", "split", "labels") if name in files),
            f"--run={json.dumps(run)}",
            f"--accounting={json.dumps({'orders': ORDERS})}",
            *("--teachers=20", "--preset=tiny", "--seed=1", "--dataset=own"),
            *("--job", "inspect_selection", "run", "1"),
            *more,
            f"--record={record}",
            f"--noiseless={noiseless}",
        ]
    )
    return read_record(record), load_arrays(noiseless)


def test_selection_is_judged_by_the_plurality_of_what_was_asked(files, tmp_path):
    record, _ = inspect(files, tmp_path, RUN)
    assert record["metrics"] == {"queries_made": 5, "queries_answered": 3}
    assert record["private_metrics"]["plurality_accuracy_answered"] == 100
    assert record["private_metrics"]["plurality_accuracy_unanswered"] == 50
    assert "first_round_share" not in record["private_metrics"]


def test_labels_that_come_with_the_votes_judge_as_those_of_samples_do(files, tmp_path):
    """The votes' own dataset in the place of samples, and no split."""
    by_samples, _ = inspect(files, tmp_path, RUN)
    alone = {name: path for name, path in files.items() if name != "split"} | {"data": files["votes"]}
    by_votes, _ = inspect(alone, tmp_path, RUN)
    assert by_votes == by_samples


def test_votes_without_labels_are_refused_by_name(files, tmp_path):
    save_arrays(files["votes"], votes=VOTES, fingerprint=np.array("ab" * 32))
    alone = {name: path for name, path in files.items() if name != "split"} | {"data": files["votes"]}
    with pytest.raises(InputError, match=r"votes\.npz.*labels"):
        inspect(alone, tmp_path, RUN)


def test_noiseless_labels_are_as_many_and_the_first_of_the_pool(files, tmp_path):
    _, noiseless = inspect(files, tmp_path, RUN)
    assert noiseless["rows"].tolist() == [0, 1, 2]
    assert noiseless["labels"].tolist() == [0, 0, 1]


def test_the_share_of_selection_is_taken_at_the_optimal_order(files, tmp_path):
    record, _ = inspect(files, tmp_path, RUN)
    parameters = RUN["threshold"], RUN["sigma_threshold"], RUN["sigma"]
    total = confident.expected_rdp(GRID, VOTES, *parameters).sum(axis=0)
    checks = threshold.rdp(GRID, VOTES.max(axis=1), *parameters[:2]).sum(axis=0)
    _, order = epsilon_classic(GRID, total, RUN["delta"])
    best = np.flatnonzero(GRID == order)[0]
    assert record["private_metrics"]["selection_share"] == pytest.approx(checks[best] / total[best])
    alone, epsilon = (epsilon_classic(GRID, costs, RUN["delta"])[0] for costs in (checks, total))
    assert record["private_metrics"]["selection_alone_share"] == pytest.approx(alone / epsilon)


def test_two_rounds_share_epsilon(files, tmp_path):
    """Two equal rounds of a student who knows nothing of the votes: each takes what it costs."""
    save_arrays(files["scores"], probabilities=np.zeros((6, 3)))
    first = RUN | {"queries": 3}
    run = RUN | {"aggregator": "interactive_gnmax", "first": 3, "queries": 3, "first_round": first}
    record, _ = inspect(files, tmp_path, run, f"--scores={files['scores']}")
    parameters = RUN["threshold"], RUN["sigma_threshold"], RUN["sigma"]
    costs = confident.expected_rdp(GRID, VOTES, *parameters)
    _, order = epsilon_classic(GRID, costs.sum(axis=0), RUN["delta"])
    best = np.flatnonzero(GRID == order)[0]
    share = costs[:3, best].sum() / costs[:, best].sum()
    assert record["private_metrics"]["first_round_share"] == pytest.approx(share)


def test_two_rounds_cost_less_together_than_the_sum_of_each_alone(files, tmp_path):
    save_arrays(files["scores"], probabilities=np.full((6, 3), 1 / 3))
    first = RUN | {"queries": 3, "delta": 1e-4}
    run = RUN | {"aggregator": "interactive_gnmax", "first": 3, "queries": 3, "confidence": 0.9, "max_answered": 3}
    run["first_round"] = first | {"max_answered": 3}
    record = tmp_path / "account.json"
    account.main(
        [
            *(f"--{name}={files[name]}" for name in ("votes", "scores")),
            f"--run={json.dumps(run)}",
            f"--accounting={json.dumps({'orders': ORDERS, 'moments': 8, 'curve_points': 3})}",
            *("--teachers=20", "--preset=tiny", "--seed=1", "--dataset=own", "--job", "account", "run", "1"),
            *(f"--record={record}", f"--curve={tmp_path / 'curve.npz'}"),
        ]
    )
    privacy = read_record(record)["privacy"]
    added = privacy["epsilon_rounds_added"]
    parameters = RUN["threshold"], RUN["sigma_threshold"], RUN["sigma"]
    alone = (
        confident.expected_rdp(GRID, VOTES[:3], *parameters).sum(axis=0),
        confident.expected_rdp(GRID, VOTES[3:], *parameters, np.full((3, 3), 1 / 3)).sum(axis=0),
    )
    expected = [epsilon_classic(GRID, costs, delta)[0] for costs, delta in zip(alone, (1e-4, 1e-3), strict=True)]
    assert privacy["epsilon_first_round"].epsilon == pytest.approx(expected[0])
    assert privacy["epsilon_last_round"].epsilon == pytest.approx(expected[1])
    assert (added.epsilon, added.delta) == pytest.approx((sum(expected), 1.1e-3))
    assert privacy["epsilon"].epsilon < added.epsilon and not added.guarantee


def test_teachers_are_measured_on_the_labels_of_the_pool(files):
    found, _ = agreement.measure(files["votes"], TEACHERS_IN_ALL, query_labels(files["data"], files["split"]))
    assert found["queries"] == 6
    assert found["teacher_accuracy"] == pytest.approx(100 * (18 + 6 + 17 + 7 + 18 + 9) / 120)
    assert found["plurality_accuracy"] == pytest.approx(100 * 4 / 6)
    assert found["mean_agreement"] == pytest.approx(100 * VOTES.max(axis=1).mean() / 20)
    shares = [value for name, value in found.items() if name.startswith("agreement_")]
    assert sum(shares) == pytest.approx(100)
    assert found["agreement_30_to_40"] == pytest.approx(100 / 6)


def points(**factors):
    grid = {"threshold": [1.0], "sigma_threshold": [1.0], "sigma": [1.0]} | factors
    return parameter_search.search(RUN, VOTES, TRUTH, grid, GRID)


def test_the_point_of_the_run_itself_costs_what_the_run_is_expected_to():
    (point,) = points()
    expected = confident.expected_rdp(GRID, VOTES, 12, 4.0, 2.0).sum(axis=0)
    assert point["is_the_run"]
    assert point["epsilon"].epsilon == pytest.approx(epsilon_classic(GRID, expected, RUN["delta"])[0])
    assert point["queries_answered"] == pytest.approx(norm.cdf((VOTES.max(axis=1) - 12) / 4.0).sum())


def test_a_point_that_answers_less_than_the_run_has_no_epsilon():
    own, strict = points(threshold=[1.0, 2.0])
    assert own["epsilon"].data_dependent and not own["epsilon"].proved_bound
    assert strict["epsilon"] is None
    assert strict["queries_answered"] < own["queries_answered"]


def test_the_cheapest_point_that_answers_enough_and_well_enough_is_chosen():
    found = points(sigma=[0.5, 1.0, 2.0], threshold=[1.0, 2.0])
    parameter_search.choose(found)
    (chosen,) = [point for point in found if point["chosen"]]
    (own,) = [point for point in found if point["is_the_run"]]
    assert chosen["epsilon"].epsilon <= own["epsilon"].epsilon
    assert chosen["label_accuracy"] >= own["label_accuracy"] - parameter_search.LESS_ACCURATE
