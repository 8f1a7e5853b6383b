"""One number of what a mechanism puts out, learned from runs on two neighbouring inputs.

By Neyman and Pearson the best events are those of a large likelihood ratio. Where few different outputs occur, it is
counted; else it is approached by Fisher's linear discriminant, of the outputs or of them and their squares (which sees
a difference in spread), whichever parts the given runs better. What is learned here must be measured on other runs.
"""

from collections.abc import Callable

import numpy as np

from lib.attacks.empirical_epsilon import lower_bound

FEW = 64  # different outputs that are counted one by one
RIDGE = 1e-9  # of the features' mean variance, added to each: a direction without noise is found, and nothing overflows
# of a statistic in its standard deviation: rounding is post-processing, and leaves few thresholds to try
STEPS = 20
Statistic = Callable[[np.ndarray], np.ndarray]  # of outputs (n, k), (n,)


def learned(first: np.ndarray, second: np.ndarray, delta: float, level: float) -> Statistic:
    """Return a statistic that is larger on outputs like `first` (n, k) than on those like `second` (m, k).

    delta, level: those of the bound that it is to serve.
    """
    occurring = np.unique(np.concatenate([first, second]), axis=0)
    if len(occurring) <= FEW:
        return _counted(first, second, occurring)
    plain = _discriminant(first, second, lambda outputs: outputs)
    squared = _discriminant(first, second, lambda outputs: np.hstack([outputs, outputs**2]))
    return max((plain, squared), key=lambda one: lower_bound(one(first), one(second), delta, level).uncut)


def _counted(first: np.ndarray, second: np.ndarray, occurring: np.ndarray) -> Statistic:
    """Ln of the ratio of frequencies, one added to each count; 0 for an output that did not occur."""

    def counts(outputs: np.ndarray) -> np.ndarray:
        return (outputs[:, None] == occurring).all(-1).sum(0)

    ratios = np.log(counts(first) + 1) - np.log(counts(second) + 1)

    def statistic(outputs: np.ndarray) -> np.ndarray:
        return (outputs[:, None] == occurring).all(-1) @ ratios

    return statistic


def _discriminant(first: np.ndarray, second: np.ndarray, features: Callable[[np.ndarray], np.ndarray]) -> Statistic:
    """Projection on the covariance's inverse times the difference of means; features are scaled to deviation 1."""
    both = features(np.concatenate([first, second]))
    centre, scale = both.mean(0), both.std(0)
    scale[scale == 0] = 1

    def scaled(outputs: np.ndarray) -> np.ndarray:
        return (features(outputs) - centre) / scale

    one, other = scaled(first), scaled(second)
    within = np.atleast_2d(np.cov(one, rowvar=False, ddof=0) + np.cov(other, rowvar=False, ddof=0))
    within += (RIDGE * np.trace(within) / len(within) + np.finfo(float).tiny) * np.eye(len(within))
    direction = np.linalg.solve(within, one.mean(0) - other.mean(0))
    size = np.abs(direction).max()
    direction = direction / size if np.isfinite(size) and size > 0 else np.zeros_like(direction)
    step = (scaled(np.concatenate([first, second])) @ direction).std() / STEPS or 1.0
    return lambda outputs: np.rint(scaled(outputs) @ direction / step)
