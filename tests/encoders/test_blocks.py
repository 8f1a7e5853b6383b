"""Volumes in blocks and back."""

import numpy as np
import pytest

from lib.encoders.blocks import Blocks


@pytest.mark.parametrize(
    "shape, size", [((1, 6, 4, 5), (3, 2, 4)), ((3, 4, 4, 4), (4, 4, 4)), ((2, 5, 7, 3), (2, 3, 2))]
)
def test_split_and_joined_is_the_same(shape, size):
    blocks = Blocks(shape, size)
    y = np.random.default_rng(0).random((4, *shape), np.float32)
    parts = blocks.split(y)
    assert parts.shape == (4, blocks.count, blocks.dimension) and parts.dtype == y.dtype
    assert (blocks.join(parts) == y).all()
    np.testing.assert_allclose(parts.sum(dtype=float), y.sum(dtype=float))  # padded with zeros


def test_a_block_is_a_place_of_the_volume():
    y = np.arange(2 * 4 * 6 * 4).reshape(1, 2, 4, 6, 4)
    blocks = Blocks((2, 4, 6, 4), (2, 3, 4))
    assert blocks.count == 4
    assert (blocks.split(y)[0, 3].reshape(2, 2, 3, 4) == y[0, :, 2:, 3:]).all()


def test_the_papers_volume():
    blocks = Blocks((1, 240, 240, 155), (24, 24, 16))
    assert (blocks.count, blocks.dimension) == (1000, 9216)


@pytest.mark.parametrize("shape, size", [((4, 4, 4), (2, 2, 2)), ((1, 4, 4, 4), (2, 2)), ((1, 4, 4, 4), (2, 0, 2))])
def test_what_is_no_volume_or_block(shape, size):
    with pytest.raises(ValueError, match="allowed are"):
        Blocks(shape, size)
