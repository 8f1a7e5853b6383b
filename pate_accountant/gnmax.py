"""Renyi DP of GNMax, argmax_j { n_j + N(0, sigma^2) } (Papernot et al. 2018, Section 4.1 and Appendix A).

Neighbouring relation: replace one training record. One teacher changes its vote, so two counts change by one
and the L2 sensitivity of the histogram is sqrt(2). `votes` is an (n, m) array of counts, `sigma` in votes.
"""

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtri_exp

from pate_accountant import data_dependent

SENSITIVITY = np.sqrt(2.0)


def log_error_bound(votes: np.ndarray, sigma: float) -> np.ndarray:
    """Ln q with q >= Pr[GNMax gives another class than the plurality] (Prop. 7); shape (n,).

    q = sum_{i != i*} Phi(-(n_i* - n_i) / (sqrt(2) sigma)), a union bound. The plurality class wins with probability
    at least 1/m, hence the cap 1 - 1/m.
    """
    ranked = -np.sort(-np.asarray(votes, float), axis=1)
    gaps = ranked[:, :1] - ranked[:, 1:]
    return cap(logsumexp(log_ndtr(-gaps / (SENSITIVITY * sigma)), axis=1), ranked.shape[1])


def cap(log_q: np.ndarray, classes: int) -> np.ndarray:
    """Ln min{q, 1 - 1/m}."""
    return np.minimum(log_q, np.log1p(-1 / classes))


def rdp_independent(orders: np.ndarray, sigma: float) -> np.ndarray:
    """Data-independent RDP, order / sigma^2 (Prop. 6); holds in both directions; shape (k,)."""
    return np.asarray(orders, float) / sigma**2


def optimal_orders(log_q: np.ndarray, sigma: float) -> tuple[np.ndarray, np.ndarray]:
    """(mu1, mu2) that minimise the two terms of Theorem 3 (Prop. 10): mu2 = sigma sqrt(ln 1/q), mu1 = mu2 + 1."""
    mu2 = sigma * np.sqrt(-np.asarray(log_q, float))
    return mu2 + 1, mu2


def rdp(orders: np.ndarray, log_q: np.ndarray, sigma: float) -> np.ndarray:
    """Data-dependent RDP beta_order(q) of each query, shape (n, k).

    min{Theorem 3 at the optimal orders, order / sigma^2}. One-sided: it bounds D_order(M(D) || M(D')) for the D whose
    q = exp(log_q) this is, not the converse; and it is itself private.
    """
    log_q = np.maximum(np.asarray(log_q, float), data_dependent.SMALLEST_LOG_Q)[:, None]
    mu1, mu2 = optimal_orders(log_q, sigma)
    dependent = data_dependent.bound(orders, log_q, mu1, mu1 / sigma**2, mu2, mu2 / sigma**2)
    return np.minimum(dependent, rdp_independent(orders, sigma))


def log_error_bound_neighbour_max(log_q: np.ndarray, sigma: float, classes: int) -> np.ndarray:
    """Ln min{B_U(q), 1 - 1/m}: no neighbour's q is larger (Appendix B)."""
    return cap(_shift(log_q, np.sqrt(2.0) / sigma, classes), classes)


def log_error_bound_neighbour_min(log_q: np.ndarray | float, sigma: float, classes: int) -> np.ndarray:
    """Ln B_L(q): no neighbour's q is smaller (Appendix B)."""
    return _shift(log_q, -np.sqrt(2.0) / sigma, classes)


def _shift(log_q: np.ndarray | float, amount: float, classes: int) -> np.ndarray:
    """Ln (m-1) Phi(Phi^-1(q / (m-1)) + amount).

    The m-1 gaps each change by at most two votes, sqrt(2)/sigma on the scale of Phi; by concavity q moves most
    when it is spread evenly over the other classes.
    """
    log_share = np.asarray(log_q, float) - np.log(classes - 1)
    return np.log(classes - 1) + log_ndtr(ndtri_exp(log_share) + amount)


def rdp_two_sided(orders: np.ndarray, log_q: np.ndarray, sigma: float, classes: int) -> np.ndarray:
    """RDP in both directions between D and any neighbour, shape (n, k): beta at the largest q a neighbour can have."""
    return rdp(orders, log_error_bound_neighbour_max(log_q, sigma, classes), sigma)
