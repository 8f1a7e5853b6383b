"""Teachers of a world: who owns what, and what one record that is replaced can change."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.leaderboard.votes import owners, teacher_votes
from lib.training.context import Context
from tests.leaderboard.builders import CLASSIFIER, SLOTS, TEACHERS, worlds

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]
CPU = torch.device("cpu")
NETWORK = {"kind": "mlp", "hidden": [8], "together": 4, "recipe": {"steps": 20, "batch": 10, "rate": 0.01}}


def votes(x, y, model=CLASSIFIER, teachers=TEACHERS, seed=1):
    return teacher_votes(x, y, teachers, model, worlds()[1].x, 10, Context(seed, ("votes",), CPU))


@given(st.integers(1, 300), st.integers(1, 300))
@settings(derandomize=True, deadline=None)
def test_slots_are_dealt_evenly_and_in_turn(records, teachers):
    if teachers > records:
        with pytest.raises(InputError, match="teachers"):
            owners(records, teachers)
        return
    sizes = np.bincount(owners(records, teachers), minlength=teachers)
    assert sizes.sum() == records and sizes.max() - sizes.min() <= 1
    # the first slots, where the canaries are, are spread over as many teachers as there can be
    assert len(np.unique(owners(records, teachers)[:teachers])) == teachers


@pytest.mark.parametrize("model", [CLASSIFIER, NETWORK, {"kind": "random_forest", "trees": 5}], ids=lambda m: m["kind"])
def test_one_record_replaced_changes_one_teacher(model, monkeypatch):
    """All its answers may change; no other teacher's does."""
    seen = []
    counted = "lib.leaderboard.votes.count_votes"
    monkeypatch.setattr(counted, lambda labels, classes: seen.append(np.asarray(labels)) or labels)
    private, _ = worlds()
    for w in (0, 1):
        votes(*private.world(w), model)
    changed = (seen[0] != seen[1]).any(0)
    assert set(np.flatnonzero(changed)) <= {owners(SLOTS, TEACHERS)[7]}
    assert seen[0].shape == (150, TEACHERS)


@pytest.mark.parametrize("model", [CLASSIFIER, NETWORK], ids=lambda m: m["kind"])
def test_histograms_of_neighbours_differ_by_one_vote_a_query(model):
    private, _ = worlds()
    one, other = (votes(*private.world(w), model) for w in (0, 1))
    assert (one.sum(1) == TEACHERS).all() and one.shape == (150, 10)
    difference = np.abs(one - other)
    assert difference.max() <= 1 and difference.sum(1).max() <= 2
    np.testing.assert_array_equal(one, votes(*private.world(0), model))


def test_votes_are_those_of_parts_trained_alone():
    """The record that is replaced does matter to its teacher: a label far from the others' changes its votes."""
    private, _ = worlds()
    x, y = private.world(0)
    changed = y.copy()
    own = owners(SLOTS, TEACHERS) == 3
    changed[own] = (y[own] + 1) % 10
    difference = votes(x, changed) - votes(x, y)
    assert np.abs(difference).sum(1).max() == 2 and np.abs(difference).sum() > 100


def test_teachers_know_more_than_chance():
    private, public = worlds()
    assert (votes(*private.world(0)).argmax(1) == public.y).mean() > 0.7


def test_a_teacher_of_one_class_votes_for_it():
    x = np.zeros((4, 8, 8), np.uint8)
    found = teacher_votes(x, np.array([3, 5, 3, 5]), 2, CLASSIFIER, x, 10, Context(1, ("votes",), CPU))
    assert (found[:, [3, 5]] == 1).all() and found.sum() == 8
