"""Mean and spread of repetitions, and the error that they share."""

import math
from collections.abc import Sequence

import numpy as np


def joint_spread(spreads: Sequence[float | None]) -> float | None:
    """Return the standard deviation of a sum or difference of independent numbers; None where one has none."""
    known = [spread for spread in spreads if spread is not None]
    return math.hypot(*known) if len(known) == len(spreads) else None


def mean_and_spread(values: Sequence[float] | np.ndarray) -> tuple[float | None, float | None]:
    """Mean and standard deviation (n - 1) of values; (None, None) of none, and no spread of one."""
    if not len(values):
        return None, None
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None


def student_interval(values: Sequence[float], level: float) -> tuple[float | None, float | None]:
    """Student's confidence interval of the mean of independent values; (None, None) of fewer than two."""
    mean, spread = mean_and_spread(values)
    if mean is None or spread is None:
        return None, None
    from scipy.special import stdtrit  # not every table needs it

    reach = float(stdtrit(len(values) - 1, (1 + level) / 2)) * spread / math.sqrt(len(values))
    return mean - reach, mean + reach


def held_out_error(percent: float | None, samples: int | None) -> float | None:
    """Return the standard error, in points, of an accuracy in percent on so many held-out samples; None without either.

    It is binomial, of an estimate that is not certain where all samples are right (Agresti and Coull 1998). Repetitions
    that are tested on the same samples show in their spread only the part of it that is chance in training.
    """
    if percent is None or samples is None:
        return None
    share = (percent / 100 * samples + 2) / (samples + 4)
    return 100 * math.sqrt(share * (1 - share) / (samples + 4))
