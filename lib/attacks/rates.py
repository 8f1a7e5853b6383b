"""How many members an attack finds while it accuses few others: true at fixed false positive rates.

Carlini et al. (2022), Section IV: an attack is judged by its true positive rate at a low false positive rate, and by
its ROC curve on logarithmic axes.
"""

import math
from dataclasses import dataclass

import numpy as np

from lib.attacks.checks import checked_members
from lib.attacks.empirical_epsilon import clopper_pearson
from lib.attacks.roc import roc_curve
from lib.core.errors import InputError

LEAST_FALSE = 5  # other samples that a rate must allow to be accused, so that chance does not set the threshold
# false positive rates at which curves for logarithmic axes are kept: 0.0001 to 1, 20 a decade
LOGARITHMIC_GRID = np.logspace(-4, 0, 81)


@dataclass(frozen=True)
class Rate:
    """A true positive rate, the ends of its interval, and the threshold and false positive rate it was reached at."""

    tpr: float
    low: float
    high: float
    threshold: float
    fpr: float


def tpr_at(scores: np.ndarray, member: np.ndarray, fpr: float, level: float = 0.95) -> Rate | None:
    """Share of members called so at the least threshold that calls at most `fpr` of the others members.

    scores (N,): higher for what is taken for a member, who is called one from the threshold on; member (N,): what is
    one. The interval is Clopper and Pearson's, of members' draw at this threshold; that of the threshold's own rate is
    not in it. None where there are fewer than LEAST_FALSE / fpr others. Raises InputError for what does not fit.
    """
    member = checked_members(scores, member)
    if not 0 < fpr <= 1:
        raise InputError(f"false positive rate {fpr}: it must lie in (0, 1]")
    if not 0 < level < 1:
        raise InputError(f"level {level}: it must lie in (0, 1)")
    if (~member).sum() < math.ceil(LEAST_FALSE / fpr - 1e-9):
        return None
    false, true, thresholds = roc_curve(scores, member)
    place = _last(false, np.array([fpr]))[0]
    hits = int(round(true[place] * member.sum()))
    low, high = clopper_pearson(np.array(hits), int(member.sum()), (1 - level) / 2)
    return Rate(float(true[place]), float(low), float(high), float(thresholds[place]), float(false[place]))


def logarithmic_curve(scores: np.ndarray, member: np.ndarray, grid: np.ndarray = LOGARITHMIC_GRID) -> np.ndarray:
    """Return true positive rates (g,) at the most false ones (g,) allowed, as `tpr_at` has them, for logarithmic axes.

    A step function: between two rates that occur there is no threshold, and a straight line would be an arc on these
    axes. NaN where not one of the other samples may be accused.
    """
    member = checked_members(scores, member)
    false, true, _ = roc_curve(scores, member)
    return np.where(grid * (~member).sum() >= 1 - 1e-9, true[_last(false, grid)], np.nan)


def _last(false: np.ndarray, grid: np.ndarray) -> np.ndarray:
    """Return the last place of rising rates with at most each of the grid's; rounding of a quotient does not count."""
    return np.searchsorted(false, grid * (1 + 1e-12), side="right") - 1
