"""Numbers pinned by exact quadrature, sensitivities by enumeration, samplers against exact distributions, and the
mistakes in accounting that are easy to make."""

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import pld_privacy_accountant
from dp_accounting.rdp import rdp_privacy_accountant
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import log_ndtr, ndtr
from scipy.stats import chisquare

from lib.pate.confident import confident_gnmax
from lib.pate.gnmax import gnmax as sample_gnmax
from lib.pate.interactive import interactive_gnmax
from lib.pate.lnmax import lnmax as sample_lnmax
from pate_accountant import confident, gaussian, gnmax, lnmax, rdp, threshold
from tests import oracles

# ---------------------------------------------------------------- the oracle itself


def test_oracle_two_classes_in_closed_form():
    votes = np.array([[n, 40 - n] for n in range(41)])
    gap = votes[:, 0] - votes[:, 1]
    for noise in (1.0, 2.0, 3.0):
        np.testing.assert_allclose(
            oracles.gnmax_log_pmf(votes, noise)[:, 0], log_ndtr(gap / (np.sqrt(2) * noise)), rtol=1e-10
        )
        t = np.abs(gap) / noise
        loses = np.log((2 + t) / 4) - t
        log_pmf = oracles.lnmax_log_pmf(votes, noise)
        np.testing.assert_allclose(log_pmf.min(axis=1), loses, rtol=1e-10)


@pytest.mark.parametrize("votes", [[16, 4, 0], [20, 0, 0, 0], [9, 8, 3], [30, 20, 10, 0]])
@pytest.mark.parametrize("sigma", [1.0, 2.0])
def test_oracle_tails_against_adaptive_quadrature(votes, sigma):
    def log_integrand(x, j):
        others = sum(log_ndtr((x - v) / sigma) for i, v in enumerate(votes) if i != j)
        return others - 0.5 * ((x - votes[j]) / sigma) ** 2 - np.log(sigma * np.sqrt(2 * np.pi))

    log_pmf = oracles.gnmax_log_pmf(np.array(votes), sigma)
    for j, n in enumerate(votes):
        middle = (n + max(votes)) / 2
        top = log_integrand(middle, j)
        scaled = quad(
            lambda x, j=j, top=top: np.exp(log_integrand(x, j) - top),
            middle - 12 * sigma, middle + 12 * sigma, epsabs=0, epsrel=1e-12, limit=200)[0]  # fmt: skip
        assert log_pmf[j] == pytest.approx(np.log(scaled) + top, rel=1e-10, abs=1e-10)


def test_oracle_probabilities_sum_to_one_without_normalisation():
    points = oracles.lattice(24, 3)
    for log_pmf in (oracles.gnmax_log_pmf(points, 2.0, raw=True), oracles.lnmax_log_pmf(points, 1.5, raw=True)):
        np.testing.assert_allclose(np.exp(log_pmf).sum(axis=1), 1, atol=1e-13)


def test_oracle_divergence_of_two_coins():
    for p, q in ((0.3, 0.6), (1e-9, 3e-9), (1 - 1e-7, 1 - 5e-7)):
        for a in (1.5, 4.0, 30.0):
            exact = np.log(p**a * q ** (1 - a) + (1 - p) ** a * (1 - q) ** (1 - a)) / (a - 1)
            pair = [np.array([np.log(x), np.log1p(-x)]) for x in (p, q)]
            assert oracles.renyi(*pair, [a])[0] == pytest.approx(exact, rel=1e-6, abs=1e-15)
    # the small-difference limit a d^2 / (2 q), far below what ln(1 + ...) of rounded sums could show
    pair = [np.array([np.log(x), np.log1p(-x)]) for x in (1e-20, 1e-20 * (1 + 1e-6))]
    assert oracles.renyi(*pair, [3.0])[0] == pytest.approx(3.0 * 1e-20 * 1e-12 / 2, rel=1e-4)


def test_oracle_enumerations():
    points = oracles.lattice(7, 3)
    assert len(points) == 36
    assert np.all(points.sum(axis=1) == 7)
    assert len(np.unique(points, axis=0)) == 36
    around = {tuple(v) for v in oracles.neighbours([[4, 3, 0]])[0]} - {(4, 3, 0)}
    assert around == {(3, 4, 0), (3, 3, 1), (5, 2, 0), (4, 2, 1)}
    assert oracles.distances(points).max() == 7


# ---------------------------------------------------------------- pinned values


@pytest.mark.parametrize(
    "votes,sigma,order,wrong,q,beta,forward,reverse",
    [
        ((16, 4, 0), 2.0, 4.0, 1.105247086e-5, 1.105296e-5, 0.1546875, 8.49136945260e-2, 2.73455912131e-1),
        ((19, 1, 0), 2.0, 2.5, 1.075471291e-10, 1.075505e-10, 1.477535e-7, 9.48583971488e-8, 3.55765441550e-6),
        ((28, 2, 0), 3.0, 2.5, 4.648189268e-10, 4.648347e-10, 4.611324e-8, 2.90517589145e-8, 3.59612301048e-7),
    ],
)
def test_gnmax_pins(votes, sigma, order, wrong, q, beta, forward, reverse):
    votes = np.array([votes])
    here, there = oracles.gnmax_log_pmf(votes, sigma), oracles.gnmax_log_pmf(oracles.neighbours(votes)[0], sigma)
    log_q = gnmax.log_error_bound(votes, sigma)
    assert np.exp(here[0, 1:]).sum() == pytest.approx(wrong, rel=1e-9)
    assert np.exp(log_q[0]) == pytest.approx(q, rel=1e-6)
    assert gnmax.rdp(np.array([order]), log_q, sigma)[0, 0] == pytest.approx(beta, rel=1e-6)
    assert oracles.renyi(here, there, [order]).max() == pytest.approx(forward, rel=1e-10)
    assert oracles.renyi(there, here, [order]).max() == pytest.approx(reverse, rel=1e-10)


def test_lnmax_pin():
    votes, scale, order = np.array([[16, 4, 0]]), 1.0, np.array([4.0])
    log_q = lnmax.log_error_bound(votes, scale)
    here, there = oracles.lnmax_log_pmf(votes, scale), oracles.lnmax_log_pmf(oracles.neighbours(votes)[0], scale)
    assert np.exp(here[0, 1:]).sum() == pytest.approx(2.185633e-5, rel=1e-6)
    assert np.exp(log_q[0]) == pytest.approx(2.201115e-5, rel=1e-6)
    assert lnmax.rdp(order, log_q, scale)[0, 0] == pytest.approx(3.079046e-3, rel=1e-6)
    assert lnmax.log_moments(np.array([3]), log_q, scale)[0, 0] == pytest.approx(3 * 3.079046e-3, rel=1e-6)
    assert oracles.renyi(here, there, order).max() == pytest.approx(1.915699e-3, rel=1e-6)
    assert oracles.renyi(there, here, order).max() == pytest.approx(1.120571e-2, rel=1e-6)


def test_threshold_pin():
    order = np.array([2.5])
    log_p, log_rest = threshold.log_probabilities(np.array([20]), 30, 2.0)
    assert np.exp(log_p[0]) == pytest.approx(2.866516e-7, rel=1e-6)
    assert np.exp(log_rest[0]) == pytest.approx(1 - 2.866516e-7, rel=1e-12)
    assert threshold.rdp(order, np.array([20]), 30, 2.0)[0, 0] == pytest.approx(1.760253e-5, rel=1e-6)
    assert threshold.rdp_independent(order, 2.0)[0] == pytest.approx(2.5 / 8, rel=1e-14)
    here, there = oracles.threshold_log_pmf(20, 30, 2.0), oracles.threshold_log_pmf([19, 21], 30, 2.0)
    assert oracles.renyi(here, there, order).max() == pytest.approx(1.0748996e-5, rel=1e-7)
    assert oracles.renyi(there, here, order).max() == pytest.approx(8.705208e-5, rel=1e-6)


def test_gaussian_calibration_pins():
    sensitivity = 2 * np.sqrt(80) / 8
    closed = gaussian.sigma_rdp(sensitivity, 8.0, 1e-3)
    assert closed == pytest.approx(1.2826, abs=5e-5)
    assert gaussian.sigma_rdp(sensitivity * np.sqrt(48), 8.0, 1e-3) == pytest.approx(8.886, abs=5e-4)
    epsilon, order = oracles.optimal_gaussian_order(sensitivity, closed, 1e-3)
    assert epsilon == pytest.approx(8.0, rel=1e-9)
    assert order == pytest.approx(3.13, abs=5e-3)
    analytic = gaussian.sigma_analytic(sensitivity, 8.0, 1e-3)
    assert analytic == pytest.approx(1.0733, abs=5e-5)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(sensitivity=st.floats(0.01, 100), epsilon=st.floats(0.1, 12), log10_delta=st.floats(-9, -2))
def test_gaussian_calibrations_meet_their_budget(sensitivity, epsilon, log10_delta):
    delta = 10**log10_delta
    closed, analytic = (f(sensitivity, epsilon, delta) for f in (gaussian.sigma_rdp, gaussian.sigma_analytic))
    assert analytic <= closed
    assert oracles.optimal_gaussian_order(sensitivity, closed, delta)[0] == pytest.approx(epsilon, rel=1e-7)
    assert oracles.gaussian_delta(sensitivity, analytic, epsilon) <= delta * (1 + 1e-6)
    assert oracles.gaussian_delta(sensitivity, 0.999 * analytic, epsilon) > delta


def test_order_grid_is_the_published_one():
    orders = rdp.order_grid()
    expected = np.unique(np.concatenate([np.arange(2, 100.5, 0.5), np.geomspace(100, 500, 100)[1:]]))
    assert len(orders) == 296
    np.testing.assert_allclose(orders, expected, rtol=1e-12)
    assert orders[0] == 2.0
    assert orders[-1] == pytest.approx(500.0, rel=1e-12)


@pytest.mark.parametrize(
    "epsilon,order,delta,checks,sigma1,answers,sigma2",
    [
        (10.106, 5.0, 1e-8, 12000, 500.0, 10762, 100.0),
        (3.25, 8.5, 1e-5, 640, 150.0, 300, 40.0),
        (0.128, 288.0, 1e-8, 1000, 1500.0, 0, 100.0),
        (0.315, 118.0, 1e-8, 6000, 1500.0, 0, 100.0),
    ],
)
def test_independent_budgets(epsilon, order, delta, checks, sigma1, answers, sigma2):
    """checks a / (2 sigma1^2) + answers a / sigma2^2 + ln(1/delta) / (a - 1) at its best order on the grid."""
    orders = rdp.order_grid()
    total = checks * threshold.rdp_independent(orders, sigma1) + answers * gnmax.rdp_independent(orders, sigma2)
    ours, best = rdp.epsilon_classic(orders, total, delta)
    assert ours == pytest.approx(epsilon, abs=0.0005 if epsilon != 3.25 else 0.005)
    assert best == pytest.approx(order, rel=0.02)


def test_independent_laplace_budget():
    """4000 answers at scale 50, pure epsilon 0.04 each: 4000 a 0.04^2 / 2 + ln(1e8) / (a - 1) at a = 3.5."""
    orders = rdp.order_grid()
    ours, best = rdp.epsilon_classic(orders, 4000 * lnmax.rdp_independent(orders, 50.0), 1e-8)
    assert best == 3.5
    assert ours == pytest.approx(3.2 * 3.5 + np.log(1e8) / 2.5, rel=1e-12)


# ---------------------------------------------------------------- sensitivities of the votes


def test_one_teacher_changes_two_counts():
    points = oracles.lattice(12, 4)
    around = oracles.neighbours(points)
    distance = np.sqrt(((around - points[:, None, :]) ** 2).sum(axis=2))
    assert distance.max() == pytest.approx(np.sqrt(2), rel=1e-15)
    # independent bound = Gaussian mechanism with that sensitivity
    assert gnmax.rdp_independent(np.array([3.0]), 5.0)[0] == pytest.approx(3.0 * distance.max() ** 2 / 50, rel=1e-14)


def test_largest_count_moves_by_at_most_one():
    points = oracles.lattice(12, 4)
    change = np.abs(oracles.neighbours(points).max(axis=2) - points.max(axis=1)[:, None])
    assert change.max() == 1
    assert threshold.rdp_independent(np.array([3.0]), 5.0)[0] == pytest.approx(3.0 * change.max() ** 2 / 50, rel=1e-14)


def test_interactive_statistic_moves_by_at_most_one_for_any_scores():
    points = oracles.lattice(12, 4)
    around = oracles.neighbours(points)
    rng = np.random.default_rng(4)
    largest = 0.0
    for concentration in (0.05, 0.3, 1.0, 10.0):
        for _ in range(25):
            scores = rng.dirichlet(np.full(4, concentration), size=len(points))
            here = threshold.statistic(points, scores)
            np.testing.assert_allclose(here, (points - 12 * scores).max(axis=1), rtol=1e-13, atol=1e-13)
            flat = threshold.statistic(around.reshape(-1, 4), np.repeat(scores, around.shape[1], axis=0))
            largest = max(largest, np.abs(flat.reshape(around.shape[:2]) - here[:, None]).max())
    assert largest == pytest.approx(1.0, abs=1e-12)


# ---------------------------------------------------------------- samplers

DRAWS = 200_000
FALSE_ALARM = 1e-6  # the seeds are fixed, so this only says how surprising a failure would have to be


def repeat(votes):
    return np.tile(np.array(votes), (DRAWS, 1))


def assert_frequencies(counts, log_pmf):
    assert counts.sum() == DRAWS
    assert chisquare(counts, DRAWS * np.exp(log_pmf)).pvalue > FALSE_ALARM


@pytest.mark.parametrize("votes,noise", [((9, 8, 3), 2.0), ((6, 0, 0), 3.0), ((5, 5, 5, 5), 1.0), ((12, 8), 2.5)])
def test_samplers_of_one_answer(votes, noise):
    labels = sample_gnmax(repeat(votes), noise, np.random.default_rng(1))
    assert_frequencies(np.bincount(labels, minlength=len(votes)), oracles.gnmax_log_pmf(np.array(votes), noise))
    labels = sample_lnmax(repeat(votes), noise, np.random.default_rng(2))
    assert_frequencies(np.bincount(labels, minlength=len(votes)), oracles.lnmax_log_pmf(np.array(votes), noise))


@pytest.mark.parametrize(
    "votes,t,s1,s2", [((9, 8, 3), 10, 3.0, 2.0), ((6, 4, 4), 6, 1.0, 3.0), ((12, 8), 14, 2.0, 2.5)]
)
def test_sampler_of_confident_answers(votes, t, s1, s2):
    labels = confident_gnmax(repeat(votes), t, s1, s2, np.random.default_rng(3))
    counts = np.append(np.bincount(labels[labels >= 0], minlength=len(votes)), (labels == -1).sum())
    log_pmf = oracles.confident_log_pmf(np.array(votes), t, s1, s2)
    assert_frequencies(counts, log_pmf)
    # a check and an answer that shared their noise would be seen: the leader would win more often when it passed
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(DRAWS, len(votes)))
    passed = max(votes) + s1 * noise[:, np.argmax(votes)] >= t
    shared = np.where(passed, (np.array(votes) + s2 * noise).argmax(axis=1), -1)
    counts = np.append(np.bincount(shared[shared >= 0], minlength=len(votes)), (shared == -1).sum())
    assert chisquare(counts, DRAWS * np.exp(log_pmf)).pvalue < FALSE_ALARM


@pytest.mark.parametrize("scores,confidence,silent", [((0.7, 0.2, 0.1), 0.6, 2), ((0.4, 0.35, 0.25), 0.6, 0)])
def test_sampler_of_interactive_answers(scores, confidence, silent):
    votes, t, s1, s2 = np.array([9, 8, 3]), 3.0, 2.0, 1.5
    labels, source = interactive_gnmax(repeat(votes), repeat(scores), confidence, t, s1, s2, np.random.default_rng(5))
    answered = source == 1
    assert set(np.unique(source)) == {1, silent}
    assert np.all(labels[~answered] == (0 if silent == 2 else -1))
    counts = np.append(np.bincount(labels[answered], minlength=3), (~answered).sum())
    statistic = (votes - 20 * np.array(scores)).max()
    assert_frequencies(counts, oracles.confident_log_pmf(votes, t, s1, s2, statistic=statistic))


# ---------------------------------------------------------------- agreement with dp_accounting


@pytest.mark.parametrize("sigma,queries,delta", [(40.0, 640, 1e-5), (100.0, 4000, 1e-8), (5.0, 10, 1e-6)])
def test_epsilons_agree_with_dp_accounting(sigma, queries, delta):
    orders = rdp.order_grid()
    total = queries * gnmax.rdp_independent(orders, sigma)
    event = dp_accounting.GaussianDpEvent(sigma / np.sqrt(2))
    classic, tight = rdp.epsilon_classic(orders, total, delta)[0], rdp.epsilon_tight(orders, total, delta)[0]
    reference = rdp_privacy_accountant.RdpAccountant(orders).compose(event, queries).get_epsilon(delta)
    assert tight == pytest.approx(reference, rel=1e-10)
    printed = np.min(total + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1))
    assert tight == pytest.approx(printed, rel=1e-10)
    assert classic == pytest.approx(np.min(total + np.log(1 / delta) / (orders - 1)), rel=1e-14)
    exact = pld_privacy_accountant.PLDAccountant().compose(event, queries).get_epsilon(delta)
    assert exact <= tight * (1 + 1e-6) < classic
    sensitivity = np.sqrt(2 * queries)
    assert oracles.gaussian_delta(sensitivity, sigma, tight) <= delta
    assert oracles.gaussian_delta(sensitivity, sigma, 0.5 * classic) > delta
    # and the grid is fine enough: the best real order saves next to nothing
    assert classic <= 1.005 * oracles.optimal_gaussian_order(sensitivity, sigma, delta)[0]


def test_threshold_cost_agrees_with_dp_accounting():
    orders = rdp.order_grid()
    total = 640 * threshold.rdp_independent(orders, 150.0)
    reference = rdp_privacy_accountant.RdpAccountant(orders).compose(dp_accounting.GaussianDpEvent(150.0), 640)
    assert rdp.epsilon_tight(orders, total, 1e-5)[0] == pytest.approx(reference.get_epsilon(1e-5), rel=1e-10)


def test_optimal_order_is_returned():
    orders = np.array([2.0, 4.0, 8.0, 16.0])
    curve = 0.05 * orders
    for convert in (rdp.epsilon_classic, rdp.epsilon_tight):
        epsilon, order = convert(orders, curve, 1e-5)
        each = [convert(orders[i : i + 1], curve[i : i + 1], 1e-5)[0] for i in range(4)]
        assert epsilon == min(each)
        assert order == orders[np.argmin(each)]


# ---------------------------------------------------------------- monotonicity and symmetry

ORDERS = np.array([1.05, 1.5, 2.0, 3.0, 5.0, 8.0, 14.0, 30.0, 75.0])
HISTOGRAMS = st.lists(st.integers(0, 60), min_size=2, max_size=6).filter(lambda v: sum(v) > 0)
NOISE = st.floats(0.8, 60)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(sigma=NOISE, factor=st.floats(1.0, 4.0))
def test_more_noise_never_costs_more_data_independently(sigma, factor):
    for module in (gnmax, lnmax, threshold):
        assert np.all(module.rdp_independent(ORDERS, factor * sigma) <= module.rdp_independent(ORDERS, sigma))
    assert np.all(gnmax.rdp_independent(ORDERS, sigma) == 2 * threshold.rdp_independent(ORDERS, sigma))


def test_more_noise_can_cost_more_data_dependently():
    """Noise makes the answer less certain: only the data-independent cost is monotone in it."""
    votes, order = np.array([[20, 0, 0]]), np.array([3.0])
    less, more = (gnmax.rdp(order, gnmax.log_error_bound(votes, s), s)[0, 0] for s in (1.0, 4.0))
    assert more > 1e6 * less


@settings(max_examples=150, derandomize=True, deadline=None)
@given(votes=HISTOGRAMS, sigma=NOISE, data=st.randoms(use_true_random=False))
def test_costs_are_ordered_and_symmetric(votes, sigma, data):
    m, votes = len(votes), np.array([votes])
    log_q = gnmax.log_error_bound(votes, sigma)
    one, two = gnmax.rdp(ORDERS, log_q, sigma), gnmax.rdp_two_sided(ORDERS, log_q, sigma, m)
    independent = gnmax.rdp_independent(ORDERS, sigma)
    assert np.all(one >= 0)
    assert np.all(one <= two * (1 + 1e-12) + 1e-300)
    assert np.all(two <= independent)
    assert np.all(np.diff(one, axis=1) >= -1e-12 * one[:, 1:])  # a Renyi divergence grows with the order
    shuffled = data.sample(list(votes[0]), m)
    np.testing.assert_allclose(gnmax.log_error_bound(np.array([shuffled]), sigma), log_q, rtol=1e-12)
    laplace = lnmax.rdp(ORDERS, lnmax.log_error_bound(votes, sigma), sigma)
    assert np.all((laplace >= 0) & (laplace <= lnmax.rdp_independent(ORDERS, sigma) * (1 + 1e-12)))


@pytest.mark.slow
@settings(max_examples=150, derandomize=True, deadline=None)
@given(votes=HISTOGRAMS, t=st.integers(1, 200), s1=NOISE, s2=NOISE)
def test_joint_cost_lies_between_its_parts_and_their_sum(votes, t, s1, s2):
    """At least what the answer bit alone costs; at most the independent cost of both steps."""
    votes = np.array([votes])
    joint = confident.joint_rdp(ORDERS, votes, t, s1, s2)
    here = oracles.threshold_log_pmf(votes.max(axis=1), t, s1)
    bit = np.max(
        [oracles.renyi(here, oracles.threshold_log_pmf(votes.max(axis=1) + s, t, s1), ORDERS) for s in (-1, 1)], axis=0
    )
    assert np.all(joint >= bit * (1 - 1e-8) - 1e-13)
    both = threshold.rdp_independent(ORDERS, s1) + gnmax.rdp_independent(ORDERS, s2)
    assert np.all(joint <= both * (1 + 1e-9))
    charged = confident.charge_all_rdp(ORDERS, votes, t, s1, s2)
    expected = confident.expected_rdp(ORDERS, votes, t, s1, s2)
    assert np.all(expected <= charged * (1 + 1e-12))
    assert np.all(charged <= both * (1 + 1e-12))


def test_everything_is_vectorised_over_queries():
    votes = oracles.lattice(20, 3)[::7]
    log_q = gnmax.log_error_bound(votes, 2.0)
    together = confident.joint_rdp(ORDERS, votes, 12, 2.0, 1.5)
    assert together.shape == (len(votes), ORDERS.size)
    for i in (0, 3, len(votes) - 1):
        row = votes[i : i + 1]
        np.testing.assert_allclose(gnmax.log_error_bound(row, 2.0), log_q[i : i + 1], rtol=1e-14)
        np.testing.assert_allclose(confident.joint_rdp(ORDERS, row, 12, 2.0, 1.5)[0], together[i], rtol=1e-13)


# ---------------------------------------------------------------- easy mistakes


@pytest.mark.parametrize("votes,queries", [((16, 4, 0), 10), ((16, 4, 0), 100), ((14, 6, 0), 10)])
def test_moments_order_is_inside_the_bracket(votes, queries):
    """epsilon = min over l of (sum alpha(l) + ln(1/delta)) / l.

    Dividing by l + 1, taking alpha(l - 1) for alpha(l), or leaving ln(1/delta) out of the bracket all give less than
    the exact moments of the same queries do; a moment without its logarithm is about 1 and gives far more.
    """
    scale, delta, moments = 1.0, 1e-5, np.arange(1, 60)
    votes = np.array([votes])
    total = queries * lnmax.log_moments(moments, lnmax.log_error_bound(votes, scale), scale)[0]
    epsilon, _ = rdp.epsilon_classic(moments + 1.0, total / moments, delta)
    assert lnmax.epsilon_moments(moments, total, delta)[0] == pytest.approx(epsilon, rel=1e-12)
    here, there = oracles.lnmax_log_pmf(votes, scale), oracles.lnmax_log_pmf(oracles.neighbours(votes)[0], scale)
    exact_total = queries * moments * oracles.renyi(here, there, moments + 1.0)
    exact = ((exact_total + np.log(1 / delta)) / moments).min(axis=1).max()
    assert exact <= epsilon <= 1.25 * exact
    assert ((total + np.log(1 / delta)) / (moments + 1)).min() < exact
    assert ((np.append(0.0, total[:-1]) + np.log(1 / delta)) / moments).min() < exact
    assert (total + np.log(1 / delta) / moments).min() != pytest.approx(epsilon, rel=0.01)
    without_log = queries * np.minimum(np.exp(total / queries), 2 * moments)
    assert ((without_log + np.log(1 / delta)) / moments).min() > 1.25 * exact


def test_laplace_scale_is_lambda_not_one_over_lambda():
    """Sampler and accounting share one convention: the noise has density e^(-|x| / scale) / (2 scale)."""
    gap, scale = 6, 4.0
    t = gap / scale
    loses = (2 + t) / (4 * np.exp(t))
    labels = sample_lnmax(repeat((gap, 0)), scale, np.random.default_rng(6))
    assert labels.mean() == pytest.approx(loses, abs=6 * np.sqrt(loses * (1 - loses) / DRAWS))
    assert np.exp(lnmax.log_error_bound(np.array([[gap, 0]]), scale)[0]) == pytest.approx(loses, rel=1e-12)
    # X, the difference of two draws, has variance 2 (2 scale^2) = 4 int x Pr[X > x] dx, and Pr[X > x] is how often
    # the runner-up wins at gap x
    gaps = np.arange(0, 60, 2)
    wins = np.array([sample_lnmax(repeat((g, 0)), scale, np.random.default_rng(7)).mean() for g in gaps])
    assert np.trapezoid(4 * gaps * wins, gaps) == pytest.approx(4 * scale**2, rel=0.05)
    # pure privacy loss: two counts change by one, 2 / scale, and it is nearly attained
    votes = np.array([[40, 0]])
    here, there = oracles.lnmax_log_pmf(votes, scale), oracles.lnmax_log_pmf(oracles.neighbours(votes)[0], scale)
    worst = oracles.renyi(there, here, [1e4]).max()
    assert lnmax.rdp_independent(np.array([1e4]), scale)[0] == pytest.approx(2 / scale, rel=1e-12)
    assert 0.9 * 2 / scale < worst <= 2 / scale


def test_gaussian_noise_is_a_standard_deviation():
    """sigma, not sigma^2, in the sampler and in the bound."""
    gap, sigma = 6, 4.0
    loses = ndtr(-gap / (np.sqrt(2) * sigma))
    labels = sample_gnmax(repeat((gap, 0)), sigma, np.random.default_rng(8))
    assert labels.mean() == pytest.approx(loses, abs=6 * np.sqrt(loses * (1 - loses) / DRAWS))
    assert np.exp(gnmax.log_error_bound(np.array([[gap, 0]]), sigma)[0]) == pytest.approx(loses, rel=1e-12)
