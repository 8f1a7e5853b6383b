"""Theorem 3: what holds exactly, what the paper's proof gets wrong, and that the simulation finds both."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import circulant, expm

from lib.core.errors import InputError
from lib.residual_perturbation.rademacher import bounds, shrinkage, signed_power, simulate

FIXED = settings(derandomize=True, deadline=None, max_examples=40)
POWER, RADIUS, TIME = 0.6, 0.8, 1.3
SETTING = {"radius": RADIUS, "power": POWER, "time": TIME, "noise": 1.5, "draws": 200, "paths": 4000, "moves": 20}
SAMPLES = np.random.default_rng(0).standard_normal((8, 6))


def exact_at_identity(samples: np.ndarray, radius: float, power: float, time: float) -> float:
    """(c/N) E|sum_i sigma_i (exp(cT) x_i)^p| over all vectors of signs."""
    powers = signed_power(math.exp(radius * time) * samples, power)
    signs = np.array(list(itertools.product((-1, 1), repeat=len(samples))))
    return radius / len(samples) * np.linalg.norm(signs @ powers, axis=1).mean()


def test_the_shrinkage_by_hand():
    assert shrinkage(0.5, 2.0, 3.0) == pytest.approx(math.exp(-1.5), rel=1e-14)
    assert shrinkage(0.6, 0.0, 3.0) == 1


@FIXED
@given(st.floats(0.01, 0.99), st.floats(0.01, 5), st.floats(0.01, 5))
def test_noise_makes_the_class_smaller_and_more_noise_smaller_still(power, noise, time):
    factor = shrinkage(power, noise, time)
    assert 0 < shrinkage(power, 1.1 * noise, time) < factor < 1


def test_powers_keep_signs():
    np.testing.assert_allclose(signed_power(np.array([-8.0, 0.0, 8.0]), 1 / 3), [-2, 0, 2])


def test_the_mean_of_the_simulated_equation_is_the_flow_times_the_shrinkage():
    # dx = U x dt + gamma x dB by Euler-Maruyama, with no use of its known solution
    rng = np.random.default_rng(1)
    matrix = circulant([0.3, -0.2, 0.4])
    start, noise, power, time, steps, paths = np.array([1.0, -0.5, 2.0]), 0.9, 0.6, 1.0, 200, 40_000
    x = np.tile(start, (paths, 1))
    for _ in range(steps):
        x = x + x @ matrix.T * time / steps + noise * x * math.sqrt(time / steps) * rng.standard_normal((paths, 1))
    found = signed_power(x, power)
    expected = shrinkage(power, noise, time) * signed_power(expm(matrix * time) @ start, power)
    error = found.std(0) / math.sqrt(paths)
    np.testing.assert_array_less(np.abs(found.mean(0) - expected), 4 * error + 0.01 * np.abs(expected))
    # the shrinkage is no small thing here
    assert np.all(np.abs(found.mean(0) / signed_power(expm(matrix * time) @ start, power) - 1) > 10 * error)


def test_the_simulation_of_the_papers_expression_agrees_with_all_signs():
    made = simulate(SAMPLES, **SETTING, rng=np.random.default_rng(2))
    assert made.paper == pytest.approx(exact_at_identity(SAMPLES, RADIUS, POWER, TIME), abs=4 * made.paper_error)
    assert made.paper_error < 0.05 * made.paper


def test_the_perturbed_class_is_smaller_by_the_shrinkage():
    made = simulate(SAMPLES, **SETTING, rng=np.random.default_rng(3))
    exact = shrinkage(POWER, 1.5, TIME)
    assert made.factor == pytest.approx(exact, abs=4 * made.factor_error)
    spread = math.hypot(made.perturbed_error, exact * made.plain_error)
    assert made.perturbed == pytest.approx(exact * made.plain, abs=4 * spread)
    assert made.perturbed + 4 * made.perturbed_error < made.plain - 4 * made.plain_error


def test_without_noise_the_classes_are_one():
    made = simulate(SAMPLES, **SETTING | {"noise": 0.0}, rng=np.random.default_rng(4))
    assert (made.factor, made.factor_error) == (1, 0)
    assert made.perturbed == pytest.approx(made.plain, abs=4 * math.hypot(made.perturbed_error, made.plain_error))


def test_the_papers_expression_is_less_than_the_complexity():
    # one sample (1, 0) and U = [[a, b], [b, a]] with |a| + |b| = c, whose flow is exp(a) (cosh b, sinh b)
    b = np.linspace(0, 1, 10_001)
    power = 1 / 3
    known = np.exp(power * (1 - b)) * np.sqrt(np.cosh(b) ** (2 * power) + np.sinh(b) ** (2 * power))
    setting = {"radius": 1.0, "power": power, "time": 1.0, "noise": 1.0, "draws": 20, "paths": 2, "moves": 400}
    made = simulate(np.array([[1.0, 0.0]]), **setting, rng=np.random.default_rng(5))
    assert made.paper == pytest.approx(known[0], rel=1e-12) == math.exp(power)
    assert made.plain == pytest.approx(known.max(), rel=1e-3)
    assert made.plain > 1.09 * made.paper


@FIXED
@given(
    st.integers(1, 6),
    st.integers(1, 7),
    st.floats(0.1, 0.9),
    st.floats(0.1, 2),
    st.floats(0.1, 2),
    st.integers(0, 2**32 - 1),
)
def test_the_bounds_hold_on_both_sides(count, dimension, power, radius, time, seed):
    rng = np.random.default_rng(seed)
    samples = rng.standard_normal((count, dimension)) * rng.exponential(1, (count, 1))
    lower, upper = bounds(samples, radius, power, time)
    assert lower <= exact_at_identity(samples, radius, power, time) <= upper * (1 + 1e-12)
    setting = {"radius": radius, "power": power, "time": time, "noise": 1.0, "draws": 20, "paths": 2, "moves": 20}
    assert simulate(samples, **setting, rng=rng).plain <= upper * (1 + 1e-12)


def test_the_bounds_are_attained():
    # two equal samples of one coordinate: |sigma_1 + sigma_2| is 0 or 2 and 1 in the mean, the root of 2 / 2
    lower, _ = bounds(np.array([[1.0], [1.0]]), 1.0, 0.5, 1.0)
    assert lower == pytest.approx(exact_at_identity(np.array([[1.0], [1.0]]), 1.0, 0.5, 1.0), rel=1e-12)
    # one sample with equal coordinates, at U = cI
    _, upper = bounds(np.ones((1, 5)), 1.0, 0.5, 1.0)
    assert upper == pytest.approx(exact_at_identity(np.ones((1, 5)), 1.0, 0.5, 1.0), rel=1e-12)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"power": 1.0}, "power 1.0"),
        ({"power": 0.0}, "power 0.0"),
        ({"time": 0.0}, "time 0.0"),
        ({"radius": math.inf}, "radius inf"),
        ({"noise": -1.0}, "noise -1.0"),
        ({"draws": 1}, "1 draws"),
        ({"paths": 1}, "1 paths"),
        ({"moves": -1}, "-1 moves"),
        ({"samples": np.ones(3)}, "shape"),
        ({"samples": np.array([[np.nan]])}, "finite"),
    ],
)
def test_what_is_not_allowed_is_named(change, named):
    with pytest.raises(InputError, match=named.replace(".", r"\.")):
        simulate(**{"samples": SAMPLES} | SETTING | change, rng=np.random.default_rng(0))
