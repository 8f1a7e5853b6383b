"""The one-run audit of f-differential privacy: by hand, by public numbers, and against mechanisms of known curves."""

import math

import numpy as np
import pytest
from scipy.stats import binom, norm

from lib.attacks.one_run import one_run_epsilon
from lib.attacks.one_run_fdp import INVERSES, one_run_gaussian_bound, one_run_parameter, one_run_refutes
from lib.attacks.reference_mechanisms import Gaussian
from lib.core.errors import InputError
from pate_accountant.gaussian import epsilon_analytic


def test_one_guess_and_two_by_hand():
    """Of pure privacy: P[right] <= q for one coin, and P[both right] <= q^2 for two, q = 1 / (1 + e^-epsilon)."""
    for epsilon in (0.3, 1.0, 3.0):
        inverse, likely = INVERSES["pure"](epsilon), 1 / (1 + math.exp(-epsilon))
        for count in (1, 2):
            edge = likely**count
            assert one_run_refutes(count, count, count, edge * (1 + 1e-9), inverse)
            assert not one_run_refutes(count, count, count, edge * (1 - 1e-9), inverse)
    # of a Gaussian's curve: x + Phi(Phi^-1(x) - mu) = 1 at x = Phi(mu / 2)
    edge = norm.cdf(0.75 / 2)
    assert one_run_refutes(1, 1, 1, edge + 1e-9, INVERSES["gaussian"](0.75))
    assert not one_run_refutes(1, 1, 1, edge - 1e-9, INVERSES["gaussian"](0.75))


@pytest.mark.parametrize(
    ("guesses", "right", "thresholds", "epsilon"),
    [(406, 379, 386, 2.164749), (938, 934, 374, 4.7218075), (5436, 5436, 140, 9.133752)],
)
def test_the_numbers_of_jax_privacy(guesses, right, thresholds, epsilon):
    """Its own test: 10,000 quantiles of N(0, 1) and of N(1, 1), N(2, 1), N(4, 1), at 0.05 over all its thresholds."""
    distance = one_run_parameter(20_000, guesses, right, "gaussian", 0.05 / thresholds)
    assert epsilon_analytic(distance, 1.0, 1e-6) == pytest.approx(epsilon, rel=1e-5)


@pytest.mark.parametrize(("kind", "parameter"), [("pure", 1.0), ("pure", 3.0), ("gaussian", 0.5), ("gaussian", 2.0)])
@pytest.mark.parametrize("canaries", [1, 7, 40, 300])
def test_guesses_that_are_as_good_as_can_be_are_refuted_as_seldom_as_allowed(kind, parameter, canaries):
    """Every coin guessed, each right by itself with the largest probability: the number of right ones is binomial."""
    likely = 1 / (1 + math.exp(-parameter)) if kind == "pure" else norm.cdf(parameter / 2)
    for error in (0.05, 0.2):
        inverse = INVERSES[kind](parameter)
        refuted = [one_run_refutes(canaries, canaries, right, error, inverse) for right in range(canaries + 1)]
        assert refuted == sorted(refuted)  # more right guesses refute no less
        assert binom.pmf(np.arange(canaries + 1), canaries, likely)[refuted].sum() <= error
        if kind == "pure":  # there it is exact where all guesses are right
            assert refuted[-1] == (likely**canaries < error)


def test_of_pure_privacy_it_is_no_more_than_the_theorem_of_all_and_near_it():
    for canaries, guesses, right in ((1000, 1000, 700), (1000, 100, 80), (500, 500, 300)):
        found = one_run_parameter(canaries, guesses, right, "pure", 0.05)
        exact = one_run_epsilon(canaries, guesses, right, 0.0, 0.05)
        assert 0.95 * exact < found <= exact


def test_of_normal_noise_it_shows_about_twice_as_much_as_the_theorem_of_all():
    rng = np.random.default_rng(1)
    coins = rng.random(10_000) < 0.5
    differences = 0.5 - Gaussian(0.5).outputs(coins, rng)
    found = one_run_gaussian_bound(differences, coins, [300, 1000], 1e-6)
    steinke = max(one_run_epsilon(10_000, g, int(r), 1e-6, 0.025) for g, r in ((300, 300), (1000, 1000)))
    assert steinke < found <= epsilon_analytic(1.0, 0.5, 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.5, 2.0])
def test_bounds_on_normal_noise_exceed_its_epsilon_no_more_often_than_they_may(sigma):
    """Guesses of the surest coins alone, whose number of right ones is not binomial."""
    rng, trials, canaries = np.random.default_rng(2), 400, 2000
    exact = epsilon_analytic(1.0, sigma, 1e-5)
    found = []
    for _ in range(trials):
        coins = rng.random(canaries) < 0.5
        differences = 0.5 - Gaussian(sigma).outputs(coins, rng)
        found.append(one_run_gaussian_bound(differences, coins, [40, 200], 1e-5))
    assert (np.array(found) > exact).sum() <= binom.ppf(0.999, trials, 0.05)
    assert max(found) > 0.1 * exact


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"guesses": 11}, "guesses 11"),
        ({"right": 6}, "right guesses 6"),
        ({"kind": "laplace"}, "curve 'laplace'"),
        ({"error": 0.0}, "error 0.0"),
    ],
)
def test_bad_input_is_refused(changed, named):
    good = {"canaries": 10, "guesses": 5, "right": 5, "kind": "gaussian", "error": 0.05}
    with pytest.raises(InputError, match=named):
        one_run_parameter(**good | changed)
    for delta, level in ((0.0, 0.95), (1e-5, 1.0)):
        with pytest.raises(InputError, match=r"delta|level"):
            one_run_gaussian_bound(np.ones(3), np.zeros(3, bool), [3], delta, level)
