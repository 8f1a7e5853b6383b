"""Smooth sensitivity of GNMax's data-dependent RDP (Papernot et al. 2018, Appendix B, Algorithms 3 to 5).

For a fixed order, beta(q) is `gnmax.rdp` as a function of the error bound q. q0 is where Theorem 3 meets the
data-independent cost, and q1 = B_L(q0). The local sensitivity at distance d from a histogram is bounded by following
the one path of d changed votes that brings q closest to [q1, q0], where the bound has its plateau.
"""

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr, logsumexp

from pate_accountant import gnmax
from pate_accountant import threshold as check
from pate_accountant.data_dependent import SMALLEST_LOG_Q

POINTS = 20_000  # of a grid on which conditions are checked
BLOCK = 20_000  # queries that are followed at once, so that what is computed on the way takes no more memory for more


def _beta(log_q: np.ndarray, sigma: float, order: float) -> np.ndarray:
    """beta(q) at one order, any shape."""
    log_q = np.asarray(log_q, float)
    return gnmax.rdp(np.array([order]), log_q.ravel(), sigma)[:, 0].reshape(log_q.shape)


@lru_cache(maxsize=256)
def log_q0(sigma: float, order: float) -> float:
    """Ln q0: the largest q at which Theorem 3 is still below the data-independent cost."""
    independent = order / sigma**2

    def saved(log_q: float) -> bool:
        return bool(_beta(np.array([log_q]), sigma, order)[0] < independent)

    low, high = SMALLEST_LOG_Q, 0.0
    if not saved(low):
        raise ValueError(
            f"Theorem 3 never helps at order {order} with sigma {sigma}: nothing data-dependent to release"
        )
    # beta < independent on an interval that starts at 0, so bisection on the predicate finds its end
    while high - low > 1e-13 * max(1.0, abs(low)):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if saved(middle) else (low, middle)
    return low


def log_q1(sigma: float, order: float, classes: int) -> float:
    """Ln q1, q1 = B_L(q0)."""
    return float(gnmax.log_error_bound_neighbour_min(log_q0(sigma, order), sigma, classes))


def _local(log_q: np.ndarray, sigma: float, order: float, classes: int) -> np.ndarray:
    """Algorithm 3: bound on |beta(q(D)) - beta(q(D'))| over neighbours D' of a D with this q."""
    low, high = log_q1(sigma, order, classes), log_q0(sigma, order)
    log_q = np.where((low <= log_q) & (log_q <= high), low, log_q)
    here = _beta(log_q, sigma, order)
    up = _beta(gnmax.log_error_bound_neighbour_max(log_q, sigma, classes), sigma, order) - here
    down = here - _beta(gnmax.log_error_bound_neighbour_min(log_q, sigma, classes), sigma, order)
    return np.maximum(up, down)


class Sequence:
    """The local sensitivity of a sequence of GNMax queries at one order, as a function of the distance.

    `weights` (n,) multiplies each query's part: the published answer bits of a realised run, or (the paper's reading)
    the probability of being answered. Cost of `total`: O(n m) a distance.
    """

    def __init__(self, votes: np.ndarray, sigma: float, order: float, weights: np.ndarray | None = None) -> None:
        votes = np.asarray(votes)
        self.sigma, self.order, self.classes = sigma, order, votes.shape[1]
        self.teachers = int(votes[0].sum())
        self._weights = np.ones(len(votes)) if weights is None else np.asarray(weights, float)
        self._ranked = -np.sort(-votes.astype(float), axis=1)
        self._blocks = [slice(start, start + BLOCK) for start in range(0, max(len(votes), 1), BLOCK)]
        log_q = np.concatenate([gnmax.log_error_bound(votes[block], sigma) for block in self._blocks])
        self._rising = log_q < log_q1(sigma, order, self.classes)  # the path raises q: votes leave the plurality
        self._falling = log_q > log_q0(sigma, order)  # the path lowers q: votes join the plurality
        self.plateau = float(_local(np.array([log_q1(sigma, order, self.classes)]), sigma, order, self.classes)[0])
        # ln Phi(-gap / (sqrt(2) sigma)) for every whole gap; a look-up is far cheaper than the function
        gaps = np.arange(2 * self.teachers + 1)
        self._log_tail = log_ndtr(-gaps / (gnmax.SENSITIVITY * sigma))
        self._tail = np.exp(self._log_tail)
        self._memory: dict[int, float] = {}

    def local_sensitivity(self, distance: int) -> np.ndarray:
        """Algorithm 4: bound on the local sensitivity over histograms at this distance from each query's, (n,)."""
        return np.concatenate([self._local_sensitivity(block, distance) for block in self._blocks])

    def _local_sensitivity(self, block: slice, distance: int) -> np.ndarray:
        """Return the same of some queries."""
        ranked = self._ranked[block]
        result = np.full(len(ranked), self.plateau)
        for all_rows, move in ((self._rising, self._take_from_top), (self._falling, self._give_to_top)):
            rows = all_rows[block]
            if rows.any():
                top, others, possible = move(ranked[rows], distance)
                log_q = self._log_q(top, others)
                stays = possible & (
                    (log_q < log_q1(self.sigma, self.order, self.classes))
                    if move == self._take_from_top
                    else (log_q > log_q0(self.sigma, self.order))
                )
                values = np.full(len(top), self.plateau)
                values[stays] = _local(log_q[stays], self.sigma, self.order, self.classes)
                result[rows] = values
        return result

    def total(self, distance: int) -> float:
        """Weighted sum of `local_sensitivity` over the queries (Theorem 24), remembered."""
        if distance not in self._memory:
            self._memory[distance] = float(self._weights @ self.local_sensitivity(distance))
        return self._memory[distance]

    @staticmethod
    def _take_from_top(ranked: np.ndarray, distance: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`distance` votes from the plurality to the runner-up; impossible once the two would swap."""
        top, others = ranked[:, 0] - distance, ranked[:, 1:].copy()
        others[:, 0] += distance
        return np.maximum(top, others[:, 0]), others, top >= others[:, 0]

    @staticmethod
    def _give_to_top(ranked: np.ndarray, distance: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`distance` votes to the plurality, each from the largest other class at that moment.

        Taking one by one from the largest levels the others down to a common height, with a remainder one above it.
        Impossible once the others have no votes left.
        """
        others = ranked[:, 1:]
        kept = others.sum(axis=1) - distance
        width = np.arange(1, others.shape[1] + 1)
        prefix = np.cumsum(others, axis=1)
        following = np.concatenate([others[:, 1:], np.zeros((len(others), 1))], axis=1)
        # the j largest are level once distance votes cover their excess over the (j+1)-st
        cut = np.argmax(prefix - width * following >= distance, axis=1)
        rows = np.arange(len(others))
        pool = np.maximum(prefix[rows, cut] - distance, 0)
        height, above = np.divmod(pool, width[cut])
        levelled = height[:, None] + (width <= above[:, None])
        lowered = np.where(width <= (cut + 1)[:, None], levelled, others)
        return ranked[:, 0] + distance, lowered, kept >= 0

    def _log_q(self, top: np.ndarray, others: np.ndarray) -> np.ndarray:
        """Ln q of histograms given as plurality (n,) and other counts (n, m-1), capped like `log_error_bound`."""
        gaps = (top[:, None] - others).astype(np.int64)
        total = self._tail[gaps].sum(axis=1)
        log_q = np.where(total > 1e-250, np.log(np.maximum(total, 1e-300)), -np.inf)
        deep = ~(total > 1e-250)  # the sum may have underflowed: redo in logarithms
        if deep.any():
            log_q[deep] = logsumexp(self._log_tail[gaps[deep]], axis=1)
        return gnmax.cap(log_q, self.classes)


class CheckSequence:
    """The local sensitivity of a sequence of threshold checks on whole plurality counts, like `Sequence`.

    `plurality` (n,) holds whole numbers in 0..teachers. The check's cost depends on the plurality alone, which d
    changed votes move by at most d.
    """

    def __init__(self, plurality: np.ndarray, teachers: int, threshold: float, sigma: float, order: float) -> None:
        plurality = np.asarray(plurality)
        if (plurality != np.floor(plurality)).any():
            raise ValueError("the smooth sensitivity of the check is defined here for whole plurality counts only")
        self.teachers = teachers
        self._counts = np.bincount(plurality.astype(np.int64), minlength=teachers + 1)
        cost = check.rdp(np.array([order]), np.arange(teachers + 1), threshold, sigma)[:, 0]
        self._step = np.abs(np.diff(cost))  # between v and v + 1

    def total(self, distance: int) -> float:
        """Sum over the checks of the largest change of cost between neighbours within `distance` changed votes."""
        if not self._step.any():
            return 0.0
        present = np.flatnonzero(self._counts)
        largest = [self._step[max(0, v - distance - 1) : v + distance + 1].max() for v in present]
        return float(self._counts[present] @ np.array(largest))


@dataclass(frozen=True)
class Conditions:
    """Assumptions of the proof of smoothness (Appendix B): C5, beta non-decreasing on [0, q0]; C6, beta(B_U(q)) -
    beta(q) non-decreasing on [0, q1].
    """

    c5: bool
    c6: bool


@lru_cache(maxsize=256)
def conditions(sigma: float, order: float, classes: int) -> Conditions:
    """C5 and C6, checked on a grid of POINTS in ln q from the smallest q to q0 and q1."""

    def non_decreasing(values: np.ndarray) -> bool:
        return bool((np.diff(values) >= -1e-12 * np.abs(values[1:])).all())

    grid = np.linspace(SMALLEST_LOG_Q, log_q0(sigma, order), POINTS)
    c5 = non_decreasing(_beta(grid, sigma, order))
    grid = np.linspace(SMALLEST_LOG_Q, log_q1(sigma, order, classes), POINTS)
    raised = _beta(gnmax.log_error_bound_neighbour_max(grid, sigma, classes), sigma, order)
    return Conditions(c5, non_decreasing(raised - _beta(grid, sigma, order)))


def discounted_maximum(total: Callable[[int], float], last: int, beta: float) -> float:
    """Max over d = 0..last of e^(-beta d) total(d), for a non-decreasing `total`, in few evaluations.

    Strictly between a and b no value exceeds e^(-beta (a+1)) total(b); an interval whose bound is not above the best
    value found is never opened.
    """
    best = max(total(0), math.exp(-beta * last) * total(last))
    heap = [(-math.exp(-beta) * total(last), 0, last)]
    while heap:
        bound, low, high = heapq.heappop(heap)
        if -bound <= best:
            break
        if high - low < 2:
            continue
        middle = (low + high) // 2
        best = max(best, math.exp(-beta * middle) * total(middle))
        for left, right in ((low, middle), (middle, high)):
            heapq.heappush(heap, (-math.exp(-beta * (left + 1)) * total(right), left, right))
    return best


def maximise(sequence: Sequence, beta: float, checks: CheckSequence | None = None) -> float:
    """Algorithm 5: max_d e^(-beta d) LS_d of the answers and, if given, the checks, over d = 0..teachers.

    Where C5 and C6 hold, the total is non-decreasing in d and most distances need no evaluation; else all are
    evaluated. Only where both hold is the result beta-smooth and a bound on the local sensitivity at every distance:
    a release must be refused otherwise (`sanitize`).
    """

    def total(distance: int) -> float:
        return sequence.total(distance) + (checks.total(distance) if checks else 0.0)

    holds = conditions(sequence.sigma, sequence.order, sequence.classes)
    if holds.c5 and holds.c6:
        return discounted_maximum(total, sequence.teachers, beta)
    return max(math.exp(-beta * d) * total(d) for d in range(sequence.teachers + 1))
