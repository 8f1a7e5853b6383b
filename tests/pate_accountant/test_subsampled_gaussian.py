"""The subsampled Gaussian against exact sums and integrals."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy.integrate import quad
from scipy.special import gammaln, logsumexp

from pate_accountant import rdp
from pate_accountant.errors import InputError
from pate_accountant.replaced import replaced_gaussian_rdp
from pate_accountant.run_statements import statements
from pate_accountant.subsampled_gaussian import _log_sum_exp, subsampled_gaussian_rdp
from pate_accountant.training_run import TrainingRun

FIXED = settings(derandomize=True, deadline=None, max_examples=40)
SHORT = rdp.order_grid((1.5, 40.0, 0.5), (40.0, 200.0, 8))
RATES = st.floats(1e-4, 0.9)
SIGMAS = st.floats(0.3, 20)


def binomial_sum(order: int, rate: float, sigma: float) -> float:
    """(order - 1) times the divergence, exactly."""
    k = np.arange(order + 1)
    log_choose = gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)
    return logsumexp(log_choose + k * np.log(rate) + (order - k) * np.log1p(-rate) + (k * k - k) / (2 * sigma**2))


@given(RATES, SIGMAS, st.integers(2, 60))
@FIXED
def test_integer_orders_equal_the_binomial_sum(rate, sigma, order):
    found = subsampled_gaussian_rdp(np.array([float(order)]), rate, sigma)[0]
    assert found * (order - 1) == pytest.approx(binomial_sum(order, rate, sigma), rel=1e-9, abs=1e-12)


@given(RATES, st.floats(1e-3, 0.0085), st.integers(2, 300))
@FIXED
def test_with_hardly_any_noise_the_cost_is_bounded_from_above_and_not_by_far(rate, sigma, order):
    found = subsampled_gaussian_rdp(np.array([float(order)]), rate, sigma)[0]
    exact = binomial_sum(order, rate, sigma) / (order - 1)
    assert exact <= found * (1 + 1e-12) and found <= (exact + math.log(1 / rate)) * (1 + 1e-12)


def divergence(order, rate, sigma, reverse):
    """D_order between mu0 and the mixture by adaptive quadrature; `reverse`: mu0 first."""

    def log_normal(z, mean):
        return -((z - mean) ** 2) / (2 * sigma**2) - math.log(sigma * math.sqrt(2 * math.pi))

    def integrand(z):
        plain = log_normal(z, 0)
        mixed = np.logaddexp(math.log1p(-rate) + plain, math.log(rate) + log_normal(z, 1))
        first, second = (plain, mixed) if reverse else (mixed, plain)
        return math.exp(order * first - (order - 1) * second)

    cuts = [-order - 15 * sigma, -1, 0, 0.5, 1, order / 2, order, order + 15 * sigma]
    pieces = [quad(integrand, a, b, epsabs=0, epsrel=1e-12, limit=400)[0] for a, b in pairwise(cuts)]
    return math.log(math.fsum(pieces)) / (order - 1)


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@given(st.floats(0.01, 0.9), st.floats(0.5, 6), st.floats(1.1, 12))
@FIXED
def test_any_order_is_the_integral_and_the_larger_direction(rate, sigma, order):
    found = subsampled_gaussian_rdp(np.array([order]), rate, sigma)[0]
    assert found == pytest.approx(divergence(order, rate, sigma, reverse=False), rel=1e-6, abs=1e-9)
    assert divergence(order, rate, sigma, reverse=True) <= found * (1 + 1e-6) + 1e-9


def test_the_whole_set_is_a_plain_gaussian_mechanism():
    np.testing.assert_allclose(subsampled_gaussian_rdp(SHORT, 1.0, 3.0), rdp.gaussian_rdp(SHORT, 3.0, 1.0), rtol=1e-12)
    near = subsampled_gaussian_rdp(SHORT, 1 - 1e-12, 3.0)
    np.testing.assert_allclose(near, rdp.gaussian_rdp(SHORT, 3.0, 1.0), rtol=1e-9)


@pytest.mark.slow
@given(RATES, SIGMAS, st.floats(1.001, 1.1))
@FIXED
def test_cost_falls_with_noise_and_grows_with_the_rate_and_the_order(rate, sigma, factor):
    here = subsampled_gaussian_rdp(SHORT, rate, sigma)
    assert (np.diff(here) >= -1e-12).all()
    assert (subsampled_gaussian_rdp(SHORT, rate, sigma * factor) <= here + 1e-14).all()
    assert (subsampled_gaussian_rdp(SHORT, min(1.0, rate * factor), sigma) >= here - 1e-14).all()


@pytest.mark.parametrize(
    ("orders", "rate", "sigma", "match"),
    [
        ([2.0], 0.0, 1.0, "rate"),
        ([2.0], 1.1, 1.0, "rate"),
        ([2.0], math.nan, 1.0, "rate"),
        ([2.0], 0.1, 0.0, "sigma"),
        ([2.0], 0.1, math.nan, "sigma"),
        ([2.0, 1.0], 0.1, 1.0, "order 1"),
        ([math.nan], 0.1, 1.0, "order"),
    ],
)
def test_impossible_steps_are_refused(orders, rate, sigma, match):
    with pytest.raises(InputError, match=match):
        subsampled_gaussian_rdp(np.array(orders), rate, sigma)


# any float, and many that are equal, far apart or infinite
ANY = st.floats() | st.sampled_from([0.0, -np.inf])
TERMS = arrays(np.float64, array_shapes(max_dims=1, max_side=300), elements=ANY)


@given(TERMS, st.floats(1e-300, 1e300), st.sampled_from([None, -np.inf, np.inf, np.nan]), st.integers(0, 299))
@settings(FIXED, max_examples=300)
@np.errstate(all="ignore")
def test_a_sum_of_exponentials_has_the_bits_of_scipys(terms, width, one, where):
    drawn = np.random.default_rng(where).normal(size=5 * len(terms)) * width  # as long as those of a divergence
    for values in (terms, drawn):
        if one is not None:
            values[where % len(values)] = one
        assert np.float64(_log_sum_exp(values)).tobytes() == np.float64(logsumexp(values)).tobytes() or (
            math.isnan(_log_sum_exp(values)) and math.isnan(logsumexp(values))
        )


def test_no_order_s_cost_hangs_on_the_others():
    """All share the points of the largest order, and some have bounds in place of sums."""
    for rate, sigma in ((0.01, 2.0), (0.3, 0.01)):
        found = subsampled_gaussian_rdp(SHORT, rate, sigma)
        alone = [subsampled_gaussian_rdp(np.array([order]), rate, sigma)[0] for order in SHORT]
        np.testing.assert_array_equal(found, alone)
        found[:] = 0  # a caller's own copy
        np.testing.assert_array_equal(subsampled_gaussian_rdp(SHORT, rate, sigma), alone)


# ---------------------------------------------------------------- near order 1, and where hardly anything is spent

NEAR = [
    (1 + 1e-10, 1e-3, 50.0),
    (1.00001, 1e-3, 50.0),
    (1.00001, 0.5, 0.5),
    (1.001, 1e-6, 2.0),
    (1.5, 1e-5, 3.0),
    (2.0, 1e-8, 40.0),
    (64.0, 1e-4, 20.0),
    (300.0, 0.01, 2.0),
]


def exactly(order, rate, sigma, first, second):
    """D_order of (1 - rate) N(0) + rate N(first) and the same with N(second), to 40 digits; None: N(0) alone."""
    last, step = order + 20 * sigma, min(sigma, sigma**2) / 6 * min(1, math.sqrt(8 / order))
    order, rate, sigma = (mpmath.mpf(number) for number in (order, rate, sigma))

    def density(z, mean):
        plain = mpmath.npdf(z, 0, sigma)
        return plain if mean is None else (1 - rate) * plain + rate * mpmath.npdf(z, mean, sigma)

    def integrand(z):
        p, q = density(z, first), density(z, second)
        return p**order * q ** (1 - order) - q - order * (p - q)

    points = np.arange(-20 * float(sigma) - 1, last, step)  # the trapezoid rule: what it leaves out is below 1e-40
    return mpmath.log1p(step * mpmath.fsum(map(integrand, map(mpmath.mpf, points)))) / (order - 1)


@pytest.mark.parametrize(("order", "rate", "sigma"), NEAR)
def test_what_is_nearly_nothing_is_not_rounded_down(order, rate, sigma):
    for cost, second in ((subsampled_gaussian_rdp, None), (replaced_gaussian_rdp, -1)):
        found = cost(np.array([order]), rate, sigma)[0]
        with mpmath.workdps(40):
            assert 0 <= mpmath.mpf(found) / exactly(order, rate, sigma, 1, second) - 1 <= 1e-10


def test_a_bound_with_hardly_any_noise_is_not_rounded_down_either():
    """ln(1 + rate (e^x - 1)) / (order - 1) with a small rate x: the bound where a sum would take too many steps."""
    order, rate, sigma = 1 + 1e-12, 1e-4, 1e-3
    x = order * (order - 1) / (2 * sigma**2)
    expected = math.log1p(rate * math.expm1(x)) / (order - 1)
    assert subsampled_gaussian_rdp(np.array([order]), rate, sigma)[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("order", [1 + 1e-10, 1.0000001, 1.001])
def test_a_run_at_orders_near_1_costs_no_less_than_at_others(order):
    run = TrainingRun(samples=1000, batch=1, epochs=1, sigma=50.0)
    more, usual = (statements(run, np.array(orders), 1e-5) for orders in ([order, 2.0, 8.0], [2.0, 8.0]))
    for name, made in usual.items():
        assert made.epsilon * 0.1 < more[name].epsilon <= made.epsilon, name


class WithHistogram(TrainingRun):
    """A training and one more Gaussian mechanism."""

    def parts(self, orders):
        return super().parts(orders) | {"histogram": rdp.gaussian_rdp(orders, 3.0, 1.0)}


def test_a_run_costs_all_of_its_steps_and_parts():
    run = WithHistogram(samples=40, batch=4, epochs=3, sigma=2.0)
    training = 30 * subsampled_gaussian_rdp(SHORT, 0.1, 2.0)
    assert run.parts(SHORT)["training"] == pytest.approx(training)
    both = training + rdp.gaussian_rdp(SHORT, 3.0, 1.0)
    made = statements(run, SHORT, 1e-5)
    assert made["joint"].epsilon == pytest.approx(rdp.epsilon_classic(SHORT, both, 1e-5)[0])
    assert made["training"].epsilon == pytest.approx(rdp.epsilon_classic(SHORT, training, 1e-5)[0])
