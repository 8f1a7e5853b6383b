"""The audit of any callable: below a known epsilon and near it, above a false claim, and clear in what it refuses."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from lib.audit.bound import as_often_as_allowed, audit_mechanism, audit_sampler, one_by_one
from lib.audit.statistic import FEW, learned
from lib.core.errors import InputError
from pate_accountant.gaussian import epsilon_analytic, sigma_analytic

PAIR, DELTA = (1.0, 0.0), 0.05
SIGMA = sigma_analytic(1.0, 1.0, DELTA)


def gaussian(sigma):
    return lambda given, runs, rng: given + sigma * rng.standard_normal((runs, 1))


def response(given, rng):
    """Randomised response of epsilon 1."""
    return given if rng.random() < math.e / (1 + math.e) else 1 - given


def test_the_bound_of_a_known_epsilon_is_below_and_near_it():
    for seed in range(3):
        found = audit_sampler(gaussian(SIGMA), PAIR, 1.0, DELTA, 40_000, 0.95, seed)
        assert 0.8 < found.bound.epsilon <= 1 and not found.caught
        found = audit_mechanism(response, PAIR, 1.0, 0.0, 10_000, 0.95, seed)
        assert 0.85 < found.bound.epsilon <= 1 and not found.caught


@pytest.mark.slow
def test_a_bound_exceeds_the_exact_epsilon_as_seldom_as_it_says():
    trials = 60
    exact = epsilon_analytic(1.0, SIGMA, DELTA)
    above = sum(audit_sampler(gaussian(SIGMA), PAIR, exact, DELTA, 400, 0.8, seed).caught for seed in range(trials))
    assert above <= binom.ppf(0.999, trials, 0.2)


def test_a_claim_of_less_is_caught():
    assert audit_sampler(gaussian(SIGMA / 2), PAIR, 1.0, DELTA, 2000, 0.95, 1).caught
    assert audit_mechanism(response, PAIR, 0.8, 0.0, 10_000, 0.95, 1).caught


@pytest.mark.slow
def test_equal_distributions_show_nothing():
    shown = sum(
        audit_sampler(gaussian(1.0), (0.0, 0.0), 0.0, 0.0, 100, 0.9, seed).bound.epsilon > 0 for seed in range(60)
    )
    assert shown <= binom.ppf(0.999, 60, 0.1)


def test_the_runs_that_measure_have_no_part_in_the_choice():
    """Where only the measuring halves differ, nothing is found."""

    def late(given, runs, rng):
        outputs = rng.standard_normal((runs, 1))
        outputs[runs // 2 :] += given * rng.choice([-100, 100], (runs - runs // 2, 1))
        return outputs

    first, second = (late(given, 1000, np.random.default_rng(given)) for given in (0, 1))
    statistic = learned(first[:500], second[:500], 0.0, 0.95)
    again = learned(first[:500].copy(), second[:500].copy(), 0.0, 0.95)
    np.testing.assert_array_equal(statistic(second), again(second))


def test_noise_that_two_numbers_share_is_seen():
    def shared(given, runs, rng):
        noise = rng.standard_normal((runs, 1))
        return np.hstack([given + noise, noise])

    found = audit_sampler(shared, PAIR, 1.0, 0.0, 400, 0.95, 1)
    assert found.bound.epsilon == found.bound.largest > 3


def test_a_difference_in_spread_is_seen():
    found = audit_sampler(
        lambda given, runs, rng: (1 + 9 * given) * rng.standard_normal((runs, 2)), PAIR, 1, 0, 2000, 0.95, 1
    )
    assert found.caught


def test_few_outputs_are_told_apart_one_by_one():
    """The first and the third of three outputs are likelier on one input: no threshold on the output itself says so."""

    def parted(given, rng):
        return (rng.choice(2) * 2) if rng.random() < 0.1 + 0.8 * given else 1

    assert audit_mechanism(parted, PAIR, 1.8, 0.0, 4000, 0.95, 1).caught
    values = np.arange(FEW + 1.0)[:, None]
    assert learned(values[:-1], values[1:], 0.0, 0.9)(values).shape == (FEW + 1,)


def test_numbers_follow_from_the_seed_and_the_job():
    def made(seed, *job):
        return audit_sampler(gaussian(1.0), PAIR, 1.0, 0.0, 100, 0.9, seed, job).bound

    assert made(1, "a") == made(1, "a")
    assert len({made(*key).counts for key in ((1, "a"), (2, "a"), (1, "b"))}) == 3


@pytest.mark.parametrize(
    ("over", "named"),
    [
        ({"epsilon": -1.0}, "epsilon -1.0"),
        ({"epsilon": math.inf}, "epsilon inf"),
        ({"delta": 1.0}, "delta 1.0"),
        ({"level": 1.0}, "level 1.0"),
        ({"runs": 3}, "runs 3"),
        ({"neighbours": (1.0,)}, "two inputs"),
        ({"neighbours": 3}, "two inputs"),
        ({"mechanism": lambda given, rng: "a"}, "output 'a'"),
        ({"mechanism": lambda given, rng: math.nan}, "finite"),
        ({"mechanism": lambda given, rng: []}, "at least one"),
        ({"mechanism": lambda given, rng: np.zeros(rng.integers(1, 3))}, "they must all have one"),
        ({"mechanism": lambda given, rng: np.zeros(1 + int(given))}, "2 numbers on the first input, 1 on the second"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(over, named):
    given = {
        "mechanism": response,
        "neighbours": PAIR,
        "epsilon": 1.0,
        "delta": 0.0,
        "runs": 50,
        "level": 0.9,
        "seed": 1,
    }
    with pytest.raises(InputError, match=named) as refused:
        audit_mechanism(**(given | over))
    assert "\n" not in str(refused.value)


def test_a_sampler_calls_once_a_run():
    outputs = one_by_one(lambda given, rng: [[given, rng.random()]])(2.0, 5, np.random.default_rng(1))
    assert outputs.shape == (5, 2) and (outputs[:, 0] == 2).all() and len(set(outputs[:, 1])) == 5


def test_so_many_bounds_may_lie_above_the_truth():
    """Of 20 bounds at 95 %, 6 are above it with probability 3e-4, 5 with 2.6e-3; at 99.9 %, two with 2e-4."""
    assert [as_often_as_allowed(above, 20, 0.95) for above in (0, 1, 5, 6)] == [True, True, True, False]
    assert as_often_as_allowed(1, 20, 0.999) and not as_often_as_allowed(2, 20, 0.999)
