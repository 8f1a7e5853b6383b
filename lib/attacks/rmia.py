"""The pairwise likelihood-ratio attack RMIA: is a record more probable under the target than population records are?

Zarifzadeh, Liu and Shokri (2024, "Low-cost high-power membership inference attacks"), equations 2 to 4. Of records x
and z, LR(x, z) = (Pr(x | target) / Pr(x)) / (Pr(z | target) / Pr(z)), where Pr(x | model) is the confidence in the
label and Pr(x) its mean over reference models that had x and such that had not, each kind with weight one half. The
score is the share of population records z with LR(x, z) >= gamma.
"""

import numpy as np
from scipy.special import expit

from lib.attacks.lira import checked_confidences


def rmia_scores(shadow: np.ndarray, member: np.ndarray, target: np.ndarray, gamma: float = 1.0) -> np.ndarray:
    """Share (n,) of records that each record dominates, from logit-scaled confidences; higher for members.

    shadow (S, n), member (S, n) bool, target (n,): as in `lira_scores`; the models are the reference models, and all
    records, which here nobody knows to be members or not, are the population. A record that only one kind of models saw
    takes that kind's mean. The share is a function of the record's own ratio, so gamma moves thresholds and ties and
    not the order; at 1 there are the fewest ties. Raises InputError for arrays that do not fit.
    """
    shadow, member, target = checked_confidences(shadow, member, target)
    confidence, counts = expit(shadow), np.stack([member.sum(0), (~member).sum(0)])
    sums = np.stack([np.where(kind, confidence, 0.0).sum(0) for kind in (member, ~member)])
    means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    ratio = expit(target) / np.maximum(np.nanmean(means, axis=0), np.finfo(float).tiny)
    return np.searchsorted(np.sort(ratio), ratio / gamma, side="right") / len(ratio)
