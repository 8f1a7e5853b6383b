"""A lower bound on epsilon from a single run with many canaries, for a mechanism with a trade-off curve of known kind.

Mahloujifar, Melis and Chaudhuri (2024, "Auditing f-differential privacy in one run"), their numerical test with a cap
on guesses. The game is that of `one_run`: each of m coins decides which of two records a slot takes, and whoever sees
what the mechanism put out guesses at most c of the coins. Steinke's theorem holds of every (epsilon, delta)-private
mechanism. This one is of f-private ones, f a curve of a kind that is given: `gaussian` (what normal noise has) or
`pure`. What it refutes is that kind at that epsilon: it is no bound for a mechanism of another kind.

Why it holds. Let F = 1 - f, which is concave, and p_i the probability of i right guesses. If coin j is turned and the
output stays, a right guess of it becomes a wrong one and i right guesses become i - 1. So over every set T of numbers,
averaged over coins, sum_T i p_i / m <= F(sum_T (c - i + 1) p_(i - 1) / m). With r_i and h_i the sums of j p_j / m and
(c - j) p_j / m over j >= i this is h_(i - 1) >= max(h_i, F^-1(r_i)), while r_(i - 1) - r_i is (i - 1) / (c - i + 1)
times h_(i - 1) - h_i. If at least `right` guesses are right with probability `error`, r + h is least at 0 where all of
that is on `right` itself and every h is as small as allowed, since the factor falls as i does. There is no more
probability than r_0 + h_0 = c / m. Where the least exceeds it, the mechanism has so many right guesses with a smaller
probability than `error`.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri

from lib.attacks.one_run import right_guesses
from lib.core.errors import InputError
from pate_accountant.gaussian import ROUNDING, epsilon_analytic

_HALVINGS = 40  # of an interval of the curve's parameter
_MOST = 64.0  # its end: beyond this nothing is private


def _gaussian(distance: float) -> Callable[[float], float]:
    """Inverse of F of two Gaussians so far apart, in deviations."""
    return lambda share: float(ndtr(ndtri(share) - distance))


def _pure(epsilon: float) -> Callable[[float], float]:
    """Inverse of F of (epsilon, 0)-privacy."""
    return lambda share: max(math.exp(-epsilon) * share, 1 - math.exp(epsilon) * (1 - share))


INVERSES = {"gaussian": _gaussian, "pure": _pure}


def one_run_refutes(canaries: int, guesses: int, right: int, error: float, inverse: Callable[[float], float]) -> bool:
    """Whether `right` of at most `guesses` guesses about m coins have a smaller probability than `error` under a curve.

    inverse: of F = 1 - f, from [0, 1] to [0, 1]. Raises InputError for numbers out of range.
    """
    if not 1 <= guesses <= canaries:
        raise InputError(f"guesses {guesses}: allowed are 1 to {canaries}, the canaries")
    if not 0 <= right <= guesses:
        raise InputError(f"right guesses {right}: allowed are 0 to {guesses}, the guesses")
    if not 0 < error < 1:
        raise InputError(f"error {error}: it must lie in (0, 1)")
    hits, misses = error * right / canaries, error * (guesses - right) / canaries
    for number in range(right - 1, -1, -1):
        more = max(misses, inverse(min(hits, 1.0)))
        if more == misses:  # nothing changes from here on
            break
        hits, misses = hits + number / (guesses - number) * (more - misses), more
    return hits + misses > guesses / canaries


@lru_cache(maxsize=4096)  # few numbers occur, and often
def one_run_parameter(canaries: int, guesses: int, right: int, kind: str, error: float) -> float:
    """Return the largest parameter of a kind of curve, rounded down, that `right` of `guesses` refute at `error`; or 0.

    gaussian: the distance of two neighbours' means in deviations of the noise, mu of Gaussian differential privacy.
    pure: epsilon. Raises InputError for numbers out of range and for another kind.
    """
    if kind not in INVERSES:
        raise InputError(f"curve {kind!r}: allowed are {' and '.join(INVERSES)}")

    def refuted(parameter: float) -> bool:
        return one_run_refutes(canaries, guesses, right, error, INVERSES[kind](parameter))

    if not refuted(0.0):
        return 0.0
    low, high = 0.0, 1.0
    while high < _MOST and refuted(high):
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def one_run_gaussian_bound(
    differences: np.ndarray, second: np.ndarray, guesses: Sequence[int], delta: float, level: float = 0.95
) -> float:
    """Epsilon at `delta`, rounded down, that a mechanism with a Gaussian's curve exceeds with confidence `level`.

    Arguments as in `one_run.one_run_bound`; several numbers of guesses share the error. A mechanism of normal noise has
    such a curve, also after any number of its releases and for all that is computed from them. Raises InputError for
    what does not fit.
    """
    rights = right_guesses(differences, second, guesses)
    if not 0 < level < 1:
        raise InputError(f"level {level}: it must lie in (0, 1)")
    if not 0 < delta < 1:
        raise InputError(f"delta {delta}: it must lie in (0, 1)")
    canaries, error = len(differences), (1 - level) / len(guesses)
    distance = max(
        one_run_parameter(canaries, number, right, "gaussian", error)
        for number, right in zip(guesses, rights, strict=True)
    )
    # what is computed exceeds the exact epsilon by no more than twice the rounding
    return max(0.0, epsilon_analytic(distance, 1.0, delta) * (1 - 2 * ROUNDING) - 2 * ROUNDING) if distance else 0.0
