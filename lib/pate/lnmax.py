"""LNMax: the plurality of a vote histogram under Laplace noise (Papernot et al. 2017)."""

import numpy as np


def lnmax(votes: np.ndarray, scale: float, rng: np.random.Generator) -> np.ndarray:
    """argmax_j { n_j + Lap(scale) } of each row; votes (n, m), scale b of the density exp(-|x|/b)/(2b); (n,) int64."""
    return np.argmax(votes + rng.laplace(0.0, scale, np.shape(votes)), axis=1)
