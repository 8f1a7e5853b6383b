"""How far the ball activation of standard normal numbers is from uniform (Fay et al. 2020, Figure 2)."""

import numpy as np

from lib.encoders.ball import logistic_normal_cdfs


def total_variation(first: np.ndarray, second: np.ndarray, edges: np.ndarray) -> float:
    """Total variation of two densities on a square grid of cells, (bins, bins) each, between `edges` (bins + 1,)."""
    return float(np.abs(first - second).sum() * (edges[1] - edges[0]) ** 2 / 2)


def exact_total_variation() -> float:
    """Total variation of the activation's law and the uniform one, in every dimension.

    Both have uniform directions, and |phi|^l is expit(x) of a normal x of variance 8/pi, which would be uniform were x
    logistic: so it is that of these two, half of all rise and fall of the difference of their distribution functions.
    """
    logistic, normal = logistic_normal_cdfs(np.linspace(-40.0, 40.0, 200_001))
    return float(np.abs(np.diff(logistic - normal)).sum() / 2)
