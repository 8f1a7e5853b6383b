"""Smooth sensitivity against brute force over the whole lattice of histograms, and the cost of its noisy release."""

import functools

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pate_accountant import gnss
from pate_accountant import smooth_sensitivity as smooth
from tests import oracles

BETAS = (0.02, 0.1, 0.3, 1.0)
# teachers, classes, sigma, order: settings in which condition C6 holds ...
SOUND = [
    (30, 2, 4.0, 4.0),
    (60, 2, 6.0, 5.0),
    (20, 2, 2.0, 2.5),
    (30, 3, 3.0, 3.0),
    (30, 3, 5.0, 2.0),
    (25, 3, 2.0, 2.5),
    (20, 4, 2.0, 2.5),
    (16, 4, 1.5, 2.0),
    (8, 3, 4.0, 3.0),  # so few teachers that even a unanimous vote is uncertain
]
# ... and in which it does not
UNSOUND = [(30, 3, 4.0, 6.0), (20, 3, 3.0, 4.0), (40, 2, 4.0, 8.0), (16, 4, 1.5, 4.0)]


def local_sensitivity(votes, sigma, order, distance):
    return smooth.Sequence(votes, sigma, order).local_sensitivity(distance)


def smooth_sensitivity(votes, sigma, order, beta, weights=None):
    return smooth.maximise(smooth.Sequence(votes, sigma, order, weights), beta)


@functools.cache
def setting(teachers, classes, sigma, order):
    """(lattice, index of every neighbour, the library's bound at every distance as an (n, teachers + 1) matrix)."""
    points = oracles.lattice(teachers, classes)
    position = {tuple(p): i for i, p in enumerate(points)}
    around = np.array([[position[tuple(v)] for v in rows] for rows in oracles.neighbours(points)])
    by_distance = np.stack([local_sensitivity(points, sigma, order, d) for d in range(teachers + 1)], axis=1)
    return points, around, by_distance


def discounted(by_distance, beta):
    return (np.exp(-beta * np.arange(by_distance.shape[-1])) * by_distance).max(axis=-1)


# ---------------------------------------------------------------- algorithms 3 to 5


@pytest.mark.slow
@pytest.mark.parametrize("case", SOUND)
@pytest.mark.parametrize("beta", BETAS)
def test_bounds_the_exact_smooth_sensitivity(case, beta):
    points, _, by_distance = setting(*case)
    exact = oracles.exact_smooth_sensitivity(points, case[2], case[3], beta)
    ours = discounted(by_distance, beta)
    assert np.all(exact <= ours * (1 + 1e-9))
    assert np.all(ours >= by_distance[:, 0])
    if case[1] == 2:  # with one gap only, the bound is nearly the exact value
        assert (exact / ours).max() > 0.95


@pytest.mark.parametrize("case", SOUND)
def test_bounds_the_local_sensitivity_at_and_within_every_distance(case):
    points, _, by_distance = setting(*case)
    exact = oracles.exact_local_sensitivity(points, case[2], case[3])
    apart = oracles.distances(points)
    for d in range(case[0] + 1):
        assert np.all(np.where(apart <= d, exact[None, :], 0).max(axis=1) <= by_distance[:, d] * (1 + 1e-9))


@pytest.mark.parametrize("case", SOUND)
def test_one_changed_vote_is_one_step_of_distance(case):
    """LS_d of a neighbour is at most LS_(d+1): smoothness of a whole sequence follows by adding over queries."""
    _, around, by_distance = setting(*case)
    assert np.all(by_distance[around][:, :, :-1] <= by_distance[:, None, 1:] * (1 + 1e-9))
    assert np.ptp(by_distance) > 0.1 * by_distance.max()


@pytest.mark.parametrize("case", SOUND)
@pytest.mark.parametrize("beta", BETAS)
def test_smooth_between_neighbours(case, beta):
    _, around, by_distance = setting(*case)
    ours = discounted(by_distance, beta)
    ratio = ours[around] / ours[:, None]
    assert ratio.max() <= np.exp(beta) * (1 + 1e-9)
    if beta <= 0.1:
        assert ratio.max() > np.exp(beta) * (1 - 1e-6)  # attained, so a smaller exponent would fail


@pytest.mark.parametrize("case", SOUND + UNSOUND)
def test_algorithm_four_one_vote_at_a_time(case):
    teachers, _, sigma, order = case
    points, _, by_distance = setting(*case)
    rng = np.random.default_rng(teachers)
    for i in rng.choice(len(points), size=min(10, len(points)), replace=False):
        for d in (0, 1, 2, 3, 5, 8, teachers // 2, teachers):
            expected = oracles.algorithm_four(list(points[i]), sigma, order, d)
            assert by_distance[i, d] == pytest.approx(expected, rel=1e-6, abs=1e-13), (points[i], d)


@pytest.mark.parametrize("case", SOUND[3:5] + UNSOUND[:1])
def test_equals_the_plain_maximum_over_all_distances(case):
    _, _, sigma, order = case
    points, _, by_distance = setting(*case)
    rng = np.random.default_rng(2)
    for trial in range(25):
        rows = rng.integers(len(points), size=rng.integers(1, 12))
        weights = None if trial % 2 else rng.uniform(0, 1, size=rows.size)
        total = by_distance[rows].sum(axis=0) if weights is None else weights @ by_distance[rows]
        beta = float(rng.choice([0.005, 0.02, 0.1, 0.5, 2.0]))
        ours = smooth_sensitivity(points[rows], sigma, order, beta, weights=weights)
        assert ours == pytest.approx(discounted(total, beta), rel=1e-12)


def test_equals_the_plain_maximum_for_many_teachers():
    rng = np.random.default_rng(7)
    shares = rng.dirichlet(np.full(10, 0.3), size=40)
    votes = np.array([rng.multinomial(250, p) for p in shares])
    weights = rng.uniform(0, 1, size=40)
    total = np.array([weights @ local_sensitivity(votes, 40.0, 14.0, d) for d in range(251)])
    for beta in (0.005, 0.0329, 0.2):
        ours = smooth_sensitivity(votes, 40.0, 14.0, beta, weights=weights)
        assert ours == pytest.approx(discounted(total, beta), rel=1e-12)
    assert np.argmax(np.exp(-0.0329 * np.arange(251)) * total) > 0  # the maximum is not simply the local sensitivity


SEQUENCES = st.lists(st.integers(0, 495), min_size=1, max_size=6)  # rows of the lattice of 30 teachers, 3 classes


@settings(max_examples=60, derandomize=True, deadline=None)
@given(rows=SEQUENCES, betas=st.tuples(st.floats(0.005, 1.5), st.floats(0.005, 1.5)))
def test_decreases_in_beta_and_is_at_least_the_local_sensitivity(rows, betas):
    case = (30, 3, 3.0, 3.0)
    points, _, by_distance = setting(*case)
    low, high = sorted(betas)
    values = [smooth_sensitivity(points[rows], 3.0, 3.0, b) for b in (low, high)]
    assert values[1] <= values[0] * (1 + 1e-12)
    assert values[1] >= by_distance[rows, 0].sum() * (1 - 1e-12)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(rows=SEQUENCES, moves=st.lists(st.integers(0, 5), min_size=6, max_size=6), beta=st.floats(0.005, 1.0))
def test_sequence_is_smooth_when_one_teacher_changes_every_vote(rows, moves, beta):
    points, around, _ = setting(30, 3, 3.0, 3.0)
    other = [around[i, j] for i, j in zip(rows, moves, strict=False)]
    here, there = (smooth_sensitivity(points[r], 3.0, 3.0, beta) for r in (rows, other))
    assert there <= here * np.exp(beta) * (1 + 1e-9)


# ---------------------------------------------------------------- conditions


@pytest.mark.parametrize("case", SOUND)
def test_conditions_hold(case):
    holds = smooth.conditions(case[2], case[3], case[1])
    assert holds.c5
    assert holds.c6


@pytest.mark.parametrize("case", UNSOUND)
def test_c6_fails(case):
    holds = smooth.conditions(case[2], case[3], case[1])
    assert holds.c5
    assert not holds.c6


@pytest.mark.parametrize("classes,order", [(10, 14.0), (10, 7.5), (2, 15.5)])
def test_conditions_hold_at_the_published_settings(classes, order):
    holds = smooth.conditions(40.0, order, classes)
    assert holds.c5
    assert holds.c6


@pytest.mark.parametrize("case", SOUND + UNSOUND + [(250, 10, 40.0, 14.0), (250, 10, 40.0, 7.5), (250, 2, 40.0, 15.5)])
def test_conditions_agree_with_a_direct_evaluation(case):
    """beta on [0, q0] and beta(B_U(q)) - beta(q) on [0, q1], on a grid of its own."""
    _, classes, sigma, order = case
    log_q0, log_q1 = oracles.crossing(sigma, order, classes)
    grid = np.linspace(-500, log_q0, 3001)
    c5 = np.all(np.diff(oracles.gnmax_beta(order, grid, sigma)) >= -1e-13)
    grid = np.linspace(-500, log_q1, 3001)
    up = np.log(oracles.neighbour_error_range(np.exp(grid), sigma, classes)[1])
    step = oracles.gnmax_beta(order, up, sigma) - oracles.gnmax_beta(order, grid, sigma)
    c6 = np.all(np.diff(step) >= -1e-9 * step.max())
    holds = smooth.conditions(sigma, order, classes)
    assert (holds.c5, holds.c6) == (c5, c6)


def test_smoothness_fails_without_c6():
    """Why the condition must be checked: at beta = 0.02 one vote changes the result by e^(4.88 beta)."""
    _, around, by_distance = setting(*UNSOUND[0])
    ours = discounted(by_distance, 0.02)
    assert np.log((ours[around] / ours[:, None]).max()) / 0.02 == pytest.approx(4.881, abs=5e-3)


def test_bound_fails_without_c6():
    """Without C6 the algorithm is not even an upper bound: the step up is largest below q1, not at q1."""
    case = UNSOUND[2]
    points, _, by_distance = setting(*case)
    exact = oracles.exact_smooth_sensitivity(points, case[2], case[3], 0.02)
    assert (exact / discounted(by_distance, 0.02)).max() == pytest.approx(2.1626, abs=1e-3)


# ---------------------------------------------------------------- cost of the noisy release


def released_pair(order, beta, sigma_ss, ratio):
    """Divergence between N(f, (s sigma_ss)^2) and N(f', (r s sigma_ss)^2), |f - f'| = s min(1, r); s cancels."""
    return oracles.gaussian_renyi(order, 0.0, sigma_ss, np.minimum(1, ratio), ratio * sigma_ss)


GNSS = {"order": st.floats(1.05, 60), "product": st.floats(0.001, 0.6), "sigma_ss": st.floats(0.3, 50)}


def test_gaussian_divergence_of_the_oracle_by_quadrature():
    rng = np.random.default_rng(0)
    compared = 0
    for _ in range(200):
        order, s_p, s_q = rng.uniform(1.1, 40), rng.uniform(0.5, 2), rng.uniform(0.5, 2)
        if (1 - order) * s_p**2 + order * s_q**2 > 0:
            closed = oracles.gaussian_renyi(order, 0.3, s_p, -0.4, s_q)
            assert oracles.gaussian_renyi_numeric(order, 0.3, s_p, -0.4, s_q) == pytest.approx(closed, rel=1e-9)
            compared += 1
    assert compared > 50


@settings(max_examples=200, derandomize=True, deadline=None)
@given(**GNSS)
def test_exact_cost_is_the_worst_ratio(order, product, sigma_ss):
    beta = product / order
    ratios = np.exp(np.concatenate([np.linspace(-beta, beta, 801), -beta * (1 - np.logspace(-9, -2, 50))]))
    ratios[0] = np.exp(-beta)
    worst = released_pair(order, beta, sigma_ss, ratios).max()
    cost = gnss.cost_exact(order, beta, sigma_ss)
    if np.isinf(worst):
        assert cost == np.inf
    else:
        assert cost >= worst * (1 - 1e-9) - 1e-13
        assert cost == pytest.approx(worst, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("sigma_ss", [0.3, 1.0, 5.0, 50.0, 1e4])
@pytest.mark.parametrize("order", [1.01, 1.5, 4.0, 14.0, 60.0])
def test_the_divergence_falls_and_then_rises_so_that_it_is_largest_at_an_end(order, sigma_ss):
    limit = 0.5 * np.log(order / (order - 1))
    for beta in (0.01 * limit, 0.3 * limit, 0.99 * limit):
        found = released_pair(order, beta, sigma_ss, np.exp(np.linspace(-beta, beta, 4001)))
        rising = np.diff(found) > 1e-12 * np.abs(found[1:])
        assert not (~rising[np.argmax(rising) :]).any() or not rising.any()
        assert gnss.cost_exact(order, beta, sigma_ss) == pytest.approx(found.max(), rel=1e-9)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(**GNSS, position=st.floats(-1, 1))
def test_exact_cost_bounds_the_numerical_integral(order, product, sigma_ss, position):
    beta = product / order
    ratio = np.exp(position * beta)
    cost = gnss.cost_exact(order, beta, sigma_ss)
    if np.isfinite(cost):
        numeric = oracles.gaussian_renyi_numeric(order, 0.0, sigma_ss, min(1, ratio), ratio * sigma_ss)
        assert numeric <= cost * (1 + 1e-8) + 1e-11


def test_exact_cost_is_infinite_where_the_divergence_is():
    order = 14.0
    limit = 0.5 * np.log(order / (order - 1))  # 1 - order + order e^(-2 beta) = 0
    assert np.isfinite(gnss.cost_exact(order, 0.999 * limit, 6.0))
    assert gnss.cost_exact(order, 1.001 * limit, 6.0) == np.inf
    assert gnss.cost_printed(order, 1.001 / (2 * order), 6.0) == np.inf


def test_printed_cost_is_violated():
    """order * beta close to 1/2, the published setting for MNIST: the printed cost is a third of the true one."""
    order, beta, sigma_ss = 14.0, 0.0329, 6.233
    worst = oracles.gaussian_renyi_numeric(order, 0.0, sigma_ss, np.exp(-beta), np.exp(-beta) * sigma_ss)
    assert worst == pytest.approx(1.60556, abs=5e-6)
    assert gnss.cost_exact(order, beta, sigma_ss) == pytest.approx(worst, rel=1e-9)
    assert gnss.cost_printed(order, beta, sigma_ss) == pytest.approx(0.51802, abs=5e-6)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(order=st.floats(1.05, 60), product=st.floats(0.001, 0.25), sigma_ss=st.floats(0.3, 50))
def test_printed_cost_is_a_bound_up_to_a_quarter(order, product, sigma_ss):
    assert gnss.cost_exact(order, product / order, sigma_ss) <= gnss.cost_printed(order, product / order, sigma_ss)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(**GNSS, factor=st.floats(1.0, 3.0))
def test_exact_cost_falls_with_noise_and_grows_with_beta(order, product, sigma_ss, factor):
    beta = product / order
    cost = gnss.cost_exact(order, beta, sigma_ss)
    assert gnss.cost_exact(order, beta, factor * sigma_ss) <= cost
    assert gnss.cost_exact(order, factor * beta, sigma_ss) >= cost * (1 - 1e-12)


def test_queries_are_followed_in_blocks_as_they_are_at_once(monkeypatch):
    votes = np.random.default_rng(5).multinomial(40, [0.5, 0.3, 0.2], 11)
    at_once = [local_sensitivity(votes, 4.0, 6.0, distance) for distance in (0, 3, 20)]
    monkeypatch.setattr(smooth, "BLOCK", 4)
    in_blocks = [local_sensitivity(votes, 4.0, 6.0, distance) for distance in (0, 3, 20)]
    np.testing.assert_array_equal(at_once, in_blocks)


@pytest.mark.parametrize("order", [1 + 1e-10, 1.0000001, 1.001, 2.0, 60.0])
@pytest.mark.parametrize("beta", [1e-6, 1e-3, 4e-3])
@pytest.mark.parametrize("sigma_ss", [5.0, 1e4])
def test_the_exact_cost_is_not_rounded_down_near_order_1(order, beta, sigma_ss):
    with mpmath.workdps(50):
        a, b, s = mpmath.mpf(order), mpmath.mpf(beta), mpmath.mpf(sigma_ss)
        every = []
        for r in (mpmath.exp(-b), mpmath.exp(b)):
            v = 1 - a + a * r**2
            every.append(a * min(1, r**2) / (2 * s**2 * v) + mpmath.log(r) + mpmath.log(r**2 / v) / (2 * (a - 1)))
        assert gnss.cost_exact(order, beta, sigma_ss) == pytest.approx(float(max(every)), rel=1e-11)
