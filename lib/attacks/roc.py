"""How well scores tell members from the others: ROC, AUC with its interval, precision and recall."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtri

from lib.attacks.checks import WORKS, checked_members
from lib.core.errors import InputError


@dataclass(frozen=True)
class Auc:
    """An area under the ROC curve, the ends of its confidence interval, and its standard deviation.

    constant: so many pairs of a member and another sample have equal scores that the area cannot reach WORKS, whatever
    was attacked; where all have, it is 0.5 and the interval a point. Such an attacker has not shown anything.
    """

    auc: float
    low: float
    high: float
    deviation: float
    constant: bool


def auc_interval(scores: np.ndarray, member: np.ndarray, level: float = 0.95, paired: bool = False) -> Auc:
    """Return the probability that a member scores higher than another sample, ties counting half, and its interval.

    scores (N,): higher for what is taken for a member; member (N,): what is one. The interval is normal, of DeLong et
    al. (1988), by ranks as in Sun and Xu (2014), cut off at 0 and 1; it covers the draw of the samples, not that of the
    models. Where scores part members from others without fault it is a point. paired: the k-th member and the k-th of
    the others were drawn together, so their components are added up before the variance is taken, which keeps their
    covariance; pairs are independent of each other. Raises InputError for what does not fit.
    """
    member = checked_members(scores, member)
    inside, outside = scores[member], scores[~member]
    if paired and len(inside) != len(outside):
        raise InputError(f"pairs: {len(inside)} members and {len(outside)} others; allowed are as many of each")
    ranks = average_ranks(scores)
    # the share of the other kind that each sample beats
    beats = (ranks[member] - average_ranks(inside)) / len(outside)
    theirs = (ranks[~member] - average_ranks(outside)) / len(inside)
    auc = float(beats.mean())
    parts = (beats - theirs,) if paired else (beats, theirs)
    variance = sum(float(part.var(ddof=1)) / len(part) for part in parts if len(part) > 1)
    deviation = variance**0.5
    reach = ndtri((1 + level) / 2) * deviation
    constant = tied(scores, member) > 2 * (1 - WORKS)
    return Auc(auc, float(max(0.0, auc - reach)), float(min(1.0, auc + reach)), deviation, constant)


def tied(scores: np.ndarray, member: np.ndarray) -> float:
    """Return the share of pairs of a member and another sample with equal scores.

    The area under the curve is at most 1 - share / 2.
    """
    _, place = np.unique(scores, return_inverse=True)
    inside, outside = np.bincount(place[member]), np.bincount(place[~member])
    common = min(len(inside), len(outside))
    return float(inside[:common] @ outside[:common]) / (int(member.sum()) * int((~member).sum()))


def average_ranks(scores: np.ndarray) -> np.ndarray:
    """Ranks (n,) from 1; equal scores share the mean of theirs."""
    return pd.Series(scores).rank().to_numpy()


def roc_curve(scores: np.ndarray, member: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all false and true positive rates, from 0 to 1, and the thresholds, falling from infinity."""
    member = checked_members(scores, member)
    from sklearn import metrics  # takes a second, and intervals need none

    return metrics.roc_curve(member, scores, drop_intermediate=False)


def precision_recall(scores: np.ndarray, member: np.ndarray, thresholds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Precision and recall (t,) if what scores at least a threshold (t,) is called a member (Section IV-A).

    Precision is NaN where nothing is called a member.
    """
    member = checked_members(scores, member)
    called = scores >= np.asarray(thresholds)[:, None]
    hits, calls = (called & member).sum(1), called.sum(1)
    precision = np.divide(hits, calls, out=np.full(len(calls), np.nan), where=calls > 0)
    return precision, hits / member.sum()
