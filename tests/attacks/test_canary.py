"""Data sets that differ by a canary."""

import numpy as np
import pytest

from lib.attacks.canary import draw_slots, neighbours
from lib.core.errors import InputError

X = np.random.default_rng(0).integers(0, 256, (40, 6, 6, 3), dtype=np.uint8)
Y = np.arange(40) % 3


def test_the_neighbours_differ_by_the_canary():
    pair = neighbours(X, Y, 12, 4, 1, ("audit",))
    assert pair.x.shape == (13, 6, 6, 3) and pair.x.dtype == np.uint8
    np.testing.assert_array_equal(pair.rows(True), np.arange(13))
    np.testing.assert_array_equal(pair.rows(False), np.arange(12))
    found = [int(np.flatnonzero((image == X).all(axis=(1, 2, 3)))[0]) for image in pair.x[:-1]]
    assert len(set(found)) == 12
    np.testing.assert_array_equal(pair.y[:-1], Y[found])
    assert pair.y[-1] == 3  # the class of none of them


def test_the_draw_is_keyed():
    same, other = (neighbours(X, Y, 12, 3, seed, ("audit",)) for seed in (1, 2))
    np.testing.assert_array_equal(neighbours(X, Y, 12, 3, 1, ("audit",)).x, same.x)
    assert (same.x[-1] != other.x[-1]).any()
    assert not (same.x[-1] == X).all(axis=(1, 2, 3)).any()


@pytest.mark.parametrize(
    ("x", "count", "classes", "named"),
    [
        (X, 41, 3, "samples 41"),
        (X, 0, 3, "samples 0"),
        (X, 12, 2, "allowed are 0 to 1"),
        (X / 255, 12, 3, "uint8"),
    ],
)
def test_what_does_not_fit_is_refused(x, count, classes, named):
    with pytest.raises(InputError, match=named):
        neighbours(x, Y, count, classes, 1, ("audit",))


def test_sets_of_slots_differ_by_the_candidates_that_coins_choose():
    slots = draw_slots(X, Y, 20, 8, 3, 1, ("audit",))
    assert slots.x.shape == (28, 6, 6, 3) and slots.canaries == 8
    found = [int(np.flatnonzero((image == X).all(axis=(1, 2, 3)))[0]) for image in slots.x]
    assert len(set(found)) == 28  # nobody is a candidate twice, or a candidate and in every set
    assert (slots.y[:16] != Y[found[:16]]).all() and set(slots.y[:16]) <= {0, 1, 2}
    np.testing.assert_array_equal(slots.y[16:], Y[found[16:]])
    second = np.arange(8) % 2 == 1
    rows = slots.rows(second)
    assert len(rows) == 20 and list(rows[:8]) == [0, 3, 4, 7, 8, 11, 12, 15]
    flipped = slots.rows(~second)
    assert (rows[:8] != flipped[:8]).all() and (rows[8:] == flipped[8:]).all()


def test_wrong_labels_are_uniform_over_the_other_classes():
    y = np.zeros(3000, int)
    slots = draw_slots(np.zeros((3000, 2, 2), np.uint8), y, 1500, 1500, 4, 1, ("audit",))
    counts = np.bincount(slots.y, minlength=4)
    assert counts[0] == 0 and abs(counts[1:] - 1000).max() < 100


@pytest.mark.parametrize(
    ("count", "canaries", "named"), [(10, 11, "canaries 11"), (10, 0, "canaries 0"), (30, 11, "allowed are 40 in all")]
)
def test_slots_that_do_not_fit_are_refused(count, canaries, named):
    with pytest.raises(InputError, match=named):
        draw_slots(X, Y, count, canaries, 3, 1, ("audit",))
