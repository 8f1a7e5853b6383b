"""Ensemble and mean mask on masks whose scores are known."""

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.segmentation.baselines import for_everyone, mean_of_masks
from lib.segmentation.dice import TUMOUR, dice, hard_labels


def test_an_ensemble_can_be_better_than_each_of_its_teachers():
    """Three teachers, each wrong about another third of the voxels."""
    true = np.ones((1, 3, 1, 1), np.uint8)
    masks = [1 - np.eye(3, dtype=np.float32)[k].reshape(1, 1, 3, 1, 1) for k in range(3)]
    ensemble = mean_of_masks(iter(masks))
    assert ensemble.dtype == np.float32
    np.testing.assert_allclose(ensemble, np.full((1, 1, 3, 1, 1), 2 / 3), rtol=1e-6)
    assert dice(hard_labels(ensemble), true, TUMOUR, "one").mean() == 1.0
    alone = [dice(hard_labels(mask), true, TUMOUR, "one").mean() for mask in masks]
    assert alone == pytest.approx([0.8] * 3)


def test_the_mean_mask_is_everybodys_prediction():
    masks = np.random.default_rng(1).random((7, 2, 3, 3, 3), np.float32)
    mean = mean_of_masks(masks)
    np.testing.assert_allclose(mean, masks.mean(axis=0, dtype=np.float64), rtol=1e-6)
    everyone = for_everyone(mean, 4)
    assert everyone.shape == (4, 2, 3, 3, 3)
    assert everyone.base is not None
    np.testing.assert_array_equal(hard_labels(everyone)[3], hard_labels(mean[None])[0])


@pytest.mark.parametrize(
    ("masks", "name"), [([], "none"), ([np.zeros((1, 2)), np.zeros((1, 3))], "mask 2: shape \\(1, 3\\)")]
)
def test_masks_that_have_no_mean_are_refused(masks, name):
    with pytest.raises(InputError, match=name):
        mean_of_masks(masks)
