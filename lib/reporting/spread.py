"""Mean and spread of repetitions."""

from collections.abc import Sequence

import numpy as np


def mean_and_spread(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean and standard deviation (n - 1) of values; (None, None) of none, and no spread of one."""
    if not len(values):
        return None, None
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None
