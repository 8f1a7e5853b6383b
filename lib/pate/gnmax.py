"""GNMax: the plurality of a vote histogram under Gaussian noise (Papernot et al. 2018, Section 4.1)."""

import numpy as np

from lib.pate.discrete_gaussian import NormalNoise


def gnmax(votes: np.ndarray, sigma: float, rng: NormalNoise) -> np.ndarray:
    """argmax_j { n_j + N(0, sigma^2) } of each row; votes (n, m), sigma the standard deviation; (n,) int64."""
    return np.argmax(votes + rng.normal(0.0, sigma, np.shape(votes)), axis=1)
