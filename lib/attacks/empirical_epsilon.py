"""A lower bound on epsilon from runs with and without one record (Jagielski, Ullman and Oprea 2020, Algorithm 1).

Neighbouring relation: one record added, or the same one removed. A mechanism that is (epsilon, delta)-private gives any
event a probability of at most e^epsilon times that on the neighbour, plus delta, in both directions. Any function of
what the mechanism puts out makes events; so the bound is of the mechanism whose output includes everything that the
statistic needs. Groups of records are left out: there delta would have to grow with epsilon.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betainccinv, betaincinv

from lib.core.errors import InputError


@dataclass(frozen=True)
class LowerBound:
    """A bound that the mechanism's epsilon exceeds with confidence `level`, and what it was measured by.

    threshold, at_least: the event is a statistic of at least `threshold`, else one below it. with_is_likelier: the
    event was expected more often with the record. runs, counts: measured runs with and without the record, and those of
    either kind in which the event occurred. uncut: the bound before it is cut off at 0, -inf where that has no
    logarithm. largest: the bound that so many measured runs give if they part without fault.
    """

    epsilon: float
    threshold: float
    at_least: bool
    with_is_likelier: bool
    runs: tuple[int, int]
    counts: tuple[int, int]
    level: float
    uncut: float
    largest: float


def lower_bound(with_record: np.ndarray, without: np.ndarray, delta: float, level: float = 0.95) -> LowerBound:
    """Bound epsilon from a statistic of independent runs trained with the record (n1,) and without it (n0,).

    The first half of each kind, rounded down, chooses threshold, event and direction, namely those at which it would
    itself give the largest bound; the others measure, so that the choice costs no confidence. Both probabilities are
    bounded by Clopper and Pearson's interval at an error of (1 - level) / 2 each, and so jointly at 1 - level.
    Raises InputError for fewer than two runs of a kind, for statistics that are not finite, and for delta or level that
    are not allowed.
    """
    kinds = [np.asarray(values, float) for values in (with_record, without)]
    for what, values in zip(("with", "without"), kinds, strict=True):
        if values.ndim != 1 or len(values) < 2 or not np.isfinite(values).all():
            raise InputError(f"statistics of runs {what} the record {values.shape}: allowed are 2 or more, all finite")
    if not 0 <= delta < 1:
        raise InputError(f"delta {delta}: it must lie in [0, 1)")
    if not 0 < level < 1:
        raise InputError(f"level {level}: it must lie in (0, 1)")
    error = (1 - level) / 2
    present, absent = ((values[: len(values) // 2], values[len(values) // 2 :]) for values in kinds)
    threshold, at_least, with_is_likelier = _chosen(present[0], absent[0], delta, error)
    counted, other = (int(_event(values, threshold, at_least).sum()) for values in (present[1], absent[1]))
    runs = (len(present[1]), len(absent[1]))
    sides = (counted, runs[0]), (other, runs[1])
    likelier, rarer = sides if with_is_likelier else sides[::-1]
    uncut = float(_log_ratio(likelier, rarer, delta, error))
    largest = max(_log_ratio((runs[k], runs[k]), (0, runs[1 - k]), delta, error) for k in (0, 1))
    return LowerBound(
        epsilon=max(0.0, uncut),
        threshold=threshold,
        at_least=at_least,
        with_is_likelier=with_is_likelier,
        runs=runs,
        counts=(counted, other),
        level=level,
        uncut=uncut,
        largest=max(0.0, float(largest)),
    )


def repeated_bounds(
    with_record: np.ndarray, without: np.ndarray, delta: float, level: float, repetitions: int
) -> list[LowerBound]:
    """As many bounds, each from runs of its own: every `repetitions`-th of either kind.

    Raises InputError as `lower_bound` does.
    """
    return [lower_bound(with_record[k::repetitions], without[k::repetitions], delta, level) for k in range(repetitions)]


def clopper_pearson(count: np.ndarray | int, runs: int, error: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of Clopper and Pearson's interval of a probability, each wrong with probability `error` at most.

    count: of the event in `runs` independent runs.
    """
    count = np.asarray(count, float)
    # at either end of the scale a beta distribution would have a parameter of 0
    low = np.where(count > 0, betaincinv(np.maximum(count, 1), runs - count + 1, error), 0.0)
    high = np.where(count < runs, betainccinv(count + 1, np.maximum(runs - count, 1), error), 1.0)
    return low, high


def _event(values: np.ndarray, threshold: float, at_least: bool) -> np.ndarray:
    return values >= threshold if at_least else values < threshold


def _log_ratio(
    likelier: tuple[np.ndarray | int, int], other: tuple[np.ndarray | int, int], delta: float, error: float
) -> np.ndarray:
    """Return the bound, not cut off, from (count, runs) of the side where the event is likelier, and of the other."""
    low, _ = clopper_pearson(*likelier, error)
    _, high = clopper_pearson(*other, error)
    excess = low - delta
    return np.where(excess > 0, np.log(np.where(excess > 0, excess, 1.0) / high), -math.inf)


def _chosen(with_record: np.ndarray, without: np.ndarray, delta: float, error: float) -> tuple[float, bool, bool]:
    """Threshold, event and direction with the largest bound on these runs."""
    values = np.unique(np.concatenate([with_record, without]))
    # an event that always occurs tells nothing; of one value only there is no other
    thresholds = (values[:-1] + values[1:]) / 2 if len(values) > 1 else values
    kinds, choices = [np.sort(kind) for kind in (with_record, without)], []
    below = [np.searchsorted(kind, thresholds, side="left") for kind in kinds]
    for at_least in (True, False):
        counts = [len(kind) - fewer if at_least else fewer for kind, fewer in zip(kinds, below, strict=True)]
        sides = (counts[0], len(kinds[0])), (counts[1], len(kinds[1]))
        for with_is_likelier in (True, False):
            likelier, rarer = sides if with_is_likelier else sides[::-1]
            scores = _log_ratio(likelier, rarer, delta, error)
            best = int(np.argmax(scores))
            choices.append((float(scores[best]), float(thresholds[best]), at_least, with_is_likelier))
    return max(choices, key=lambda choice: choice[0])[1:]
