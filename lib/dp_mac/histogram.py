"""Layer-wise clipping thresholds, learned by a differentially private histogram (Section 2.4, Algorithm 2).

Neighbouring relation: add or remove one record. A record counts once in each histogram, so that each has sensitivity
1; noise of standard deviation sigma on every count costs order / (2 sigma^2) a histogram (`accounting`).
"""

import numpy as np

from lib.core.errors import InputError


def noisy_histogram(norms: np.ndarray, top: float, bins: int, sigma: float, rng: np.random.Generator) -> np.ndarray:
    """Return counts (bins,) of norms (N,) in equal bins over [0, top], each with noise N(0, sigma^2).

    A norm above `top`, which clipping at `top` would bring down to it, counts in the last bin: every record counts
    exactly once. Raises InputError for a norm that is negative or not a number, or for other impossible arguments.
    """
    if not (top > 0 and bins >= 1 and sigma >= 0):
        raise InputError(f"top {top}, bins {bins}, sigma {sigma}: positive, at least 1, at least 0")
    if not (norms >= 0).all():
        raise InputError("norms: all must be numbers of at least 0")
    places = np.minimum(np.minimum(norms / top, 1.0) * bins, bins - 1).astype(np.int64)
    return np.bincount(places, minlength=bins) + sigma * rng.standard_normal(bins)


def modal_edge(counts: np.ndarray, top: float) -> float:
    """Upper edge of the largest bin (the first of them): a function of the released counts alone."""
    return top * (int(np.argmax(counts)) + 1) / len(counts)


def learned_thresholds(
    norms: np.ndarray, tops: np.ndarray, bins: int, sigma: float, generators: list[np.random.Generator]
) -> np.ndarray:
    """Thresholds (R, K) of R runs with K layers, from norms (R, K, N) and first thresholds (R, K), one rng a run.

    norms: of each sample's coefficient before clipping, at the weights that pre-training ended with, and at the z that
    the z-step gives there. The paper says "norms of feature representations"; its interval [0, T_b^max] and its use
    make sense for the coefficients' norms only.
    """
    found = np.empty_like(tops, dtype=float)
    for run, rng in enumerate(generators):
        for layer, top in enumerate(tops[run]):
            found[run, layer] = modal_edge(noisy_histogram(norms[run, layer], float(top), bins, sigma, rng), float(top))
    return found
