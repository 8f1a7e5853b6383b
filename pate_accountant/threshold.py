"""Renyi DP of the noisy threshold check, s + N(0, sigma^2) >= T (Papernot et al. 2018, Algorithms 1 and 2).

The statistic s is max_j n_j (Confident-GNMax) or max_j {n_j - M p_j} (Interactive-GNMax, p the student's scores);
either changes by at most one when one teacher changes its vote (replace-one), so its sensitivity is 1.
"""

import numpy as np
from scipy.special import log_ndtr

from pate_accountant import gnmax
from pate_accountant import rdp as renyi

SENSITIVITY = 1.0


def statistic(votes: np.ndarray, scores: np.ndarray | None = None) -> np.ndarray:
    """Return the checked statistic (n,): the plurality, or with `scores` (n, m) its excess over the student's."""
    votes = np.asarray(votes, float)
    if scores is None:
        return votes.max(axis=1)
    return (votes - votes.sum(axis=1, keepdims=True) * scores).max(axis=1)


def log_probabilities(max_count: np.ndarray, threshold: float, sigma: float) -> tuple[np.ndarray, np.ndarray]:
    """(ln p, ln(1-p)) with p the probability of passing, each of shape (n,)."""
    excess = (np.asarray(max_count, float) - threshold) / sigma
    return log_ndtr(excess), log_ndtr(-excess)


def rdp_independent(orders: np.ndarray, sigma: float) -> np.ndarray:
    """Data-independent RDP, order / (2 sigma^2), in both directions; shape (k,)."""
    return renyi.gaussian_rdp(orders, sigma, SENSITIVITY)


def rdp(orders: np.ndarray, max_count: np.ndarray, threshold: float, sigma: float) -> np.ndarray:
    """Data-dependent RDP of each check, shape (n, k); one-sided like `gnmax.rdp`.

    Theorem 3 with q = min(p, 1-p). The check is (mu, mu / (2 sigma^2))-RDP, that is GNMax's curve at noise
    sqrt(2) sigma.
    """
    log_q = np.minimum(*log_probabilities(max_count, threshold, sigma))
    return gnmax.rdp(orders, log_q, np.sqrt(2.0) * sigma)
