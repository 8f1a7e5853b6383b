"""PCA as an encoder: what comes back, and the bound on the code of a whole volume."""

import math

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.encoders.blocks import Blocks
from lib.encoders.bound import checked_code
from lib.encoders.pca import PcaEncoder
from lib.encoders.principal_components import fit_blocks, fit_volumes
from tests.encoders.test_principal_components import BLOCKS, masks

Y = masks(30)
PCA = fit_blocks([Y], BLOCKS)
D = math.prod(BLOCKS.shape)


@pytest.mark.parametrize("radius", ["cube", 50.0])
def test_all_components_lose_nothing(radius):
    encoder = PcaEncoder(PCA, BLOCKS, BLOCKS.dimension, radius)
    z = checked_code(encoder.encode(Y), encoder.radius)
    assert z.shape == (30, encoder.latent_dim) == (30, BLOCKS.count * BLOCKS.dimension)
    np.testing.assert_allclose(encoder.decode(z), Y, atol=1e-5)


@pytest.mark.parametrize("radius", ["cube", 50.0])
@pytest.mark.parametrize("components", [0, 1, 6])
def test_some_components_give_the_projection(components, radius):
    encoder = PcaEncoder(PCA, BLOCKS, components, radius)
    rows = BLOCKS.split(Y).astype(float)
    a = PCA.components[:components].astype(float)
    expected = BLOCKS.join((rows - PCA.mean) @ a.T @ a + PCA.mean).clip(0, 1)
    np.testing.assert_allclose(encoder.decode(encoder.encode(Y)), expected, atol=1e-5)


def test_the_cubes_bound_holds_at_corners_and_is_attained():
    """With all components the map is a rotation, so that opposite corners are 2 radius apart, padding or not."""
    encoder = PcaEncoder(PCA, BLOCKS, BLOCKS.dimension)
    assert encoder.radius == math.sqrt(D) / 2
    rng = np.random.default_rng(0)
    corners = (rng.random((50, *BLOCKS.shape)) > 0.5).astype(np.float32)
    z, opposite = encoder.encode(corners).astype(float), encoder.encode(1 - corners).astype(float)
    distances = np.linalg.norm(z - opposite, axis=1)
    assert (distances <= 2 * encoder.radius).all()
    np.testing.assert_allclose(distances, math.sqrt(D), rtol=1e-6)
    with pytest.raises(InputError, match="above the bound"):
        checked_code(z, encoder.radius / 2)


def test_the_whole_code_of_a_volume_is_clipped_not_each_block():
    encoder = PcaEncoder(PCA, BLOCKS, 4, 0.5)
    z = checked_code(encoder.encode(Y), 0.5).astype(float)
    norms = np.linalg.norm(z, axis=1)
    assert (norms <= 0.5).all() and norms.max() == pytest.approx(0.5, rel=1e-6)
    free = PcaEncoder(PCA, BLOCKS, 4, 1e6).encode(Y).astype(float)
    np.testing.assert_allclose(
        z, free * np.minimum(1, 0.5 / np.linalg.norm(free, axis=1, keepdims=True)), rtol=1e-4, atol=1e-6
    )


def test_whole_volumes():
    whole = Blocks(BLOCKS.shape, BLOCKS.shape[1:])
    encoder = PcaEncoder(fit_volumes(Y), whole, 29)
    assert encoder.latent_dim == 29
    np.testing.assert_allclose(encoder.decode(encoder.encode(Y)), Y, atol=1e-4)


def test_noisy_codes_come_back_within_the_cube():
    found = PcaEncoder(PCA, BLOCKS, 3).decode(np.random.default_rng(0).standard_normal((5, 3 * BLOCKS.count)) * 9)
    assert found.shape == (5, *BLOCKS.shape) and found.dtype == np.float32
    assert found.min() == 0 and found.max() == 1


def test_bad_input():
    with pytest.raises(InputError, match="19 components"):
        PcaEncoder(PCA, BLOCKS, 19)
    with pytest.raises(InputError, match="blocks of 12 numbers"):
        PcaEncoder(PCA, Blocks(BLOCKS.shape, (3, 2, 2)), 2)
    with pytest.raises(InputError, match="radius 'ball'"):
        PcaEncoder(PCA, BLOCKS, 2, "ball")
    encoder = PcaEncoder(PCA, BLOCKS, 2)
    with pytest.raises(InputError, match=r"masks from 0.0 to 2.0"):
        encoder.encode(Y * 2)
    with pytest.raises(InputError, match="codes of shape"):
        encoder.decode(np.zeros((2, 3)))
