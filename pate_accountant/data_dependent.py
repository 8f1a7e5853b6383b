"""Theorem 3 of Papernot et al. (2018): from a likely outcome to a data-dependent Renyi divergence."""

import numpy as np

# exp(-700) is still a normal double: smaller failure probabilities are rounded up to it, which can only raise a bound.
SMALLEST_LOG_Q = -700.0


def bound(
    orders: np.ndarray, log_q: np.ndarray, mu1: np.ndarray, eps1: np.ndarray, mu2: np.ndarray, eps2: np.ndarray
) -> np.ndarray:
    """Bound on D_order(M(D) || M(D')) over all neighbours D' of D; +inf where a condition of the theorem fails.

    M is (mu1, eps1)- and (mu2, eps2)-RDP and fails to give its likely outcome on D with probability at most
    q = exp(log_q). All arguments broadcast against each other. One-sided: it says nothing of D(M(D') || M(D)).

    Conditions (all checked): order <= mu1; mu2 > 1; ln(1/q) > eps2, which makes A positive;
    q <= exp((mu2-1) eps2) / (mu1/(mu1-1) * mu2/(mu2-1))^mu2, below which the bound increases in q, so that an
    upper bound may stand for the exact failure probability.
    """
    orders, log_q, mu1, eps1, mu2, eps2 = np.broadcast_arrays(
        *(np.asarray(x, float) for x in (orders, log_q, mu1, eps1, mu2, eps2))
    )
    log_q = np.maximum(log_q, SMALLEST_LOG_Q)
    with np.errstate(all="ignore"):  # arguments outside the conditions give nan or inf and are masked below
        applies = (orders <= mu1) & (mu2 > 1) & (-log_q > eps2)
        ceiling = (mu2 - 1) * eps2 - mu2 * (np.log(mu1 / (mu1 - 1)) + np.log(mu2 / (mu2 - 1)))
        applies &= log_q <= ceiling
        log_success = np.log1p(-np.exp(log_q))
        log_a = log_success - np.log1p(-np.exp((log_q + eps2) * (mu2 - 1) / mu2))
        log_b = eps1 - log_q / (mu1 - 1)
        divergence = np.logaddexp(
            log_success + (orders - 1) * log_a,
            log_q + (orders - 1) * log_b,
        ) / (orders - 1)
    return np.where(applies, divergence, np.inf)
