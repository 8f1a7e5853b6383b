"""Dice on volumes made by hand, both conventions for absent regions, and MONAI's numbers where it has the same."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from monai.metrics import DiceMetric

from lib.core.errors import InputError
from lib.segmentation.dice import CLASSES, NESTED, THRESHOLDS, TUMOUR, best_threshold, dice, hard_labels

FIXED = settings(derandomize=True, deadline=None, max_examples=60)


def volume(*labels):
    """One subject of 2 x 2 x 2 voxels."""
    return np.array(labels, np.uint8).reshape(1, 2, 2, 2)


TRUE = volume(0, 0, 1, 1, 1, 2, 2, 0)
GUESS = volume(0, 1, 1, 1, 0, 2, 3, 0)


# ---------------------------------------------------------------- scores


def test_scores_by_class_made_by_hand():
    scores = dice(GUESS, TRUE, CLASSES, "one")
    # oedema: 3 and 3 voxels, 2 shared; non-enhancing: 1 and 2, 1 shared; enhancing: 1 predicted and none true
    assert scores.by_region() == pytest.approx({"oedema": 4 / 6, "non_enhancing": 2 / 3, "enhancing": 0.0})
    assert scores.mean() == pytest.approx(4 / 9)
    skipped = dice(GUESS, TRUE, CLASSES, "skip")
    assert skipped.by_region() == {
        "oedema": pytest.approx(2 / 3),
        "non_enhancing": pytest.approx(2 / 3),
        "enhancing": None,
    }
    assert skipped.mean() == pytest.approx(2 / 3)
    assert skipped.counts()["enhancing"] == {"counted": 0, "absent": 1, "absent_but_predicted": 1}
    assert scores.counts()["enhancing"] == {"counted": 1, "absent": 1, "absent_but_predicted": 1}


def test_regions_of_several_labels():
    whole = dice(GUESS, TRUE, TUMOUR, "one").by_region()
    assert whole == {"tumour": pytest.approx(2 * 4 / (5 + 5))}
    nested = dice(GUESS, TRUE, NESTED, "one").by_region()
    assert nested == pytest.approx({"whole": 0.8, "core": 1.0, "enhancing": 0.0})
    # a binary prediction has the label 1 only
    assert dice((GUESS > 0).astype(np.uint8), TRUE, TUMOUR, "one").by_region() == whole


@pytest.mark.parametrize(
    ("predicted", "true", "one", "skip"),
    [(0, 0, 1.0, math.nan), (1, 0, 0.0, math.nan), (0, 1, 0.0, 0.0), (1, 1, 1.0, 1.0)],
)
def test_conventions_for_absent_regions(predicted, true, one, skip):
    pair = [volume(value, *[0] * 7) for value in (predicted, true)]
    assert dice(*pair, {"one": (1,)}, "one").values.item() == one
    np.testing.assert_equal(dice(*pair, {"one": (1,)}, "skip").values.item(), skip)


def test_subjects_count_alike_whatever_their_size():
    """Scored one by one, then averaged: not by voxels of all subjects together."""
    predicted = np.concatenate([volume(1, 1, 1, 1, 1, 1, 1, 1), volume(0, 0, 0, 0, 0, 0, 0, 0)])
    true = np.concatenate([volume(1, 1, 1, 1, 1, 1, 1, 1), volume(1, 0, 0, 0, 0, 0, 0, 0)])
    scores = dice(predicted, true, {"one": (1,)}, "one")
    np.testing.assert_array_equal(scores.values, [[1.0], [0.0]])
    assert scores.mean() == 0.5
    np.testing.assert_array_equal(scores.predicted, [[8], [0]])
    np.testing.assert_array_equal(scores.true, [[8], [1]])


def test_the_mean_over_regions_leaves_out_those_that_nobody_has():
    predicted, true = np.concatenate([GUESS, GUESS]), np.concatenate([TRUE, volume(*[0] * 8)])
    scores = dice(predicted, true, CLASSES, "skip")
    assert scores.counts()["oedema"] == {"counted": 1, "absent": 1, "absent_but_predicted": 1}
    assert scores.mean() == pytest.approx(2 / 3)
    nobody = dice(GUESS, volume(*[0] * 8), CLASSES, "skip")
    assert nobody.mean() is None
    assert set(nobody.by_region().values()) == {None}


@given(st.integers(0, 2**32), st.sampled_from([0.05, 0.4, 0.9]))
@FIXED
def test_monai_agrees_in_both_conventions(seed, share):
    rng = np.random.default_rng(seed)
    chances = [1 - share, *[share / 3] * 3]
    predicted, true = (rng.choice(4, size=(3, 3, 4, 2), p=chances).astype(np.uint8) for _ in range(2))
    hot = [torch.nn.functional.one_hot(torch.from_numpy(a).long(), 4).movedim(-1, 1) for a in (predicted, true)]
    for convention, ignored in (("one", False), ("skip", True)):
        theirs = DiceMetric(include_background=False, reduction="none", ignore_empty=ignored)(*hot).numpy()
        ours = dice(predicted, true, CLASSES, convention).values
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@given(st.integers(0, 2**32))
@FIXED
def test_scores_lie_between_0_and_1_whichever_side_is_true(seed):
    predicted, true = np.random.default_rng(seed).integers(0, 4, (2, 2, 3, 3, 3)).astype(np.uint8)
    scores = dice(predicted, true, CLASSES, "one").values
    np.testing.assert_array_equal(scores, dice(true, predicted, CLASSES, "one").values)
    assert ((scores >= 0) & (scores <= 1)).all()
    np.testing.assert_array_equal(dice(true, true, CLASSES, "one").values, np.ones((2, 3)))


# ---------------------------------------------------------------- hard labels


def test_one_channel_is_cut_at_its_threshold():
    y = np.array([0.0, 0.49, 0.5, 1.0, 0.2, 0.8, 0.5, 0.3], np.float32).reshape(1, 1, 2, 2, 2)
    np.testing.assert_array_equal(hard_labels(y), volume(0, 0, 1, 1, 0, 1, 1, 0))
    np.testing.assert_array_equal(hard_labels(y, 0.8), volume(0, 0, 0, 1, 0, 1, 0, 0) * (y[:, 0] >= 0.8))
    assert hard_labels(y).dtype == np.uint8


def test_of_several_channels_the_most_probable_wins_and_background_a_tie():
    y = np.zeros((1, 3, 1, 1, 4), np.float32)
    y[0, :, 0, 0, 0] = 0.2, 0.5, 0.3
    y[0, :, 0, 0, 1] = 0.4, 0.4, 0.2
    y[0, :, 0, 0, 2] = 0.1, 0.3, 0.6
    y[0, :, 0, 0, 3] = 0.4, 0.3, 0.3
    np.testing.assert_array_equal(hard_labels(y).ravel(), [1, 0, 2, 0])
    assert hard_labels(y).shape == (1, 1, 1, 4)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("shape", [(1, 2, 2, 2), (1, 0, 2, 2, 2)])
def test_soft_masks_of_another_shape_are_refused(shape):
    with pytest.raises(InputError, match="shape"):
        hard_labels(np.zeros(shape, np.float32))


def test_soft_masks_that_are_not_finite_are_refused():
    with pytest.raises(InputError, match="finite"):
        hard_labels(np.full((1, 1, 2, 2, 2), np.nan, np.float32))


@pytest.mark.parametrize(
    ("predicted", "true", "regions", "convention", "name"),
    [
        (GUESS, TRUE[:, :1], CLASSES, "one", "shapes"),
        (GUESS[0], TRUE[0], CLASSES, "one", "shapes"),
        (GUESS, TRUE, {}, "one", "regions"),
        (GUESS, TRUE, {"none": ()}, "one", "regions"),
        (GUESS, TRUE, CLASSES, "zero", "convention"),
    ],
)
def test_what_does_not_fit_is_refused(predicted, true, regions, convention, name):
    with pytest.raises(InputError, match=name):
        dice(predicted, true, regions, convention)


# ---------------------------------------------------------------- the best threshold


@pytest.mark.parametrize("classes", [1, 3])
@pytest.mark.parametrize("grid", [THRESHOLDS, [k / 100 for k in range(1, 101)]])
@pytest.mark.parametrize("same", [False, True])
def test_the_best_threshold_against_every_one_tried_by_hand(classes, grid, same):
    """same: one mask for all subjects."""
    rng = np.random.default_rng(classes)
    true = rng.integers(0, classes + 1, (5, 4, 3, 6)).astype(np.uint8)
    true[0][true[0] == classes] = 0  # a class that a subject does not have
    masks = rng.dirichlet(np.ones(classes + 1), (1 if same else 5, 4, 3, 6)).transpose(0, 4, 1, 2, 3)
    masks = (masks[:, 1:] if classes == 1 else masks).astype(np.float32)
    masks = np.broadcast_to(masks, (5, *masks.shape[1:]))
    for regions in (TUMOUR, {str(label): (label,) for label in range(1, classes + 1)}):
        found = [dice(hard_labels(masks, limit), true, regions, "skip").mean() for limit in grid]
        threshold, score = best_threshold(iter(masks), iter(true), regions, grid)
        assert threshold == grid[int(np.argmax(found))]
        assert score == pytest.approx(max(found))


def test_of_equal_thresholds_the_first_is_best():
    masks, true = np.full((2, 1, 2, 2, 2), 0.35, np.float32), np.ones((2, 2, 2, 2), np.uint8)
    assert best_threshold(masks, true) == (0.3, 1.0)
    assert best_threshold(masks, true, grid=(0.1, 0.2, 0.3)) == (0.1, 1.0)


def test_no_threshold_is_best_where_nobody_has_a_tumour():
    with pytest.raises(InputError, match="no subject"):
        best_threshold(np.zeros((2, 1, 2, 2, 2)), np.zeros((2, 2, 2, 2), np.uint8))
