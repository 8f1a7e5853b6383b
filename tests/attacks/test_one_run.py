"""The one-run audit: its tail against counting and simulation, its bound against mechanisms of known epsilon."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from lib.attacks.one_run import guess_numbers, one_run_bound, one_run_epsilon, one_run_tail
from lib.attacks.reference_mechanisms import Gaussian, RandomisedResponse
from lib.core.errors import InputError
from pate_accountant.gaussian import epsilon_analytic, sigma_analytic

DELTA = 1e-5


def mass(guesses: int, likely: float) -> list[float]:
    """The binomial distribution, counted."""
    return [math.comb(guesses, k) * likely**k * (1 - likely) ** (guesses - k) for k in range(guesses + 1)]


def bounds(mechanism, canaries, guesses, delta, level, trials, seed=1):
    found, rng = [], np.random.default_rng(seed)
    for _ in range(trials):
        coins = rng.random(canaries) < 0.5
        found.append(one_run_bound(0.5 - mechanism.outputs(coins, rng), coins, guesses, delta, level).epsilon)
    return np.array(found)


# ---------------------------------------------------------------- the tail


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    data=st.data(),
    canaries=st.integers(1, 40),
    epsilon=st.floats(0, 6),
    delta=st.sampled_from([0.0, 1e-6, 1e-3, 0.02]),
)
def test_the_tail_is_the_theorem_written_out(data, canaries, epsilon, delta):
    guesses = data.draw(st.integers(1, canaries))
    right = data.draw(st.integers(0, guesses))
    exact = mass(guesses, math.exp(epsilon) / (1 + math.exp(epsilon)))
    tail = [sum(exact[max(0, v) :]) for v in range(right - canaries, right + 1)][::-1]
    steps = max((tail[i] - tail[0]) / i for i in range(1, canaries + 1))
    expected = min(1.0, tail[0] + 2 * canaries * delta * steps)
    assert one_run_tail(canaries, guesses, right, epsilon, delta) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_windows_that_are_left_out_cannot_be_the_densest():
    for guesses, right, epsilon in ((5000, 2600, 0.0), (5000, 3000, 0.1), (5000, 3700, 1.0), (5000, 5000, 2.0)):
        likely = math.exp(epsilon) / (1 + math.exp(epsilon))
        widths = np.arange(1, right + 1)
        every = (np.cumsum(binom.pmf(right - widths, guesses, likely)) / widths).max()
        expected = binom.sf(right - 1, guesses, likely) + 2 * 5000 * 1e-5 * every
        assert one_run_tail(5000, guesses, right, epsilon, 1e-5) == pytest.approx(min(1, expected), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 1.0])
def test_without_delta_the_tail_is_that_of_simulated_randomised_response(epsilon):
    rng, trials, canaries = np.random.default_rng(2), 20_000, 12
    turned = rng.random((trials, canaries)) < 1 / (1 + math.exp(epsilon))
    right = (~turned).sum(1)
    for least in range(canaries + 1):
        expected = one_run_tail(canaries, canaries, least, epsilon, 0.0)
        assert (right >= least).mean() == pytest.approx(expected, abs=4.5 * (expected * (1 - expected) / trials) ** 0.5)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(
    canaries=st.integers(1, 60),
    epsilon=st.floats(0, 5),
    delta=st.just(0.0) | st.floats(1e-12, 0.05),  # binom.pmf overflows at the least normal number
    together=st.booleans(),
    data=st.data(),
)
def test_no_mechanism_that_leaks_with_delta_exceeds_the_tail(canaries, epsilon, delta, together, data):
    """Randomised response that gives away every coin with probability delta: all at once, or each by itself."""
    guesses = data.draw(st.integers(1, canaries))
    likely = math.exp(epsilon) / (1 + math.exp(epsilon))
    for right in range(guesses + 1):
        if together:  # and then all guesses are right
            exceeded = delta + (1 - delta) * binom.sf(right - 1, guesses, likely)
        else:
            exceeded = binom.sf(right - 1, guesses, delta + (1 - delta) * likely)
            if guesses < canaries:  # whoever abstains from others guesses those given away first
                given_away = np.arange(canaries + 1)
                kept = np.maximum(guesses - given_away, 0)
                exceeded = binom.pmf(given_away, canaries, delta) @ binom.sf(
                    right - np.minimum(given_away, guesses) - 1, kept, likely
                )
        assert exceeded <= one_run_tail(canaries, guesses, right, epsilon, delta) + 1e-12


@settings(derandomize=True, deadline=None, max_examples=25)
@given(canaries=st.integers(1, 400), share=st.floats(0.01, 1), delta=st.sampled_from([0.0, 1e-5, 1e-3, 0.01]))
def test_the_tail_rises_with_epsilon_and_falls_with_right_guesses_as_far_as_it_decides(canaries, share, delta):
    """What makes one crossing by bisection the edge of all that is refuted."""
    guesses = guess_numbers(canaries, [share])[0]
    for right in {guesses, (3 * guesses + 3) // 4, (guesses + 2) // 2}:
        tails = np.array([one_run_tail(canaries, guesses, right, e, delta) for e in np.linspace(0, 8, 41)])
        refuted = tails < 0.5
        first = len(tails) if refuted.all() else int(np.argmin(refuted))
        assert not refuted[first:].any()
    for epsilon in (0.0, 0.7, 3.0):
        tails = np.array([one_run_tail(canaries, guesses, v, epsilon, delta) for v in range(guesses + 1)])
        refuted = tails < 0.25
        if refuted.any():
            assert refuted[np.argmax(refuted) :].all()


# ---------------------------------------------------------------- the bound


def test_the_bound_by_hand():
    # all of r guesses right: q^r = error
    bound = one_run_bound(np.ones(20), np.zeros(20, bool), [20], 0.0, 0.95)
    likely = 0.05 ** (1 / 20)
    assert bound.epsilon == bound.largest == pytest.approx(math.log(likely / (1 - likely)))
    assert (bound.right, bound.guesses, bound.canaries, bound.level) == (20, 20, 20, 0.95)
    assert one_run_bound(np.ones(20), np.ones(20, bool), [20], 0.0).epsilon == 0
    assert one_run_bound(np.ones(4), np.zeros(4, bool), [4], 0.0).largest == 0  # 1 / 16 is more than the error


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    canaries=st.integers(1, 500), share=st.floats(0.01, 1), rightly=st.floats(0, 1), delta=st.sampled_from([0.0, 1e-4])
)
def test_the_bound_is_the_edge_of_what_is_refuted(canaries, share, rightly, delta):
    guesses = guess_numbers(canaries, [share])[0]
    right = round(rightly * guesses)
    epsilon = one_run_epsilon(canaries, guesses, right, delta, 0.05)
    if epsilon > 0:
        assert one_run_tail(canaries, guesses, right, epsilon, delta) < 0.05
    assert one_run_tail(canaries, guesses, right, epsilon + 1e-6, delta) >= 0.05
    assert epsilon <= one_run_epsilon(canaries, guesses, min(right + 1, guesses), delta, 0.05)
    assert epsilon >= one_run_epsilon(canaries, guesses, right, 10 * delta, 0.05)
    assert epsilon >= one_run_epsilon(canaries, guesses, right, delta, 0.01)


def test_the_surest_slots_are_guessed_and_the_sign_guesses():
    differences = np.array([3.0, -2.0, 0.1, -0.2, 1.0])
    second = np.array([0, 1, 1, 0, 1])
    rights = [one_run_bound(differences, second, [k], 0.0).right for k in range(1, 6)]
    assert rights == [1, 2, 2, 2, 2]
    assert one_run_bound(np.zeros(3), np.array([0, 1, 0]), [3], 0.0).right == 2  # no difference: the first


def test_several_numbers_of_guesses_are_paid_for():
    rng = np.random.default_rng(3)
    coins = rng.random(1000) < 0.5
    outputs = 0.5 - RandomisedResponse(0.2).outputs(coins, rng)
    single = [one_run_bound(outputs, coins, [k], 0.0, 0.975) for k in (100, 900)]
    both = one_run_bound(outputs, coins, [100, 900], 0.0, 0.95)
    assert both.epsilon == pytest.approx(max(one.epsilon for one in single))
    assert both.guesses == 900 and both.epsilon < one_run_bound(outputs, coins, [900], 0.0, 0.95).epsilon
    assert both.largest == pytest.approx(max(one.largest for one in single))


@pytest.mark.parametrize(("level", "guesses"), [(0.6, [60]), (0.9, [200]), (0.9, [20, 60, 200])])
def test_the_bound_is_below_the_exact_epsilon_as_often_as_it_says(level, guesses):
    """Randomised response attains the theorem, so the share above comes near the error; the Gaussian's stays below."""
    trials, epsilon = 300, 1.0
    flip = 1 / (1 + math.exp(epsilon))
    tight = bounds(RandomisedResponse(flip), 200, guesses, 0.0, level, trials)
    assert (tight <= epsilon).sum() >= binom.ppf(1e-3, trials, level)
    if len(guesses) == 1:
        assert (tight > epsilon).mean() > 0.4 * (1 - level)  # and a bound that is lower than it need be would fail
    normal = bounds(Gaussian(sigma_analytic(1.0, epsilon, DELTA)), 200, guesses, DELTA, level, trials)
    assert (normal <= epsilon).sum() >= binom.ppf(1e-3, trials, level)


def test_a_coin_that_is_not_looked_at_shows_nothing():
    rng, shown = np.random.default_rng(4), 0
    for _ in range(200):
        shown += one_run_bound(rng.normal(size=100), rng.random(100) < 0.5, [10, 50], DELTA, 0.95).epsilon > 0
    assert shown <= binom.ppf(0.999, 200, 0.05)


def test_with_many_canaries_the_bound_is_near_the_exact_epsilon():
    tight = bounds(RandomisedResponse(1 / (1 + math.e)), 50_000, [5_000], DELTA, 0.95, 3)
    assert (0.85 < tight).all() and (tight <= 1).all()
    # the theorem is not tight for normal noise: even with a million canaries about 0.65 is shown of 1
    normal = bounds(Gaussian(sigma_analytic(1.0, 1.0, DELTA)), 50_000, [1_000], DELTA, 0.95, 3)
    assert (0.45 < normal).all() and (normal <= 1).all()


def test_half_the_noise_that_is_claimed_is_caught():
    sigma = sigma_analytic(1.0, 1.0, DELTA)
    normal = bounds(Gaussian(sigma, 0.5), 50_000, [500, 1_500], DELTA, 0.95, 5)
    assert (normal > 1).all() and (normal <= epsilon_analytic(1.0, sigma / 2, DELTA)).all()
    tight = bounds(RandomisedResponse(1 / (1 + math.e), 0.5), 2_000, [500], DELTA, 0.95, 5)
    assert (tight > 1).all()


def test_numbers_of_guesses():
    assert guess_numbers(100, [1.0, 0.1, 0.101, 0.001]) == [1, 10, 100]
    for shares in ([], [0.0], [1.1]):
        with pytest.raises(InputError, match="shares of guesses"):
            guess_numbers(100, shares)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"differences": np.array([np.nan, 1.0])}, "differences"),
        ({"differences": np.ones((2, 1))}, "differences"),
        ({"second": np.array([True])}, "second"),
        ({"second": np.array([0, 2])}, "second"),
        ({"guesses": []}, "guesses"),
        ({"guesses": [1, 1]}, "all different"),
        ({"guesses": [3]}, "1 to 2, the canaries"),
        ({"guesses": [0]}, "1 to 2, the canaries"),
        ({"delta": 1.0}, "delta 1.0"),
        ({"delta": -0.1}, "delta -0.1"),
        ({"level": 1.0}, "level 1.0"),
        ({"level": 0.4}, "error 0.6"),
    ],
)
def test_bad_input_is_refused(changed, named):
    good = {"differences": np.ones(2), "second": np.array([True, False]), "guesses": [2], "delta": 0.0, "level": 0.95}
    with pytest.raises(InputError, match=named):
        one_run_bound(**good | changed)


@pytest.mark.parametrize(
    ("numbers", "named"), [((5, 4, 5, 1.0, 0.0), "right guesses 5"), ((5, 4, 2, -1.0, 0.0), "epsilon -1.0")]
)
def test_numbers_out_of_range_are_refused(numbers, named):
    with pytest.raises(InputError, match=named):
        one_run_tail(*numbers)
