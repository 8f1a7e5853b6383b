"""Errors of reconstructions under noise: against formulas, and the naive approach at its best."""

import math
from functools import partial

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.encoders.blocks import Blocks
from lib.encoders.component_choice import pca_error
from lib.encoders.identity import IdentityEncoder
from lib.encoders.pca import PcaEncoder
from lib.encoders.principal_components import fit_volumes
from lib.encoders.reconstruction import (
    checked_spread,
    cross_entropy,
    errors_over_noise,
    mean_squared_error,
    noisy_reconstruction,
    posterior_reconstruction,
    spread_of_codes,
)

SHAPE = (1, 8, 9, 10)
RNG = np.random.default_rng(0)
Y = (RNG.random((6, *SHAPE)) > 0.9).astype(np.float32)
SIGMAS = (0.0, 0.1, 0.5, 2.0)


class Raw:
    """An encoder that clips nothing, so that the formulas hold exactly."""

    latent_dim, radius = math.prod(SHAPE), math.inf

    def encode(self, y):
        return y.reshape(len(y), -1)

    def decode(self, z):
        return z.reshape(-1, *SHAPE)


def test_the_noise_is_normal_with_this_deviation():
    y = np.zeros((20, *SHAPE), np.float32)
    difference = noisy_reconstruction(Raw(), y, 0.3, np.random.default_rng(1)).ravel().astype(float)
    count = difference.size
    assert abs(difference.mean()) < 5 * 0.3 / math.sqrt(count)
    assert abs(difference.var() - 0.09) < 5 * 0.09 * math.sqrt(2 / count)


def test_no_noise_no_error():
    found = errors_over_noise(partial(noisy_reconstruction, IdentityEncoder(SHAPE)), Y, [0.0], 0, ("job",))
    np.testing.assert_allclose(found["mean_squared_error"], 0, atol=1e-12)
    np.testing.assert_allclose(found["cross_entropy"], 0, atol=2e-6)


def test_errors_of_pca_are_the_formula_where_nothing_is_clipped():
    """Mean over masks and repetitions, within five standard errors of the simulation."""
    pca, whole = fit_volumes(Y), Blocks(SHAPE, SHAPE[1:])
    encoder = PcaEncoder(pca, whole, 3)
    rng, errors = np.random.default_rng(2), []
    for _ in range(40):
        z = encoder.encode(Y)
        z = z + np.float32(0.4) * rng.standard_normal(z.shape, np.float32)
        rows = (z - encoder._to_mean) @ pca.components[:3] + pca.mean
        errors.append(np.square(rows - Y.reshape(6, -1)).sum(axis=1).mean())
    deviation = np.std(errors) / math.sqrt(len(errors))
    assert abs(np.mean(errors) - pca_error(pca.eigenvalues, 3, 0.4, pca.total)) < 5 * deviation
    # clipping to [0, 1], where every true voxel lies, can only help
    clipped = noisy_reconstruction(encoder, Y, 0.4, rng)
    assert mean_squared_error(Y, clipped).mean() * math.prod(SHAPE) < np.mean(errors)


def test_cross_entropy_by_hand():
    y, p = np.array([1.0, 0.0, 0.25]), np.array([0.9, 0.2, 0.5])
    expected = -(math.log(0.9) + math.log(0.8) + math.log(0.5)) / 3
    assert cross_entropy(y.reshape(1, 1, 3, 1, 1), p.reshape(1, 1, 3, 1, 1))[0] == pytest.approx(expected)
    hard, soft = np.eye(3)[[0, 2]].T, np.array([[0.7, 0.1], [0.2, 0.3], [0.1, 0.6]])
    expected = -(math.log(0.7) + math.log(0.6)) / 2
    assert cross_entropy(hard.reshape(1, 3, 2, 1, 1), soft.reshape(1, 3, 2, 1, 1))[0] == pytest.approx(expected)


def test_certain_and_wrong_costs_the_clipped_logarithm():
    one, zero = np.ones((1, 1, 1, 1, 1), np.float32), np.zeros((1, 1, 1, 1, 1), np.float32)
    for y, found in ((one, zero), (zero, one)):
        assert cross_entropy(y, found)[0] == pytest.approx(-math.log(1e-6))
        assert cross_entropy(y, y)[0] == pytest.approx(0, abs=2e-6)


def test_the_posterior_is_bayes_rule():
    """The share of tumour among draws whose noisy value is near x, against the formula at x."""
    share, sigma, count = 0.2, 0.6, 400_000
    y = (RNG.random((1, 1, count, 1, 1)) < share).astype(np.float32)
    found = posterior_reconstruction([share], y, sigma, np.random.default_rng(3)).ravel()
    for low in np.arange(0.05, 0.9, 0.1):  # calibrated: among voxels given probability p, a share of p is tumour
        near = (found >= low) & (found < low + 0.05)
        expected, n = found[near].mean(dtype=float), near.sum()
        assert n > 1000
        assert abs(y.ravel()[near].mean(dtype=float) - expected) < 5 * math.sqrt(expected * (1 - expected) / n)


def test_the_posterior_of_two_classes_is_that_of_two_channels():
    """Noise on both channels of a one-hot voxel tells twice as much as on one: sigma^2 is halved."""
    y = np.concatenate([1 - Y, Y], axis=1)
    rng = np.random.default_rng(4)
    noisy = [mask + 0.5 * rng.standard_normal(mask.shape, np.float32) for mask in y]
    found = posterior_reconstruction([0.9, 0.1], y, 0.5, np.random.default_rng(4))
    for mask, result in zip(noisy, found, strict=True):
        joint = np.array([0.9, 0.1])[:, None, None, None] * np.exp(
            [-((mask[0] - 1) ** 2 + mask[1] ** 2) / 0.5, -(mask[0] ** 2 + (mask[1] - 1) ** 2) / 0.5]
        )
        np.testing.assert_allclose(result, joint / joint.sum(axis=0), atol=1e-5)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 3.0])
def test_the_posterior_beats_the_naive_mask_and_the_prevalence_alone(sigma):
    share = Y.mean(dtype=float)
    naive = errors_over_noise(partial(noisy_reconstruction, IdentityEncoder(SHAPE)), Y, [sigma], 0, ("job",))
    best = errors_over_noise(partial(posterior_reconstruction, [share]), Y, [sigma], 0, ("job",))
    entropy = -(share * math.log(share) + (1 - share) * math.log(1 - share))
    assert best["cross_entropy"].mean() < min(naive["cross_entropy"].mean(), entropy)
    assert best["mean_squared_error"].mean() < min(naive["mean_squared_error"].mean(), share * (1 - share))


def test_more_noise_more_error_and_a_sigma_does_not_change_another():
    reconstruction = partial(noisy_reconstruction, IdentityEncoder(SHAPE))
    found = errors_over_noise(reconstruction, Y, SIGMAS, 0, ("job",))
    alone = errors_over_noise(reconstruction, Y, SIGMAS[2:3], 0, ("job",))
    other = errors_over_noise(reconstruction, Y, SIGMAS[2:3], 1, ("job",))
    assert set(found) == {"cross_entropy", "mean_squared_error"}
    for name, values in found.items():
        assert values.shape == (len(SIGMAS), len(Y))
        assert (np.diff(values.mean(axis=1)) > 0).all()
        assert (values[2] == alone[name][0]).all() and (values[2] != other[name][0]).any()


@pytest.mark.parametrize("prevalence", [[0.0], [1.0], [0.5, 0.5], [np.nan]])
def test_a_prevalence_that_is_none(prevalence):
    with pytest.raises(InputError, match="prevalence"):
        posterior_reconstruction(prevalence, Y, 0.5, np.random.default_rng(0))


def test_codes_that_do_not_differ_are_an_error():
    z = np.random.default_rng(0).standard_normal((50, 4)).astype(np.float32)
    assert spread_of_codes(z) == pytest.approx(np.sqrt(z.var(axis=0).sum()), rel=1e-5)
    assert checked_spread(z) == spread_of_codes(z)
    assert checked_spread(z[:1]) == 0  # a single mask has nothing to differ from
    for same in (np.ones((3, 4), np.float32), z * 1e-4, np.full((3, 4), np.nan)):
        with pytest.raises(InputError, match=r"spread_of_codes .* collapsed"):
            checked_spread(same)
