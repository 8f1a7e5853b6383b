"""Ensemble, mean mask and teachers' average on masks whose scores are known."""

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.segmentation.baselines import for_everyone, mean_of_masks, teachers_average
from lib.segmentation.dice import CLASSES, TUMOUR, dice, hard_labels


def test_an_ensemble_can_be_better_than_each_of_its_teachers():
    """Three teachers, each wrong about another third of the voxels."""
    true = np.ones((1, 3, 1, 1), np.uint8)
    masks = [1 - np.eye(3, dtype=np.float32)[k].reshape(1, 1, 3, 1, 1) for k in range(3)]
    ensemble = mean_of_masks(iter(masks))
    assert ensemble.dtype == np.float32
    np.testing.assert_allclose(ensemble, np.full((1, 1, 3, 1, 1), 2 / 3), rtol=1e-6)
    assert dice(hard_labels(ensemble), true, TUMOUR, "one").mean() == 1.0
    average = teachers_average(dice(hard_labels(mask), true, TUMOUR, "one") for mask in masks)
    assert average == pytest.approx({"tumour": 0.8, "mean": 0.8})


def test_the_mean_mask_is_everybodys_prediction():
    masks = np.random.default_rng(1).random((7, 2, 3, 3, 3), np.float32)
    mean = mean_of_masks(masks)
    np.testing.assert_allclose(mean, masks.mean(axis=0, dtype=np.float64), rtol=1e-6)
    everyone = for_everyone(mean, 4)
    assert everyone.shape == (4, 2, 3, 3, 3)
    assert everyone.base is not None
    np.testing.assert_array_equal(hard_labels(everyone)[3], hard_labels(mean[None])[0])


def test_teachers_without_a_region_do_not_count_in_its_average():
    labels = np.array([1, 1, 2, 2, 0, 0, 0, 0], np.uint8).reshape(1, 2, 2, 2)
    oedema = (labels == 1).astype(np.uint8)
    scores = [dice(labels, labels, CLASSES, "skip"), dice(labels, oedema, CLASSES, "skip")]
    average = teachers_average(scores)
    assert average == {"oedema": 1.0, "non_enhancing": 1.0, "enhancing": None, "mean": 1.0}


@pytest.mark.parametrize(
    ("masks", "name"), [([], "none"), ([np.zeros((1, 2)), np.zeros((1, 3))], "mask 2: shape \\(1, 3\\)")]
)
def test_masks_that_have_no_mean_are_refused(masks, name):
    with pytest.raises(InputError, match=name):
        mean_of_masks(masks)


def test_no_teachers_have_no_average():
    with pytest.raises(InputError, match="teachers"):
        teachers_average([])
