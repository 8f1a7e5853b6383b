"""Orders, conversions, and the noise that a target epsilon asks for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate_accountant import gaussian, rdp
from tests import oracles

FIXED = settings(derandomize=True, deadline=None, max_examples=60)


# ---------------------------------------------------------------- orders


def test_the_default_grid_is_the_authors_long_list():
    grid = rdp.order_grid()
    listed = np.concatenate([np.arange(2, 100.5, 0.5), np.logspace(np.log10(100), np.log10(500), num=100)])
    np.testing.assert_allclose(grid, np.unique(listed.round(9)), rtol=1e-9)
    assert len(grid) == 296
    assert (grid == 100).sum() == 1
    assert (grid[0], grid[-1]) == (2.0, 500.0)


@given(
    st.floats(1.01, 20),
    st.integers(1, 60),
    st.floats(0.05, 3),
    st.floats(1.5, 50),
    st.floats(1, 500),
    st.integers(2, 30),
)
@FIXED
def test_grids_rise_strictly_and_hold_their_ends(first, steps, step, start, length, count):
    last = first + steps * step
    grid = rdp.order_grid((first, last, step), (start, start + length, count))
    assert (np.diff(grid) > 0).all() and grid[0] > 1
    for end in (first, last, start, start + length):
        assert np.abs(grid - end).min() < 1e-9 * end
    assert len(grid) <= steps + 1 + count


# ---------------------------------------------------------------- costs and conversions


def test_gaussian_cost_is_known():
    np.testing.assert_allclose(rdp.gaussian_rdp(np.array([2.0, 8.0]), 4.0, 1.0), [1 / 16, 1 / 4])
    np.testing.assert_allclose(rdp.gaussian_rdp(np.array([2.0, 8.0]), 4.0, 3.0), [9 / 16, 9 / 4])


def test_the_classic_conversion_is_known():
    orders, costs = np.array([2.0, 3.0, 11.0]), np.array([0.1, 0.2, 4.0])
    log_inverse = np.log(1e5)
    epsilon, order = rdp.epsilon_classic(orders, costs, 1e-5)
    assert order == 11.0 and epsilon == pytest.approx(4.0 + log_inverse / 10, rel=1e-15)
    epsilon, order = rdp.epsilon_classic(orders, costs * [1, 1, 10], 1e-5)
    assert order == 3.0 and epsilon == pytest.approx(0.2 + log_inverse / 2, rel=1e-15)


@given(st.floats(0.3, 200), st.floats(1e-12, 0.1))
@FIXED
def test_tight_lies_between_the_truth_and_classic(sigma, delta):
    orders = rdp.order_grid()
    costs = rdp.gaussian_rdp(orders, sigma, 1.0)
    classic, tight = rdp.epsilon_classic(orders, costs, delta)[0], rdp.epsilon_tight(orders, costs, delta)[0]
    assert tight < classic
    assert tight == 0 or oracles.gaussian_delta(1.0, sigma, tight) <= delta * (1 + 1e-9)


@given(st.floats(0.5, 50), st.floats(1e-10, 1e-2), st.floats(1.01, 5))
@FIXED
def test_epsilon_falls_with_delta_and_grows_with_the_cost(sigma, delta, factor):
    orders = rdp.order_grid()
    costs = rdp.gaussian_rdp(orders, sigma, 1.0)
    for convert in (rdp.epsilon_classic, rdp.epsilon_tight):
        here = convert(orders, costs, delta)[0]
        assert convert(orders, costs, delta * factor)[0] <= here
        assert convert(orders, costs * factor, delta)[0] >= here


def test_an_optimum_at_the_edge_of_the_grid_is_seen():
    orders = rdp.order_grid((2.0, 10.0, 0.5), (10.0, 20.0, 3))
    assert rdp.at_grid_edge(orders, 2.0) and rdp.at_grid_edge(orders, 20.0)
    assert not rdp.at_grid_edge(orders, 10.0)
    _, order = rdp.epsilon_classic(orders, rdp.gaussian_rdp(orders, 1000.0, 1.0), 1e-5)
    assert rdp.at_grid_edge(orders, order)


# ---------------------------------------------------------------- noise for a target


@given(st.floats(0.05, 8), st.floats(1e-10, 1e-2), st.floats(0.1, 10))
@FIXED
def test_noise_by_rdp_meets_its_target_at_the_best_order(epsilon, delta, sensitivity):
    sigma = gaussian.sigma_rdp(sensitivity, epsilon, delta)
    assert oracles.optimal_gaussian_order(sensitivity, sigma, delta)[0] == pytest.approx(epsilon, rel=1e-6)
    assert sigma == pytest.approx(sensitivity * gaussian.sigma_rdp(1.0, epsilon, delta), rel=1e-12)


@given(st.floats(0.05, 8), st.floats(1e-10, 1e-2), st.floats(0.1, 10))
@FIXED
def test_analytic_noise_has_exactly_its_delta_and_is_less(epsilon, delta, sensitivity):
    sigma = gaussian.sigma_analytic(sensitivity, epsilon, delta)
    assert oracles.gaussian_delta(sensitivity, sigma, epsilon) == pytest.approx(delta, rel=1e-4)
    assert sigma < gaussian.sigma_rdp(sensitivity, epsilon, delta)


@pytest.mark.parametrize("compute", [gaussian.sigma_rdp, gaussian.sigma_analytic])
@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0.0, 1.0, 1e-5), "sensitivity"),
        ((-1.0, 1.0, 1e-5), "sensitivity"),
        ((np.nan, 1.0, 1e-5), "sensitivity"),
        ((1.0, 0.0, 1e-5), "epsilon"),
        ((1.0, -1.0, 1e-5), "epsilon"),
        ((1.0, np.nan, 1e-5), "epsilon"),
        ((1.0, 1.0, 0.0), "delta"),
        ((1.0, 1.0, 1.0), "delta"),
        ((1.0, 1.0, np.nan), "delta"),
    ],
)
def test_impossible_targets_are_refused(compute, arguments, name):
    with pytest.raises(ValueError, match=name):
        compute(*arguments)
