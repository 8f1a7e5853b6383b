"""Check the arrays that an attack receives."""

import numpy as np

from lib.core.errors import InputError

WORKS = 0.65  # area that an attack must reach on networks that learned random labels by heart


def checked_probabilities(probabilities: np.ndarray) -> np.ndarray:
    """Return the array; InputError unless it is (N, classes), N at least 1, each row a distribution (to 1e-4)."""
    if probabilities.ndim != 2 or probabilities.shape[1] < 2 or not len(probabilities):
        raise InputError(f"probabilities {probabilities.shape}: allowed is a row of 2 or more for each sample")
    good = (probabilities >= 0).all(axis=1) & (abs(probabilities.sum(axis=1) - 1) < 1e-4)  # NaN is not good
    if not good.all():
        raise InputError(f"probabilities of sample {int(np.argmin(good))}: they must be at least 0, with sum 1")
    return probabilities


def checked_members(scores: np.ndarray, member: np.ndarray) -> np.ndarray:
    """Whether each sample was trained on, as booleans; InputError unless there are both kinds, with a score each."""
    if scores.ndim != 1 or member.shape != scores.shape or not np.isfinite(scores).all():
        raise InputError(f"scores {scores.shape}, member {member.shape}: allowed is one finite score for each sample")
    if not np.isin(member, (0, 1)).all() or member.min() == member.max():
        raise InputError("member: allowed are 0 and 1, and both must occur")
    return member.astype(bool)
