"""The audit's bound: below the exact epsilon as often as it says, near it with many runs, and above a false claim."""

import dataclasses
import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from lib.attacks.empirical_epsilon import clopper_pearson, lower_bound, repeated_bounds
from lib.core.errors import InputError
from pate_accountant.gaussian import sigma_analytic

DELTA, EPSILON = 0.05, 1.0
SIGMA = sigma_analytic(1.0, EPSILON, DELTA)


def gaussian_bound(rng: np.random.Generator, runs: int, sigma: float, level: float = 0.95, move: float = 1.0):
    """The bound on a Gaussian mechanism of sensitivity `move`."""
    return lower_bound(move + sigma * rng.standard_normal(runs), sigma * rng.standard_normal(runs), DELTA, level)


def test_clopper_pearson_by_hand():
    # no event in n runs: (1 - p)^n = error; every run: p^n = error
    low, high = clopper_pearson(np.array([0, 10]), 10, 0.025)
    np.testing.assert_allclose(low, [0, 0.025 ** (1 / 10)], rtol=1e-12)
    np.testing.assert_allclose(high, [1 - 0.025 ** (1 / 10), 1], rtol=1e-12)
    low, high = clopper_pearson(np.array([3]), 10, 0.025)
    assert (low[0], high[0]) == (pytest.approx(0.0667, abs=5e-5), pytest.approx(0.6525, abs=5e-5))
    # the definition: the ends are where so many, or so few, have the probability `error`
    assert binom.sf(2, 10, low[0]) == pytest.approx(0.025)
    assert binom.cdf(3, 10, high[0]) == pytest.approx(0.025)


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "level"), [(24, 0.5), (200, 0.5), (200, 0.9)])
def test_the_bound_is_below_the_exact_epsilon_as_often_as_it_says(runs, level):
    rng, trials = np.random.default_rng(1), 400
    below = sum(gaussian_bound(rng, runs, SIGMA, level).epsilon <= EPSILON for _ in range(trials))
    assert below >= binom.ppf(1e-3, trials, level)


@pytest.mark.slow
def test_with_many_runs_the_bound_is_near_the_exact_epsilon():
    bounds = [gaussian_bound(np.random.default_rng(seed), 40_000, SIGMA) for seed in range(3)]
    for bound in bounds:
        assert 0.85 * EPSILON < bound.epsilon <= EPSILON
        # the event that parts the mechanism's outputs best begins where their likelihoods differ by e^epsilon
        cut = EPSILON * SIGMA**2 + 0.5 if bound.with_is_likelier else 0.5 - EPSILON * SIGMA**2
        assert bound.threshold == pytest.approx(cut, abs=0.35 * SIGMA)


def test_half_the_noise_that_is_claimed_is_caught():
    for seed in range(10):
        assert gaussian_bound(np.random.default_rng(seed), 1000, SIGMA / 2).epsilon > EPSILON


def test_equal_distributions_give_nothing():
    rng = np.random.default_rng(2)
    shown = sum(gaussian_bound(rng, 60, 1.0, move=0.0).epsilon > 0 for _ in range(300))
    assert shown <= binom.ppf(0.999, 300, 0.05)


def test_the_largest_bound_is_that_of_runs_which_part_without_fault():
    bound = lower_bound(np.arange(20.0) + 100, np.arange(20.0), DELTA)
    end = 0.025 ** (1 / 10)
    assert bound.runs == (10, 10) and bound.counts == (10, 0)
    assert bound.epsilon == bound.largest == pytest.approx(math.log((end - DELTA) / (1 - end)))
    assert lower_bound(np.arange(4.0), np.arange(4.0), DELTA).largest == 0


@pytest.mark.parametrize("sign", [1, -1])
def test_either_direction_is_found(sign):
    """Where only a part of the runs without the record is far off, the event must be theirs."""
    rng = np.random.default_rng(3)
    with_record = rng.random(400)
    without = np.where(rng.random(400) < 0.5, 5 * sign, rng.random(400))
    bound = lower_bound(with_record, without, 0.0)
    assert not bound.with_is_likelier and bound.at_least == (sign > 0)
    assert bound.epsilon > 3


def test_the_measuring_half_has_no_part_in_the_choice():
    rng = np.random.default_rng(4)
    with_record, without = rng.normal(1, 1, 60), rng.normal(0, 1, 60)
    first = lower_bound(with_record, without, DELTA)
    with_record[30:], without[30:] = 50 * rng.random(30) - 25, 50 * rng.random(30) + 25
    second = lower_bound(with_record, without, DELTA)
    assert first.counts != second.counts
    choice = ("threshold", "at_least", "with_is_likelier")
    assert [getattr(first, name) for name in choice] == [getattr(second, name) for name in choice]


def test_the_counts_are_those_of_the_event():
    bound = lower_bound(np.array([1.0, 1, 1, 0]), np.array([0.0, 0, 0, 1]), 0.0)
    assert bound.counts == (1, 1) and bound.runs == (2, 2)
    assert bound.epsilon == 0 > bound.uncut
    constant = lower_bound(np.ones(8), np.ones(8), 0.0)
    assert constant.epsilon == 0 and constant.counts == (4, 4)
    assert lower_bound(np.array([1.0, 0, 1, 0]), np.zeros(4), 0.9).uncut == -math.inf


def test_repetitions_share_no_run():
    rng = np.random.default_rng(5)
    with_record, without = rng.normal(2, 1, 90), rng.normal(0, 1, 90)
    bounds = repeated_bounds(with_record, without, DELTA, 0.9, 3)
    assert [bound.runs for bound in bounds] == [(15, 15)] * 3
    with_record[1::3] = -9
    again = repeated_bounds(with_record, without, DELTA, 0.9, 3)
    assert [first == second for first, second in zip(bounds, again, strict=True)] == [True, False, True]
    assert dataclasses.asdict(bounds[0])["level"] == 0.9


def test_the_noise_is_what_the_claim_takes():
    """The oracle itself: its (epsilon, delta) by the exact profile of the Gaussian mechanism."""
    move = 1 / SIGMA
    profile = norm.cdf(move / 2 - EPSILON / move) - math.exp(EPSILON) * norm.cdf(-move / 2 - EPSILON / move)
    assert profile == pytest.approx(DELTA, rel=1e-6)


@pytest.mark.parametrize(
    ("with_record", "without", "delta", "level", "named"),
    [
        ([1.0], [0.0, 1.0], 0.0, 0.9, "runs with the record"),
        ([1.0, 2.0], [0.0], 0.0, 0.9, "runs without the record"),
        ([[1.0, 2.0]], [0.0, 1.0], 0.0, 0.9, "runs with the record"),
        ([1.0, math.nan], [0.0, 1.0], 0.0, 0.9, "finite"),
        ([1.0, 2.0], [0.0, -math.inf], 0.0, 0.9, "finite"),
        ([1.0, 2.0], [0.0, 1.0], 1.0, 0.9, "delta 1.0"),
        ([1.0, 2.0], [0.0, 1.0], -0.1, 0.9, "delta -0.1"),
        ([1.0, 2.0], [0.0, 1.0], math.nan, 0.9, "delta nan"),
        ([1.0, 2.0], [0.0, 1.0], 0.0, 1.0, "level 1.0"),
        ([1.0, 2.0], [0.0, 1.0], 0.0, 0.0, "level 0.0"),
    ],
)
def test_bad_input_is_refused(with_record, without, delta, level, named):
    with pytest.raises(InputError, match=named):
        lower_bound(np.array(with_record), np.array(without), delta, level)
