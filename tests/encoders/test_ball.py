"""The ball activation: into the ball, nearly uniform, and well behaved in torch."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from lib.encoders.ball import (
    ball_activation,
    ball_activation_torch,
    disc_histograms,
    logistic_normal_cdfs,
    logistic_normal_gap,
)
from lib.encoders.bound import checked_code, clip_to_ball

EXTREME = np.array(
    [
        [o0, *direction]
        for o0 in (-1e30, -1e4, -100.0, -1.0, 0.0, 1.0, 100.0, 1e4, 1e30)
        for direction in ([0, 0, 0], [1e-30, 0, 0], [1e-20, -1e-20, 0], [1e30, 1e30, -1e30], [3e38, 0, 0], [1, 2, 3])
    ]
)


def printed(o):
    """The formula as the paper prints it."""
    size = len(o) - 1
    length = math.sqrt(sum(value**2 for value in o[1:]))
    return [value / ((math.exp(-o[0] * math.sqrt(8 / math.pi)) + 1) ** (1 / size) * length) for value in o[1:]]


@pytest.mark.parametrize("size", [1, 2, 7])
def test_it_is_the_papers_formula(size):
    o = np.random.default_rng(size).standard_normal((50, size + 1)) * 3
    np.testing.assert_allclose(ball_activation(o), [printed(row) for row in o], rtol=1e-12)
    np.testing.assert_allclose(ball_activation_torch(torch.from_numpy(o)), ball_activation(o), rtol=1e-12)


def test_extremes_stay_in_the_ball_and_have_a_gradient():
    o = torch.tensor(EXTREME, dtype=torch.float32, requires_grad=True)
    points = ball_activation_torch(o)
    assert points.isfinite().all()
    checked_code(clip_to_ball(points.detach().numpy(), 1.0), 1.0)
    assert np.linalg.norm(points.detach().double().numpy(), axis=1).max() <= 1 + 1e-6
    (points * torch.tensor([1.0, -2.0, 0.5])).sum().backward()
    assert o.grad.isfinite().all()
    np.testing.assert_allclose(points.detach().numpy(), ball_activation(EXTREME), rtol=1e-5, atol=1e-7)


def test_the_direction_zero_gives_zero_and_large_numbers_the_sphere():
    assert (ball_activation([[5.0, 0.0, 0.0]]) == 0).all()
    np.testing.assert_allclose(ball_activation([[1e5, 3.0, 4.0], [-1e5, 3.0, 4.0]]), [[0.6, 0.8], [0, 0]], atol=1e-15)


def test_the_gradient_is_that_of_the_formula():
    o = torch.randn(6, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    assert torch.autograd.gradcheck(ball_activation_torch, (o,))


def test_clipped_points_never_leave_the_ball():
    """For standard normal input, and for input that saturates the radius, where rounding does exceed 1 unclipped."""
    o = np.random.default_rng(1).standard_normal((20_000, 6)).astype(np.float32)
    o[10_000:, 0] = 50.0
    points = ball_activation_torch(torch.from_numpy(o)).numpy()
    assert (np.linalg.norm(points.astype(float), axis=1) > 1).any()
    checked_code(clip_to_ball(points, 1.0), 1.0)


@pytest.mark.parametrize("size", [2, 8, 32])
def test_normal_input_is_nearly_uniform_in_the_ball(size):
    """The radius to the power l differs from uniform by the gap of the two distributions and no more; directions not.

    The Kolmogorov-Smirnov distance of n points strays by more than 1.95 / sqrt(n) once in a thousand times.
    """
    n = 100_000
    points = ball_activation(np.random.default_rng(size).standard_normal((n, size + 1)))
    radius = np.linalg.norm(points, axis=1)
    distance = stats.kstest(radius**size, "uniform").statistic
    assert abs(distance - logistic_normal_gap()) < 1.95 / math.sqrt(n)
    coordinate = points[:, 0] / radius  # of a uniform direction: (1 + x) / 2 is Beta((l-1)/2, (l-1)/2)
    half = (size - 1) / 2
    assert stats.kstest((1 + coordinate) / 2, stats.beta(half, half).cdf).statistic < 1.95 / math.sqrt(n)
    covariance = np.cov((points / radius[:, None]).T) * size
    assert np.abs(covariance - np.eye(size)).max() < 5 * math.sqrt(3 / n)


def test_the_gap_between_logistic_and_normal():
    gap = logistic_normal_gap()
    assert gap == pytest.approx(0.0177, abs=1e-4)
    logistic, normal = logistic_normal_cdfs(np.linspace(-30, 30, 20_001))
    assert np.abs(logistic - normal).max() <= gap <= np.abs(logistic - normal).max() + 1e-6


def test_histograms_of_the_disc():
    samples, bins = 40_000, 10
    found = disc_histograms(samples, bins, np.random.default_rng(0))
    cell = (2 / bins) ** 2
    assert found["edges"].shape == (bins + 1,)
    for name in ("activation", "uniform"):
        assert found[name].shape == (bins, bins)
        assert found[name].sum() * cell == pytest.approx(1)
    assert found["uniform"][bins // 2, bins // 2] == pytest.approx(1 / math.pi, rel=0.15)
    assert found["uniform"][0, 0] < found["uniform"][bins // 2, bins // 2] / 4  # a corner, cut by the circle
    assert (found["difference"] == np.abs(found["activation"] - found["uniform"])).all()
    assert 0 < found["difference"].max() < 0.15
