"""The script that runs a mechanism: its record charges every round, and counts the answers of all of them."""

import json

import numpy as np
import pytest

from lib.core.files import load_arrays, save_arrays
from lib.pate.aggregators import spent
from lib.pate.interactive import TEACHERS
from lib.reporting.records import read_record
from pate_accountant.ledger import Ledger
from pate_accountant.ledger_statements import ledger_statements
from pate_accountant.rdp import order_grid
from scripts import aggregate

TEACHERS_VOTING, CLASSES = 20, 3
ACCOUNTING = {"orders": {"linear": [2, 20, 1.0], "logarithmic": [20, 100, 5]}, "moments": 8, "curve_points": 2}
ORDERS = order_grid(**ACCOUNTING["orders"])
CHECK = {"threshold": 6, "sigma_threshold": 5.0, "sigma": 4.0, "delta": 1e-3}
FIRST = {"aggregator": "confident_gnmax", **CHECK, "queries": 12, "max_answered": 4}
SECOND = {"aggregator": "interactive_gnmax", **CHECK, "queries": 10, "first": 12, "max_answered": 5}
SECOND |= {"confidence": 0.9, "first_round": FIRST}


@pytest.fixture
def run(tmp_path):
    """A function that runs the script on a round: labels as they were written, and the record."""
    rng = np.random.default_rng(5)
    votes = rng.multinomial(TEACHERS_VOTING, np.full(CLASSES, 1 / CLASSES), 25)
    save_arrays(tmp_path / "votes.npz", votes=votes, fingerprint=np.array("ab" * 32))
    save_arrays(tmp_path / "scores.npz", probabilities=rng.dirichlet(np.ones(CLASSES), 25))

    def running(block, name, *more):
        told = ["--votes", str(tmp_path / "votes.npz"), "--teachers", str(TEACHERS_VOTING), "--run", json.dumps(block)]
        told += ["--accounting", json.dumps(ACCOUNTING), "--preset", "t", "--dataset", "made", "--seed", "1"]
        told += ["--job", "aggregate", name, "1", "--noise-seed", "3", *more]
        aggregate.main([*told, f"--labels={tmp_path / name}.npz", f"--record={tmp_path / name}.json"])
        return load_arrays(tmp_path / f"{name}.npz"), read_record(tmp_path / f"{name}.json")

    return running, votes, tmp_path


def test_the_first_round_of_an_interactive_run_is_charged_with_it(run):
    running, votes, folder = run
    begun, alone = running(FIRST, "begun")
    options = [f"--scores={folder}/scores.npz", f"--first-round={folder}/begun.npz"]
    found, record = running(SECOND, "whole", *options)
    # the record lists the draws of both rounds, the first round's before
    assert record["ledger"][:2] == alone["ledger"] and len(record["ledger"]) == 4
    second = spent(ORDERS, votes[12 : 12 + len(found["source"])], found["source"], SECOND, _scores(folder, found))
    assert record["ledger"][2:] == second.as_dict()
    # and every statement is of both
    first = spent(ORDERS, votes[: len(begun["source"])], begun["source"], FIRST)
    both = Ledger(ORDERS, [*first.entries, *second.entries])
    for name, statement in ledger_statements(both, 1e-3).items():
        assert record["privacy"][name].epsilon == pytest.approx(statement.epsilon, rel=1e-12)
        assert record["privacy"][name].epsilon > alone["privacy"][name].epsilon
    answered = [int((source == TEACHERS).sum()) for source in (begun["source"], found["source"])]
    assert min(answered) > 0 and record["metrics"]["queries_answered"] == sum(answered)
    assert record["metrics"]["queries_made"] == len(begun["source"]) + len(found["source"])


def _scores(folder, found):
    return load_arrays(folder / "scores.npz")["probabilities"][12 : 12 + len(found["source"])]


def test_a_run_of_one_round_is_charged_what_it_asked(run):
    running, votes, _ = run
    found, record = running(FIRST, "begun")
    ledger = spent(ORDERS, votes[: len(found["source"])], found["source"], FIRST)
    assert record["ledger"] == ledger.as_dict() and record["metrics"]["queries_made"] == len(found["labels"])
    assert [entry["count"] for entry in record["ledger"]] == [len(found["labels"]), 4]


def test_published_labels_are_released_and_charged_as_a_draw(run):
    running, votes, folder = run
    block = {"aggregator": "lnmax", "laplace_scale": 2.0, "labels_laplace_scale": 4.0, "queries": 12, "delta": 1e-3}
    drawn, before = running(block, "drawn")
    labels = (drawn["labels"].max() - np.arange(25)) % CLASSES  # by no draw of these votes
    save_arrays(folder / "votes.npz", votes=votes, fingerprint=np.array("ab" * 32), published_labels=labels)
    found, record = running(block | {"labels": "published"}, "published")
    np.testing.assert_array_equal(found["labels"], labels[:12])
    assert (drawn["labels"] != labels[:12]).any()
    assert record["ledger"] == before["ledger"]
