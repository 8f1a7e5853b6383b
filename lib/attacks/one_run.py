"""A lower bound on epsilon from a single run with many canaries (Steinke, Nasr and Jagielski 2023, Theorem 5.2).

Each of m slots takes one of two records by a fair coin of its own; whoever sees what the mechanism put out guesses some
of the coins. The theorem is of any function of m coins that is (epsilon, delta)-private with respect to one coin. Its
authors' coins decide whether a record is there at all, which makes that function private by the relation add or remove
one. Here a coin replaces one record by another and the number of records stays, so a mechanism that is (epsilon,
delta)-private by the relation REPLACE ONE is such a function, and the bound is of its epsilon by that relation. Of
whatever else the guesses use (other records, other worlds), the coins must be independent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betainc, betaincinv, expit, logit

from lib.core.errors import InputError

_HALVINGS = 40  # of an interval of epsilon


@dataclass(frozen=True)
class OneRunBound:
    """A bound that the mechanism's epsilon exceeds with confidence `level`, and what it was measured by.

    canaries: coins; guesses: how many of them were guessed, right: how many of those rightly. largest: the bound if all
    guesses are right, at the best of the numbers of guesses that were allowed. uncut: the bound before it is cut off at
    0, for the scatter of several: below 0 the log odds that so many right guesses would still refute, but for delta.
    """

    epsilon: float
    canaries: int
    guesses: int
    right: int
    level: float
    largest: float
    uncut: float


def one_run_bound(
    differences: np.ndarray, second: np.ndarray, guesses: Sequence[int], delta: float, level: float = 0.95
) -> OneRunBound:
    """Bound epsilon from one run's scores: each slot's first record's less its second's, differences (m,).

    second (m,) bool: which slots took the second record. The sign guesses, and the slots with the smallest |difference|
    are abstained from. guesses: numbers of guesses, stated before looking at the scores; if there are several, each has
    an equal share of the error 1 - level, and the largest bound is returned. Slots without a difference are guessed to
    have the first record, which is as good as any guess. Raises InputError for what does not fit.
    """
    rights = right_guesses(differences, second, guesses)
    if not 0 < level < 1:
        raise InputError(f"level {level}: it must lie in (0, 1)")
    canaries, error = len(differences), (1 - level) / len(guesses)
    found = []
    for number, right in zip(guesses, rights, strict=True):
        _check(canaries, number, number, delta)
        found.append((one_run_epsilon(canaries, number, right, delta, error), number, right))
    epsilon, number, right = max(found)
    largest = max(one_run_epsilon(canaries, every, every, delta, error) for every in guesses)
    uncut = epsilon or max(_uncut(every, right, error) for _, every, right in found)
    return OneRunBound(epsilon, canaries, number, right, level, largest, uncut)


def right_guesses(differences: np.ndarray, second: np.ndarray, guesses: Sequence[int]) -> list[int]:
    """How many of the surest guesses are right, for each number of guesses; arguments as in `one_run_bound`."""
    differences, second = np.asarray(differences, float), np.asarray(second)
    if differences.ndim != 1 or not len(differences) or not np.isfinite(differences).all():
        raise InputError(f"differences {differences.shape}: allowed is one finite number for each slot")
    if second.shape != differences.shape or not np.isin(second, (0, 1)).all():
        raise InputError(f"second {second.shape}: allowed is 0 or 1 for each of {len(differences)} slots")
    if not len(guesses) or len(set(guesses)) < len(guesses):
        raise InputError(f"guesses {list(guesses)}: allowed are one or more numbers, all different")
    for number in guesses:
        _check(len(differences), number, number, 0.0)
    surest = np.argsort(-abs(differences), kind="stable")
    hits = np.cumsum(((differences < 0) == second.astype(bool))[surest])
    return [int(hits[number - 1]) for number in guesses]


def _uncut(guesses: int, right: int, error: float) -> float:
    """Log odds of the least chance of a right guess that `right` of them leave, 0 at most; -inf if none is right."""
    return min(0.0, float(logit(betaincinv(right, guesses - right + 1, error)))) if right else -math.inf


def guess_numbers(canaries: int, shares: Sequence[float]) -> list[int]:
    """Numbers of guesses, rising and all different, for shares of the canaries in (0, 1]; at least one guess each."""
    if not len(shares) or not all(0 < share <= 1 for share in shares):
        raise InputError(f"shares of guesses {list(shares)}: allowed are one or more in (0, 1]")
    return sorted({max(1, round(share * canaries)) for share in shares})


@lru_cache(maxsize=4096)  # few numbers occur, and often
def one_run_epsilon(canaries: int, guesses: int, right: int, delta: float, error: float) -> float:
    """Return the largest epsilon, rounded down, that `right` of `guesses` refute at `error`; 0 where they refute none.

    The probability bounded by `one_run_tail` rises with epsilon as far as it is less than one half.
    """
    if not 0 < error < 0.5:
        raise InputError(f"error {error}: it must lie in (0, 0.5)")
    if one_run_tail(canaries, guesses, right, 0.0, delta) >= error:
        return 0.0
    low, high = 0.0, 1.0
    while one_run_tail(canaries, guesses, right, high, delta) < error:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if one_run_tail(canaries, guesses, right, middle, delta) < error:
            low = middle
        else:
            high = middle
    return low


def one_run_tail(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """Return the largest probability of so many right guesses about m coins, or more, under (epsilon, delta)-privacy.

    Theorem 5.2. With W binomial of `guesses` and e^epsilon / (1 + e^epsilon): P[W >= right] + 2 m delta max_i
    P[right - i <= W < right] / i over i from 1 to m, at most 1. It holds where at most so many guesses are made. Raises
    InputError for numbers out of range.
    """
    _check(canaries, guesses, right, delta)
    if not epsilon >= 0:
        raise InputError(f"epsilon {epsilon}: it must be at least 0")
    likely = float(expit(epsilon))
    tail = float(_tails(np.array([right]), guesses, likely)[0])
    if delta > 0:
        tail += 2 * canaries * delta * _densest(guesses, right, likely, tail)
    return min(1.0, tail)


def _tails(least: np.ndarray, guesses: int, likely: float) -> np.ndarray:
    """P[W >= least], by the incomplete beta function."""
    return np.where(least > 0, betainc(np.maximum(least, 1), guesses - least + 1, likely), 1.0)


def _densest(guesses: int, right: int, likely: float, tail: float) -> float:
    """Return the largest of P[right - i <= W < right] / i; beyond i = right there is no more probability to divide."""
    best, done = 0.0, 0
    block = 16 + 8 * int(guesses**0.5)
    # a window wider than 1 / best has an average below it, since its probability is at most 1
    while done < right and best * (done + 1) < 1:
        widths = np.arange(done + 1, min(done + block, right) + 1)
        best = max(best, float(((_tails(right - widths, guesses, likely) - tail) / widths).max()))
        done = int(widths[-1])
    return best


def _check(canaries: int, guesses: int, right: int, delta: float) -> None:
    if not 1 <= guesses <= canaries:
        raise InputError(f"guesses {guesses}: allowed are 1 to {canaries}, the canaries")
    if not 0 <= right <= guesses:
        raise InputError(f"right guesses {right}: allowed are 0 to {guesses}, the guesses")
    if not 0 <= delta < 1:
        raise InputError(f"delta {delta}: it must lie in [0, 1)")
