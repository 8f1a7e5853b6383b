"""Turns of patches and movements of masks: what they are, and that they are keyed by one generator."""

from collections import Counter

import numpy as np
import pytest
import torch

from lib.segmentation.augmentation import moved, turned


@pytest.mark.slow
def test_turns_are_rotations_and_mirrors_of_all_arrays_alike():
    rng = np.random.default_rng(0)
    first = np.arange(32, dtype=np.float32).reshape(1, 4, 4, 2)
    second = np.concatenate([first, -first])
    allowed = [np.rot90(first, k, (1, 2)) for k in (1, 2, 3)] + [np.flip(first, axis) for axis in (1, 2, 3)]
    counts = Counter()
    for _ in range(1200):
        one, two = turned(rng, 0.5, [first, second])
        np.testing.assert_array_equal(two, np.concatenate([one, -one]))
        counts[next((k for k, kind in enumerate(allowed) if np.array_equal(kind, one)), None)] += 1
        assert np.array_equal(one, first) or any(np.array_equal(kind, one) for kind in allowed)
    assert abs(counts.pop(None) - 600) < 5 * 300**0.5
    assert set(counts) == set(range(6)) and max(abs(count - 100) for count in counts.values()) < 50
    oblong = np.arange(24, dtype=np.float32).reshape(1, 4, 3, 2)
    assert {turned(rng, 1.0, [oblong])[0].shape for _ in range(50)} == {oblong.shape}


def test_a_turn_depends_on_its_generator_alone():
    patch = np.random.default_rng(0).random((1, 4, 4, 2), np.float32)
    alone = turned(np.random.default_rng(5), 1.0, [patch])[0]
    turned(np.random.default_rng(6), 1.0, [patch])
    np.testing.assert_array_equal(turned(np.random.default_rng(5), 1.0, [patch])[0], alone)


@pytest.mark.parametrize("sides", [(24, 24, 16), (24, 24)])
def test_a_moved_mask_is_a_mask_of_another_shape_and_place(sides):
    mask = torch.zeros(2, *sides)
    mask[1, 8:16, 8:14] = 1
    mask[0] = 1 - mask[1]
    found = [moved(np.random.default_rng(seed), mask) for seed in (1, 2, 1)]
    for each in found:
        assert each.shape == mask.shape and each.dtype == mask.dtype and type(each) is torch.Tensor
        assert each.min() >= 0 and each.max() <= 1
        torch.testing.assert_close(each.sum(0), torch.ones(sides), atol=1e-5, rtol=0)
        assert 0.3 < each[1].sum() / mask[1].sum() < 2
    torch.testing.assert_close(found[0], found[2], atol=0, rtol=0)
    assert not torch.equal(found[0], found[1]) and not torch.equal(found[0], mask)
