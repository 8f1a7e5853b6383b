"""Compute what chance alone can do to a comparison of means, and to several of them at once.

A comparison is turned so that a positive *margin* supports the claim. Its margin over the standard error follows
Student's t (Welch: unequal variances; degrees of freedom of the smaller side). `ALPHA` is the error of a whole claim:

* it *fails* where the margin of some comparison is negative beyond chance, with Holm's correction for the number of
  comparisons, so that where the truth of all of them is equality at most 5 % of claims fail;
* it *holds* where every margin is positive beyond chance at ALPHA: an intersection of tests, which needs no correction;
* it needs more repetitions otherwise, unless no number of them would decide it (`repetitions` in `rule.py`).

An error that all repetitions share, normal and of known size, is added to Student's: the probability of their sum is
integrated, since neither has the other's degrees of freedom.

`tests/reporting/test_claims_error.py` simulates both, and states the power.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtr

ALPHA = 0.05
_NORMAL = np.linspace(-9, 9, 20_001)  # points at which a normal error is integrated


@dataclass(frozen=True)
class Sample:
    """A mean over `seeds` repetitions with their standard deviation; `weight` multiplies it in the comparison.

    seeds: 0 for what is not random. single: the other side is one run of its own, with this spread (a paper's number).
    """

    spread: float
    seeds: float
    weight: float = 1.0
    single: bool = False

    @property
    def variance(self) -> float:
        """Of the weighted mean."""
        if self.seeds == 0:
            return 0.0
        return (self.weight * self.spread) ** 2 * (1 / self.seeds + self.single)


def standard_error(samples: Sequence[Sample]) -> tuple[float, float]:
    """Return the standard error of a weighted difference of means, and its degrees of freedom.

    (0, inf) where nothing varies, and nan where a spread is not known.
    """
    variances = [sample.variance for sample in samples]
    total = sum(variances)
    if not total > 0:
        return total, math.inf
    # Satterthwaite's number lets three times as many errors pass with three seeds a side and many comparisons.
    freedom = min(s.seeds - 1 for s, variance in zip(samples, variances, strict=True) if variance > 0)
    return math.sqrt(total), freedom


def chances(
    margin: float, error: float, freedom: float, width: float | None = None, shared: float = 0.0
) -> tuple[float, float]:
    """Probabilities of such a margin by chance: (of one so large, were the truth 0; of one so small).

    error, freedom: of `standard_error`. width: of the interval that an equality allows, which has two ends; None for an
    inequality, which has one. shared: a standard error that all repetitions share. One of the two errors is positive.
    """
    large = _below(-margin, error, freedom, shared)
    small = _below(margin, error, freedom, shared)
    if width is not None:
        small += _below(margin - width, error, freedom, shared)
    return large, min(small, 1.0)


def _below(value: float, error: float, freedom: float, shared: float) -> float:
    """Return the probability that Student's error and a normal one add up to `value` or less."""
    if not shared > 0:
        return float(stdtr(freedom, value / error))
    if error == 0:
        return float(ndtr(value / shared))
    density = np.exp(-(_NORMAL**2) / 2) / math.sqrt(2 * math.pi)
    return float(np.trapezoid(density * stdtr(freedom, (value - shared * _NORMAL) / error), _NORMAL))


def holm(probabilities: Sequence[float]) -> list[bool]:
    """Which of a family of hypotheses are rejected, with an error of ALPHA for all of them together (Holm 1979)."""
    order = sorted(range(len(probabilities)), key=lambda place: probabilities[place])
    rejected = [False] * len(probabilities)
    for rank, place in enumerate(order):
        if probabilities[place] > ALPHA / (len(probabilities) - rank):
            break
        rejected[place] = True
    return rejected
