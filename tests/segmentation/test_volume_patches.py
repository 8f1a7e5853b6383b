"""Patches: where they lie, how they are turned, and that image and mask stay together."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.segmentation.patches import Patches, draw_span, fitting_patch
from lib.segmentation.segmentation_recipes import PatchRecipe


@settings(derandomize=True, deadline=None)
@given(
    patch=st.tuples(*[st.integers(16, 80)] * 3),
    volume=st.tuples(*[st.integers(16, 80)] * 3),
)
def test_a_patch_fits_the_volume_and_the_network(patch, volume):
    try:
        found = fitting_patch(patch, volume)
    except InputError:
        assert all(min(pair) < 32 for pair in zip(patch, volume, strict=True))
        return
    for side, asked, limit in zip(found, patch, volume, strict=True):
        assert side % 16 == 0 and side <= min(asked, limit) < side + 16


@settings(derandomize=True, deadline=None)
@given(
    patch=st.tuples(*[st.integers(1, 4)] * 3),
    more=st.tuples(*[st.integers(0, 4)] * 3),
    voxels=st.integers(0, 3),
    seed=st.integers(0, 99),
)
def test_spans_lie_inside_and_hold_a_voxel_of_the_foreground(patch, more, voxels, seed):
    volume, rng = tuple(np.add(patch, more)), np.random.default_rng(seed)
    foreground = np.zeros(volume, bool)
    foreground.flat[rng.integers(foreground.size, size=voxels)] = True
    for near in (None, foreground):
        span = draw_span(rng, patch, volume, near)
        for part, side, limit in zip(span, patch, volume, strict=True):
            assert 0 <= part.start and part.stop == part.start + side <= limit
    assert foreground[span].any() == bool(voxels)


def test_every_place_has_the_same_chance():
    rng = np.random.default_rng(0)
    spans = (draw_span(rng, (2, 3, 4), (3, 5, 4), None) for _ in range(6000))
    starts = Counter((first.start, second.start) for first, second, _ in spans)
    assert set(starts) == {(a, b) for a in range(2) for b in range(3)}
    assert max(abs(count - 1000) for count in starts.values()) < 5 * 1000**0.5


def volumes():
    rng = np.random.default_rng(1)
    labels = np.zeros((3, 40, 36, 20), np.uint8)
    labels[:, 30:33, 2:5, 3] = 2
    images = rng.random((3, 2, *labels.shape[1:])).astype(np.float32)
    images[:, 0] = labels  # so that image and mask can be compared
    return images, labels


@pytest.mark.parametrize("augmented", [0.0, 1.0])
def test_image_and_mask_stay_together(augmented):
    images, labels = volumes()
    patches = Patches(images, labels, 2, 3, PatchRecipe(patch=(32, 32, 16), foreground=1.0, augmented=augmented))
    drawn, masks = patches.draw([np.random.default_rng(k) for k in range(3)], np.array([2, 0, 1]))
    assert drawn.shape == (3, 2, 32, 32, 16) and masks.shape == (3, 3, 32, 32, 16)
    assert drawn.dtype == masks.dtype == np.float32 and (masks.sum(1) == 1).all()
    np.testing.assert_array_equal(masks.argmax(1), drawn[:, 0])
    if not augmented:  # the voxels of each patch are those of its own volume
        assert all(np.isin(drawn[k, 1], images[row, 1]).all() for k, row in enumerate((2, 0, 1)))


def test_patches_around_the_foreground_come_as_often_as_asked():
    """A patch that lies anywhere holds this foreground seldom."""
    labels = np.zeros((1, 96, 96, 96), np.uint8)
    labels[0, 0, 0, 0] = 1
    patches = Patches(
        labels[:, None].astype(np.float16),
        labels,
        1,
        1,
        PatchRecipe(patch=(32, 16, 16), foreground=0.25, augmented=0.0),
    )
    masks = [patches.draw([np.random.default_rng(k)], np.array([0]))[1].any() for k in range(400)]
    assert np.mean(masks) == pytest.approx(0.25, abs=5 * (0.25 * 0.75 / 400) ** 0.5)


def test_a_sample_depends_on_its_own_generator_alone():
    images, labels = volumes()
    patches = Patches(images, labels, 2, 3, PatchRecipe(patch=(32, 32, 16), foreground=0.5))
    together = patches.draw([np.random.default_rng(k) for k in range(3)], np.arange(3))
    alone = patches.draw([np.random.default_rng(2)], np.array([2]))
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_array_equal(one[2:], other)


def test_shares_are_those_of_the_rows():
    images, labels = volumes()
    labels[2] = 1
    found = Patches(images, labels, 2, 3, PatchRecipe(patch=(32, 32, 16))).shares(np.array([0, 2]))
    rare = (labels[0] == 2).mean()
    np.testing.assert_allclose(found, [(1 - rare) / 2, 0.5, rare / 2])
