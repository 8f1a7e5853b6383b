"""What an audit's runs showed: the same from its table, and bounds from all of it and from parts."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from lib.attacks.empirical_epsilon import lower_bound, repeated_bounds
from lib.attacks.evidence import Coins, Runs, evidence
from lib.attacks.one_run import guess_numbers, one_run_bound
from lib.core.errors import InputError

RNG = np.random.default_rng(0)
GUESSES = (0.1, 0.5)


def coins(runs=2, slots=300, shift=1.0):
    second = RNG.random((runs, slots)) < 0.5
    return Coins(RNG.normal(size=(runs, slots)) + shift * (1 - 2 * second), second, GUESSES)


def test_runs_are_what_their_table_says(tmp_path):
    found = Runs(RNG.normal(2, 1, 40), RNG.normal(0, 1, 50))
    found.table().to_csv(tmp_path / "runs.csv", index=False)
    again = evidence(pd.read_csv(tmp_path / "runs.csv"))
    assert again.pooled(1e-5, 0.9) == found.pooled(1e-5, 0.9) == lower_bound(*vars(found).values(), 1e-5, 0.9)
    assert again.parts(1e-5, 0.9, 3) == repeated_bounds(*vars(found).values(), 1e-5, 0.9, 3)


def test_coins_are_what_their_table_says(tmp_path):
    found = coins()
    found.table().to_csv(tmp_path / "coins.csv", index=False)
    again = evidence(pd.read_csv(tmp_path / "coins.csv"), GUESSES)
    np.testing.assert_array_equal(again.second, found.second)
    assert again.pooled(1e-5, 0.9) == found.pooled(1e-5, 0.9)
    assert again.parts(1e-5, 0.9, 3) == found.parts(1e-5, 0.9, 3)


def test_the_largest_of_several_runs_owes_them_its_error():
    found = coins(runs=4)
    numbers = guess_numbers(300, GUESSES)
    each = [one_run_bound(*run, numbers, 1e-5, 0.975) for run in zip(found.differences, found.second, strict=True)]
    assert found.pooled(1e-5, 0.9).epsilon == max(bound.epsilon for bound in each)
    alone = Coins(found.differences[:1], found.second[:1], GUESSES)
    assert alone.pooled(1e-5, 0.9) == one_run_bound(found.differences[0], found.second[0], numbers, 1e-5, 0.9)


def test_bounds_that_are_too_large_are_as_rare_as_the_level_says():
    """Answers that tell each coin with the chance that epsilon 1 allows."""
    rng, right, epsilon, trials = np.random.default_rng(1), math.e / (1 + math.e), 1.0, 400
    above = 0
    for _ in range(trials):
        second = rng.random((2, 200)) < 0.5
        told = np.where(rng.random((2, 200)) < right, second, ~second)
        above += Coins(1.0 - 2 * told, second, (1.0,)).pooled(0.0, 0.9).epsilon > epsilon
    assert above <= 0.1 * trials + 3 * math.sqrt(0.09 * trials)


def test_parts_share_no_coin():
    found = coins(runs=1, slots=7)
    parts = found.parts(0.0, 0.9, 3)
    assert [part.canaries for part in parts] == [3, 2, 2]
    for k, part in enumerate(found.parts(0.0, 0.9, 3)):
        own = (found.differences[0, k::3], found.second[0, k::3])
        assert part == one_run_bound(*own, guess_numbers(len(own[0]), GUESSES), 0.0, 0.9)


def test_bounds_that_are_cut_off_at_0_still_scatter():
    """Below 0 as above it: the log odds of a right guess that the guesses refute."""
    told = np.ones((1, 40), bool)
    bounds = {}
    for right in (0, 15, 20, 30, 40):
        second = np.arange(40)[None] < right
        bounds[right] = Coins(-1.0 * told, second, (1.0,)).pooled(0.0, 0.9)
        assert bounds[right].right == right
    assert bounds[0].uncut == -math.inf and bounds[0].epsilon == 0
    for right in (15, 20):
        assert bounds[right].epsilon == 0 > bounds[right].uncut
        # as many right guesses or more have a chance of 10 % there
        chance = 1 / (1 + math.exp(-bounds[right].uncut))
        assert binom.sf(right - 1, 40, chance) == pytest.approx(0.1)
    for right in (30, 40):
        assert bounds[right].uncut == bounds[right].epsilon > 0
        assert binom.sf(right - 1, 40, 1 / (1 + math.exp(-bounds[right].epsilon))) == pytest.approx(0.1)


def test_a_table_of_something_else_is_refused():
    with pytest.raises(InputError, match="needed are canary and statistic, or run, slot, second, difference"):
        evidence(pd.DataFrame({"canary": [1]}))


def test_runs_with_different_numbers_of_slots_are_refused():
    with pytest.raises(InputError, match="different numbers of slots"):
        evidence(coins(slots=5).table().iloc[:-1], GUESSES)
