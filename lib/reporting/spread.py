"""Mean and spread of repetitions, and the error that they share."""

import math
from collections.abc import Sequence

import numpy as np


def mean_and_spread(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean and standard deviation (n - 1) of values; (None, None) of none, and no spread of one."""
    if not len(values):
        return None, None
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None


def held_out_error(accuracy: float | None, samples: int | None) -> float | None:
    """The standard error of an accuracy in percent that was measured on so many held-out samples; None without either.

    It is binomial. Repetitions that are tested on the same samples do not show it in their spread.
    """
    if accuracy is None or samples is None:
        return None
    return math.sqrt(max(accuracy * (100 - accuracy), 0.0) / samples)
