"""The release of a data-dependent epsilon: the maximum, the choice of parameters, the draw, and the checks' part."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from pate_accountant import gnss, sanitize, threshold
from pate_accountant.released_epsilon import ReleasedEpsilon, release_epsilon
from pate_accountant.smooth_sensitivity import CheckSequence, Conditions, Sequence, discounted_maximum, maximise
from tests import oracles

FIXED = settings(derandomize=True, deadline=None, max_examples=150)


# ---------------------------------------------------------------- the discounted maximum


def plain_maximum(values, beta):
    return max(math.exp(-beta * d) * value for d, value in enumerate(values))


@given(st.lists(st.floats(0, 10) | st.just(0.0), min_size=1, max_size=80), st.floats(0.001, 3))
@FIXED
def test_equals_the_plain_maximum_for_any_sequence_that_never_falls(steps, beta):
    values = np.cumsum(steps).tolist()
    found = discounted_maximum(values.__getitem__, len(values) - 1, beta)
    assert found == pytest.approx(plain_maximum(values, beta), rel=1e-12)


@given(st.lists(st.integers(0, 60), min_size=1, max_size=6), st.floats(0.01, 1))
@FIXED
def test_equals_the_plain_maximum_for_sequences_of_few_jumps(jumps, beta):
    values = [float(sum(d >= jump for jump in jumps)) for d in range(61)]
    found = discounted_maximum(values.__getitem__, 60, beta)
    assert found == pytest.approx(plain_maximum(values, beta), rel=1e-12)


@pytest.mark.parametrize("beta", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("middle", [10.0, 200.0, 1500.0])
def test_few_distances_are_evaluated(beta, middle):
    asked = set()

    def total(distance):
        asked.add(distance)
        return 1 / (1 + math.exp(-(distance - middle) / 30)) + 0.01

    found = discounted_maximum(total, 2000, beta)
    assert len(asked) < 100
    assert found == pytest.approx(plain_maximum(map(total, range(2001)), beta), rel=1e-12)


def test_a_single_distance_is_its_own_maximum():
    assert discounted_maximum(lambda distance: 7.0, 0, 0.5) == 7.0


# ---------------------------------------------------------------- answers and the published value together

RUN = {"aggregator": "confident_gnmax", "noise": "continuous", "delta": 0.1, "queries": 1, "max_answered": 1}
RUN |= {"threshold": 12.0, "sigma_threshold": 4.0, "sigma": 10.0}
GRID = {"first": 0.3, "last": 0.495, "step": 0.1, "fixed_beta": 0.3, "fixed_sigma_ss": 2.0}
MOST = 20


def released(zeros: int) -> ReleasedEpsilon:
    """The release of a run that asks one query of 20 teachers, of whom so many vote for class 0."""
    votes, orders = np.array([[zeros, MOST - zeros]]), np.arange(2.0, 40.0, 0.5)
    return release_epsilon(orders, votes, MOST, RUN, 8, GRID, np.random.default_rng(1))


def outputs(zeros: int) -> np.ndarray:
    """Probabilities of no answer, class 0 and class 1, written out."""
    passed = norm.cdf((max(zeros, MOST - zeros) - RUN["threshold"]) / RUN["sigma_threshold"])
    first = norm.cdf((2 * zeros - MOST) / (math.sqrt(2) * RUN["sigma"]))
    return np.array([1 - passed, passed * first, passed * (1 - first)])


def test_answers_and_the_published_value_cost_no_more_than_is_guaranteed_of_both():
    """The divergence at the release's order, written out, of every pair of neighbours, both ways."""
    every = [released(zeros) for zeros in range(MOST + 1)]
    (joint,) = {made.privacy["epsilon_caps_with_release"] for made in every}
    alone, order = every[0].privacy["epsilon_caps"], every[0].numbers["fixed_order"]
    assert joint.guarantee and alone.guarantee
    bound, too_little = (made.epsilon - math.log(1 / RUN["delta"]) / (order - 1) for made in (joint, alone))
    worst = 0.0
    for here in range(MOST + 1):
        for there in {max(here - 1, 0), min(here + 1, MOST)} - {here}:
            p, q = outputs(here), outputs(there)
            answers = math.log((p**order * q ** (1 - order)).sum()) / (order - 1)
            means = (every[zeros].privacy["sanitized_epsilon_fixed"].epsilon for zeros in (here, there))
            stds = (every[zeros].numbers["fixed_std"] for zeros in (here, there))
            pair = [number for both in zip(means, stds, strict=True) for number in both]
            worst = max(worst, answers + oracles.gaussian_renyi(order, *pair))
    assert max(too_little, 0.4 * bound) < worst <= bound


# ---------------------------------------------------------------- the choice of parameters

ORDER, SIGMA, TEACHERS = 4.0, 4.0, 30
VOTES = np.array([[28, 2, 0], [20, 9, 1], [12, 10, 8], [30, 0, 0], [16, 13, 1]])


def parts(weights=None):
    sequence = Sequence(VOTES, SIGMA, ORDER, weights)
    checks = CheckSequence(VOTES.max(axis=1), TEACHERS, 16.0, 4.0, ORDER)
    return sequence, checks


def objective(release):
    return release.cost + 2 * release.std


def test_the_grid_of_smoothness():
    np.testing.assert_allclose(sanitize.smoothness_grid(5.0, 0.3, 0.495, 0.05), np.array([0.3, 0.35, 0.4, 0.45]) / 5)
    assert (sanitize.smoothness_grid(20.5, 0.3, 0.495, 0.01) < 0.495 / 20.5).all()
    assert len(sanitize.smoothness_grid(20.5, 0.3, 0.495, 0.01)) == 20


@pytest.mark.parametrize("price", [gnss.cost_printed, gnss.cost_exact])
@pytest.mark.parametrize("weights", [None, np.array([1.0, 0.3, 0.0, 0.9, 0.5])])
def test_the_choice_is_the_best_of_its_grid(price, weights):
    sequence, checks = parts(weights)
    betas = sanitize.smoothness_grid(ORDER, 0.02, 0.495, 0.03)
    best = math.inf
    for beta in betas:
        sensitivity = max(math.exp(-beta * d) * (sequence.total(d) + checks.total(d)) for d in range(TEACHERS + 1))
        sigma_ss = (ORDER * math.exp(2 * beta) / sensitivity) ** (1 / 3)
        best = min(best, price(ORDER, beta, sigma_ss) + 2 * sensitivity * sigma_ss)
    chosen = sanitize.choose(sequence, checks, betas, price, optimise_noise=False)
    assert objective(chosen) == pytest.approx(best, rel=1e-9)
    assert chosen.beta in betas
    assert chosen.sensitivity == pytest.approx(maximise(sequence, chosen.beta, checks), rel=1e-12)
    assert chosen.sigma_ss == pytest.approx((ORDER * math.exp(2 * chosen.beta) / chosen.sensitivity) ** (1 / 3))
    assert chosen.cost == price(ORDER, chosen.beta, chosen.sigma_ss)
    assert chosen.std == chosen.sensitivity * chosen.sigma_ss


def test_the_choice_is_no_end_of_the_grid_by_habit():
    """At this setting the best smoothness lies inside the grid, so that neither the first nor the last would do."""
    sequence, checks = parts()
    betas = sanitize.smoothness_grid(ORDER, 0.02, 0.495, 0.03)
    chosen = sanitize.choose(sequence, checks, betas, gnss.cost_printed, optimise_noise=False)
    assert betas[0] < chosen.beta < betas[-1]


def test_the_best_noise_is_the_best_of_a_fine_grid_and_no_worse_than_the_papers():
    sequence, checks = parts()
    betas = sanitize.smoothness_grid(ORDER, 0.1, 0.4, 0.1)
    chosen = sanitize.choose(sequence, checks, betas, gnss.cost_exact, optimise_noise=True)
    papers = sanitize.choose(sequence, checks, betas, gnss.cost_exact, optimise_noise=False)
    assert objective(chosen) <= objective(papers) * (1 + 1e-9)
    best = min(
        gnss.cost_exact(ORDER, beta, sigma_ss) + 2 * maximise(sequence, beta, checks) * sigma_ss
        for beta in betas
        for sigma_ss in np.geomspace(1, 100, 300)
    )
    assert objective(chosen) <= best * (1 + 1e-4)


def test_fixed_parameters_are_kept_and_priced_exactly():
    sequence, checks = parts()
    release = sanitize.fixed(sequence, checks, 0.08, 5.0)
    assert (release.beta, release.sigma_ss) == (0.08, 5.0)
    assert release.sensitivity == pytest.approx(maximise(sequence, 0.08, checks), rel=1e-12)
    assert release.cost == gnss.cost_exact(ORDER, 0.08, 5.0)


def test_the_checks_are_part_of_the_sensitivity():
    sequence, checks = parts()
    assert maximise(sequence, 0.08, checks) > maximise(sequence, 0.08)


def test_nothing_is_released_where_the_sensitivity_is_not_smooth():
    assert sanitize.releasable(SIGMA, ORDER, 3)
    assert not sanitize.releasable(4.0, 6.0, 3)  # C6 fails
    votes = VOTES[:2]
    sequence = Sequence(votes, 4.0, 6.0)
    checks = CheckSequence(votes.max(axis=1), TEACHERS, 16.0, 4.0, 6.0)
    with pytest.raises(ValueError, match="no release at order"):
        sanitize.choose(sequence, checks, np.array([0.05]), gnss.cost_exact, optimise_noise=False)
    with pytest.raises(ValueError, match="no release at order"):
        sanitize.fixed(sequence, checks, 0.05, 5.0)


@pytest.mark.parametrize("failing", ["c5", "c6"])
def test_both_conditions_are_asked(monkeypatch, failing):
    holds = Conditions(**{"c5": True, "c6": True} | {failing: False})
    monkeypatch.setattr(sanitize, "conditions", lambda *setting: holds)
    assert not sanitize.releasable(SIGMA, ORDER, 3)
    with pytest.raises(ValueError):
        sanitize.fixed(*parts(), 0.05, 5.0)


# ---------------------------------------------------------------- the draw and its cost


@pytest.mark.parametrize(("epsilon", "sensitivity", "sigma_ss"), [(8.0, 0.1, 3.0), (5.0, 0.02, 20.0)])
def test_releases_have_the_stated_mean_and_deviation(epsilon, sensitivity, sigma_ss):
    rng = np.random.default_rng(11)
    drawn = np.array([gnss.release(epsilon, sensitivity, sigma_ss, rng) for _ in range(40_000)])
    deviation = sensitivity * sigma_ss
    assert abs(drawn.mean() - epsilon) < 5 * deviation / 200
    assert drawn.std() == pytest.approx(deviation, rel=0.02)
    assert 0.48 < (drawn < epsilon).mean() < 0.52


def test_releases_are_never_negative():
    rng = np.random.default_rng(12)
    drawn = [gnss.release(0.1, 1.0, 3.0, rng) for _ in range(2000)]
    assert min(drawn) == 0.0 and max(drawn) > 1.0
    assert np.mean(drawn) > 0.1 + 5 * np.std(drawn) / len(drawn) ** 0.5  # so their mean lies above


def test_releases_repeat_with_their_generator():
    first, second, other = (gnss.release(5.0, 0.1, 3.0, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == second != other


@pytest.mark.parametrize("order", [2.0, 5.0, 20.0, 100.0])
def test_the_exact_cost_is_infinite_from_where_the_variance_vanishes(order):
    # (1 - order) + order e^(-2 beta) = 0
    limit = 0.5 * math.log(order / (order - 1))
    assert math.isinf(gnss.cost_exact(order, limit * (1 + 1e-9), 5.0))
    assert math.isinf(gnss.cost_exact(order, 2 * limit, 5.0))
    assert math.isfinite(gnss.cost_exact(order, limit * (1 - 1e-6), 5.0))


def test_the_exact_cost_without_a_change_of_scale_is_that_of_gaussian_noise():
    assert gnss.cost_exact(6.0, 1e-12, 5.0) == pytest.approx(6.0 / 50, rel=1e-6)


@pytest.mark.parametrize("order", [1.0, 0.5, 5.0, 10.0])
def test_the_printed_cost_ends_at_its_condition(order):
    assert math.isinf(gnss.cost_printed(order, 0.1, 5.0))
    assert math.isfinite(gnss.cost_printed(4.999, 0.1, 5.0))


# ---------------------------------------------------------------- the threshold checks' part


def brute_force(plurality, limit, sigma, order, distance, teachers=20):
    """Sum over the checks of the largest step of cost at any plurality that `distance` changed votes can reach."""
    cost = threshold.rdp(np.array([order]), np.arange(teachers + 1), limit, sigma)[:, 0]
    total = 0.0
    for value in plurality:
        steps = [
            abs(cost[there] - cost[other])
            for there in range(teachers + 1)
            if abs(there - value) <= distance
            for other in (there - 1, there + 1)
            if 0 <= other <= teachers
        ]
        total += max(steps)
    return total


@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=8),
    st.floats(0, 30),
    st.floats(1, 12),
    st.floats(1.5, 10),
)
@settings(FIXED, max_examples=40)
def test_the_checks_equal_brute_force_and_never_fall_with_distance(plurality, limit, sigma, order):
    checks = CheckSequence(np.array(plurality), 20, limit, sigma, order)
    totals = [checks.total(d) for d in range(21)]
    assert (np.diff(totals) >= 0).all()
    for distance in (0, 1, 2, 5, 13, 20):
        assert totals[distance] == pytest.approx(
            brute_force(plurality, limit, sigma, order, distance), rel=1e-9, abs=1e-15
        )


@pytest.mark.parametrize(("limit", "sigma", "order"), [(14.0, 3.0, 2.5), (18.0, 6.0, 4.0)])
def test_the_checks_bound_every_pair_of_neighbouring_histograms(limit, sigma, order):
    points = oracles.lattice(20, 3)
    cost = threshold.rdp(np.array([order]), points.max(axis=1), limit, sigma)[:, 0]
    around = oracles.neighbours(points)
    moved = threshold.rdp(np.array([order]), around.max(axis=2).ravel(), limit, sigma)[:, 0].reshape(around.shape[:2])
    local = np.abs(moved - cost[:, None]).max(axis=1)
    assert local.max() > 0
    apart = oracles.distances(points)
    for distance in (0, 1, 3, 7):
        exact = np.where(apart <= distance, local[None, :], 0).max(axis=1)
        ours = np.array([CheckSequence(p[None], 20, limit, sigma, order).total(distance) for p in points.max(axis=1)])
        assert (exact <= ours * (1 + 1e-9)).all()


def test_checks_add_up():
    one, two, both = (
        CheckSequence(np.array(plurality), 20, 11.0, 2.0, 2.5) for plurality in ([12], [17], [12, 17, 17])
    )
    assert one.total(3) > 0 and two.total(3) > 0
    for distance in (0, 3, 9):
        assert both.total(distance) == pytest.approx(one.total(distance) + 2 * two.total(distance), rel=1e-12)


def test_counts_that_are_not_whole_are_refused():
    with pytest.raises(ValueError, match="whole"):
        CheckSequence(np.array([12.0, 7.25]), 20, 15.0, 4.0, 3.0)
