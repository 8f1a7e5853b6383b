"""The naive approach: lossless about the centre of the cube, bounded by clipping about 0."""

import math

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.encoders.bound import checked_code
from lib.encoders.identity import IdentityEncoder

SHAPE = (2, 3, 4, 5)
Y = np.random.default_rng(0).random((6, *SHAPE), np.float32)
BINARY = (1, 4, 5, 6)


def test_about_the_centre_nothing_is_lost():
    encoder = IdentityEncoder(SHAPE)
    assert encoder.latent_dim == 120 and encoder.radius == math.sqrt(120) / 2
    corners = np.stack([Y[:, 0] > 0.5, Y[:, 0] <= 0.5], axis=1).astype(np.float32)
    for y in (Y / Y.sum(axis=1, keepdims=True), corners):
        z = checked_code(encoder.encode(y), encoder.radius)
        np.testing.assert_allclose(encoder.decode(z), y, atol=1e-6)
    encoder = IdentityEncoder(BINARY)
    for y in (Y.reshape(6, *BINARY), np.zeros((1, *BINARY), np.float32), np.ones((1, *BINARY), np.float32)):
        np.testing.assert_allclose(encoder.decode(encoder.encode(y)), y, atol=1e-6)


def test_several_classes_come_back_as_probabilities():
    """Scaled to sum to 1; all alike where every class is 0."""
    codes = np.random.default_rng(2).standard_normal((3, 120)).astype(np.float32)
    found = IdentityEncoder(SHAPE).decode(codes)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-6)
    raw = np.clip(codes.reshape(3, *SHAPE) + 0.5, 0, 1)
    total = raw.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, np.where(total > 0, raw / np.where(total > 0, total, 1), 0.5), atol=1e-6)
    assert (total == 0).any()


def test_the_bound_is_attained_and_half_of_it_fails():
    encoder = IdentityEncoder(SHAPE)
    z = encoder.encode(np.stack([np.zeros(SHAPE), np.ones(SHAPE)]))
    assert np.linalg.norm(z[1].astype(float) - z[0]) == pytest.approx(2 * encoder.radius, rel=1e-6)
    with pytest.raises(InputError, match="above the bound"):
        checked_code(z, encoder.radius / 2)


def test_about_zero_small_masks_survive_and_large_ones_fade():
    encoder = IdentityEncoder(BINARY, radius=2.0)
    small, large = np.zeros(BINARY, np.float32), np.zeros(BINARY, np.float32)
    small[0, 0, 0, :3] = 1
    large[0, :, :3, 1] = 1
    z = checked_code(encoder.encode(np.stack([small, large])), 2.0)
    found = encoder.decode(z)
    assert (found[0] == small).all()
    np.testing.assert_allclose(found[1], large * 2 / math.sqrt(12), rtol=1e-6)


def test_noisy_codes_come_back_within_the_cube():
    found = IdentityEncoder(SHAPE).decode(np.random.default_rng(1).standard_normal((3, 120)) * 5)
    assert found.shape == (3, *SHAPE) and found.dtype == np.float32
    assert found.min() == 0 and found.max() == 1


@pytest.mark.parametrize("y", [Y[:, :1], Y[0], Y + 1, Y - 1, np.where(Y > 0.9, np.nan, Y)])
def test_masks_that_do_not_fit(y):
    with pytest.raises(InputError, match="masks"):
        IdentityEncoder(SHAPE).encode(y)


def test_codes_that_do_not_fit():
    with pytest.raises(InputError, match="codes of shape"):
        IdentityEncoder(SHAPE).decode(np.zeros((2, 119)))
