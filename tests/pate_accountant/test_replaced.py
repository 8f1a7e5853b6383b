"""The worst pair when a record of a Poisson sample is replaced: exact integrals, all other pairs, other routes."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import gammaln, logsumexp
from scipy.stats import norm

from pate_accountant import rdp, run_statements
from pate_accountant.calibration import PRECISION, least_noise
from pate_accountant.errors import InputError
from pate_accountant.replaced import replaced_epsilon, replaced_gaussian_pld, replaced_gaussian_rdp
from pate_accountant.run_statements import replaced_statement
from pate_accountant.subsampled_gaussian import subsampled_gaussian_rdp
from pate_accountant.training_run import TrainingRun

FIXED = settings(derandomize=True, deadline=None, max_examples=40)
ORDERS = rdp.order_grid((1.5, 64.0, 0.5), (64.0, 256.0, 12))
RATES, SIGMAS = st.floats(1e-3, 0.9), st.floats(0.4, 12)


# ---------------------------------------------------------------- the value


def integral(order, rate, sigma):
    """The divergence by adaptive quadrature, P and Q written out; the pieces end where either changes its shape."""

    def log_mixed(z, mean):
        return np.logaddexp(math.log1p(-rate) + norm.logpdf(z, 0, sigma), math.log(rate) + norm.logpdf(z, mean, sigma))

    def integrand(z):
        return math.exp(order * log_mixed(z, 1) + (1 - order) * log_mixed(z, -1))

    turn = sigma**2 * math.log((1 - rate) / rate)
    cuts = sorted({-40 * sigma, 2 * order + 40 * sigma, -turn, turn, 0.0, order, *np.linspace(-1, 2 * order, 40)})
    pieces = [quad(integrand, a, b, epsabs=0, epsrel=1e-10, limit=200)[0] for a, b in pairwise(cuts)]
    return math.log(math.fsum(pieces)) / (order - 1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@given(RATES, SIGMAS, st.floats(1.05, 12))
@settings(FIXED, max_examples=12)
def test_the_divergence_is_the_integral(rate, sigma, order):
    found = replaced_gaussian_rdp(np.array([order]), rate, sigma)[0]
    assert found == pytest.approx(integral(order, rate, sigma), rel=1e-6, abs=1e-9)


@given(st.floats(0.8, 12), st.floats(1.01, 4))
@FIXED
def test_near_rate_1_it_is_a_gaussian_of_twice_the_sensitivity(sigma, order):
    """At larger orders the integral lies so far from 0 that even 1e-13 of N(0) outweighs N(-1) there."""
    orders = np.array([order])
    whole = replaced_gaussian_rdp(orders, 1.0, sigma)
    assert whole == pytest.approx(rdp.gaussian_rdp(orders, sigma, 2.0))
    nearly = replaced_gaussian_rdp(orders, 1 - 1e-13, sigma)
    assert nearly == pytest.approx(whole, rel=1e-6)


def series(order, rate, sigma):
    """ln of the integral for a whole order and small rate, to the third order of the rate: moments of L_1 and L_-1."""
    s = 1 / sigma**2
    e, f = math.exp(s), math.exp(-s)  # E L_1^2 = e; E L_1 L_-1 = f
    second = (order * (order - 1) / 2) * (e - 1) + (order * (order - 1) / 2) * (e - 1)
    cross = order * (1 - order) * (f - 1)
    return math.log1p(rate**2 * (second + cross))


@pytest.mark.parametrize("sigma", [1.0, 2.0, 5.0])
@pytest.mark.parametrize("order", [2.0, 5.0])
def test_at_a_small_rate_it_grows_with_its_square(sigma, order):
    rate = 1e-5
    found = replaced_gaussian_rdp(np.array([order]), rate, sigma)[0] * (order - 1)
    assert found == pytest.approx(series(order, rate, sigma), rel=2e-3)


@given(RATES, st.floats(0.005, 0.02), st.integers(2, 60))
@FIXED
def test_with_hardly_any_noise_it_is_a_bound_from_above(rate, sigma, order):
    """The integral is at least that of P against Q <= N(0) + N(-1), taken where N(1) is, term by term."""
    found = replaced_gaussian_rdp(np.array([float(order)]), rate, sigma)[0]
    k = np.arange(order + 1)
    choose = gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)
    # Q <= N(0) where z >= -1/2, and the order-th power of P in powers of L_1, each term a Gaussian around k >= 0
    terms = choose + k * np.log(rate) + (order - k) * np.log1p(-rate) + (k * k - k) / (2 * sigma**2)
    least = logsumexp(terms + norm.logcdf((k + 0.5) / sigma)) / (order - 1)
    assert found >= least * (1 - 1e-12)
    assert found <= (2 * order / sigma**2) * (1 + 1e-12)


@given(st.floats(1e-3, 0.5), st.floats(0.8, 8))
@FIXED
def test_it_lies_between_one_record_more_and_two(rate, sigma):
    """Never below add or remove; by the weak triangle inequality no more than two such steps in a row."""
    orders = np.array([1.5, 2.0, 4.0, 16.0, 64.0])
    found = replaced_gaussian_rdp(orders, rate, sigma)
    assert (found >= subsampled_gaussian_rdp(orders, rate, sigma) * (1 - 1e-9)).all()
    a, b = (orders - 0.5) / (orders - 1), 1.0
    twice = a * subsampled_gaussian_rdp(2 * orders, rate, sigma) + b * subsampled_gaussian_rdp(
        np.maximum(2 * orders - 1, 1 + 1e-9), rate, sigma
    )
    assert (found <= twice * (1 + 1e-9)).all()


# ---------------------------------------------------------------- no other pair is worse

CELLS = 240


def hockey_sticks(rate, sigma, u, v, factors):
    """Hockey-stick divergences of (1 - q) N(0) + q N(u) and (1 - q) N(0) + q N(v) in the plane, on a grid."""
    side = np.linspace(-1 - 7 * sigma, 1 + 7 * sigma, CELLS)
    x, y = np.meshgrid(side, side)
    area = (side[1] - side[0]) ** 2

    def density(mean):
        around = np.exp(-((x - mean[0]) ** 2 + (y - mean[1]) ** 2) / (2 * sigma**2))
        return around / (2 * np.pi * sigma**2)

    p, q = ((1 - rate) * density((0, 0)) + rate * density(mean) for mean in (u, v))
    return np.array([np.maximum(p - factor * q, 0).sum() * area for factor in factors]), (p, q, area)


VECTORS = st.tuples(st.floats(0, 1), st.floats(0, 2 * math.pi)).map(
    lambda polar: (polar[0] * math.cos(polar[1]), polar[0] * math.sin(polar[1]))
)


@given(st.floats(0.01, 0.95), st.floats(0.4, 3), VECTORS, VECTORS)
@FIXED
def test_no_two_other_records_are_told_apart_better(rate, sigma, u, v):
    factors = np.exp([-2.0, -0.5, 0.0, 0.3, 1.0, 3.0])
    worst, _ = hockey_sticks(rate, sigma, (1, 0), (-1, 0), factors)
    found, (p, q, area) = hockey_sticks(rate, sigma, u, v, factors)
    assert (found <= worst + 1e-6).all()
    for order in (1.5, 2.0, 6.0):
        divergence = math.log((p**order * q ** (1 - order)).sum() * area) / (order - 1)
        assert divergence <= replaced_gaussian_rdp(np.array([order]), rate, sigma)[0] + 1e-6


@given(st.floats(0.05, 0.95), st.floats(0.5, 2), st.floats(0.3, 1))
@FIXED
def test_any_shorter_step_is_strictly_better(rate, sigma, share):
    """The grid sees a difference: the test above can fail."""
    assume(share < 0.95)
    factors = np.array([1.0])
    worst, _ = hockey_sticks(rate, sigma, (1, 0), (-1, 0), factors)
    shorter, _ = hockey_sticks(rate, sigma, (share, 0), (-1, 0), factors)
    bent, _ = hockey_sticks(rate, sigma, (0, 1), (-1, 0), factors)
    assert shorter[0] < worst[0] - 1e-5 and bent[0] < worst[0] - 1e-5


# ---------------------------------------------------------------- many steps


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "sigma", "steps"), [(0.1, 4.0, 200), (0.02, 1.0, 500), (0.2, 8.0, 100), (1.0, 30.0, 50)]
)
@pytest.mark.parametrize("delta", [1e-3, 1e-5])
def test_both_routes_agree_and_lie_between_the_other_relation_and_groups_of_two(rate, sigma, steps, delta):
    cost = steps * replaced_gaussian_rdp(ORDERS, rate, sigma)
    by_rdp, _ = rdp.epsilon_tight(ORDERS, cost, delta)
    by_pld = replaced_gaussian_pld(rate, sigma, steps, delta)
    assert 0.85 * by_rdp < by_pld <= by_rdp
    one_more = steps * subsampled_gaussian_rdp(ORDERS, rate, sigma)
    assert by_rdp > rdp.epsilon_tight(ORDERS, one_more, delta)[0]
    # groups: an (e, d) of one record gives (2 e, (1 + e^e) d) of two
    for e in (0.25, 0.5, 1.0, 2.0):
        log_d = ((ORDERS - 1) * (one_more - e)).min()
        if 2 * e < by_pld:
            assert math.log1p(math.exp(e)) + log_d > math.log(delta)


def composed_delta(rate, sigma, steps, epsilon, upwards, grid=2e-4):
    """Delta of so many steps of the pair, its losses moved to multiples of `grid`, all upwards or all downwards.

    ln P / Q rises along the line, so in a cell it lies between its values at the cell's ends. The masses of cells are
    differences of distribution functions; losses of several steps are added up by the Fourier transform.
    """
    z = np.linspace(-1 - 9 * sigma, 1 + 9 * sigma, 200_001)
    mass = np.diff((1 - rate) * norm.cdf(z, 0, sigma) + rate * norm.cdf(z, 1, sigma))
    above, below = ((1 - rate) + rate * np.exp((2 * sign * z - 1) / (2 * sigma**2)) for sign in (1, -1))
    loss = np.log(above / below) / grid
    moved = np.ceil(loss[1:] - 1e-9) if upwards else np.floor(loss[:-1] + 1e-9)
    first, count = int(moved[0]), int(moved[-1] - moved[0]) + 1
    one = np.bincount((moved - first).astype(int), mass, count)
    size = (count - 1) * steps + 1
    summed = np.maximum(np.fft.irfft(np.fft.rfft(one, size) ** steps, size), 0)
    total = grid * (steps * first + np.arange(size))
    return summed[total > epsilon] @ -np.expm1(epsilon - total[total > epsilon])


@pytest.mark.parametrize(
    ("rate", "sigma", "steps"),
    [
        pytest.param(0.1, 1.0, 10, marks=pytest.mark.slow),
        pytest.param(0.3, 2.0, 20, marks=pytest.mark.slow),
        (0.99, 4.0, 5),
    ],
)
def test_the_loss_distribution_of_several_steps_is_exact(rate, sigma, steps):
    """Not above the exact divergence by a hundredth, and not below it: the leaderboard's noise is calibrated to it."""
    delta = 1e-5
    epsilon = replaced_gaussian_pld(rate, sigma, steps, delta)
    assert composed_delta(rate, sigma, steps, epsilon, upwards=False) <= delta
    assert composed_delta(rate, sigma, steps, epsilon, upwards=True) <= 1.03 * delta
    assert composed_delta(rate, sigma, steps, 0.99 * epsilon, upwards=False) > delta


def test_half_the_noise_costs_more_than_twice_as_much():
    costs = [
        rdp.epsilon_tight(ORDERS, 200 * replaced_gaussian_rdp(ORDERS, 0.1, sigma), 1e-5)[0] for sigma in (4.0, 2.0)
    ]
    assert costs[1] > 2 * costs[0]


@pytest.mark.parametrize(
    ("rate", "sigma", "order", "named"),
    [(0.0, 1.0, 2.0, "rate"), (1.5, 1.0, 2.0, "rate"), (0.5, 0.0, 2.0, "sigma"), (0.5, 1.0, 1.0, "order")],
)
def test_what_does_not_fit_is_refused(rate, sigma, order, named):
    with pytest.raises(InputError, match=named):
        replaced_gaussian_rdp(np.array([order]), rate, sigma)


# ---------------------------------------------------------------- the least noise


@given(st.floats(0.01, 50), st.floats(0.1, 3))
@FIXED
def test_the_least_noise_meets_its_target_and_hardly_more(target, power):
    exact = target ** (-1 / power)
    assume(2e-3 < exact < 1e29)
    found = least_noise(lambda noise: noise**-power, target, largest=1e30)
    assert found**-power <= target and exact <= found * (1 + 1e-12) and found <= exact * (1 + 2 * PRECISION)


def test_a_target_out_of_reach_is_refused():
    with pytest.raises(InputError, match="must be positive"):
        least_noise(lambda noise: 1 / noise, 0.0)
    with pytest.raises(InputError, match=r"take more rounds, or a larger target"):
        least_noise(lambda noise: 3.0, 1.0, advice="more rounds")
    with pytest.raises(InputError, match="hardly any noise"):
        least_noise(lambda noise: 0.0, 1.0)


def test_noise_of_just_above_a_thousandth_is_found():
    found = least_noise(lambda noise: 1.5e-3 / noise, 1.0, largest=4e-3)
    assert 1.5e-3 <= found <= 1.5e-3 * (1 + 2 * PRECISION)


# ---------------------------------------------------------------- a training


@pytest.mark.slow
@pytest.mark.parametrize(
    ("samples", "batch", "epochs", "sigma"), [(400, 40, 2, 1.1), (26, 4, 2, 0.8), (50, 50, 3, 4.0)]
)
def test_a_training_costs_no_less_than_by_privacy_losses_and_hardly_more(samples, batch, epochs, sigma):
    run = TrainingRun(samples=samples, batch=batch, epochs=epochs, sigma=sigma)
    found = replaced_statement(run, ORDERS, 1e-3)
    second = replaced_gaussian_pld(run.rate, sigma, epochs * math.ceil(samples / batch), 1e-3)
    assert second <= found.epsilon * 1.001 and found.epsilon < 1.3 * second
    assert found.epsilon == pytest.approx(replaced_epsilon(run, ORDERS, 1e-3))
    assert (found.neighbouring, found.guarantee, found.data_dependent) == ("replace_one", True, False)


def test_the_dearer_route_is_never_passed_over(monkeypatch):
    for epochs in (0, 1.4, math.nan):  # a part of an epoch takes whole steps
        with pytest.raises(InputError, match="whole numbers of at least 1"):
            TrainingRun(samples=40, batch=4, epochs=epochs, sigma=1.0)
    run = TrainingRun(samples=40, batch=4, epochs=1, sigma=1.0)
    monkeypatch.setattr(run_statements, "replaced_gaussian_pld", lambda *given: 1e3)
    with pytest.raises(ArithmeticError, match="privacy loss distributions"):
        replaced_statement(run, ORDERS, 1e-3)


def test_the_baseline_for_masks_is_charged_for_a_record_replaced():
    """20 steps of 40 of 400 patients: what the page prints, and what one added or removed would cost."""
    orders, sigma, delta = rdp.order_grid(), 0.664021, 1e-3
    costs = (rdp_of(orders, 0.1, sigma) for rdp_of in (replaced_gaussian_rdp, subsampled_gaussian_rdp))
    found = [rdp.epsilon_tight(orders, 20 * cost, delta)[0] for cost in costs]
    assert found == pytest.approx([7.999, 6.810], abs=1e-3)
