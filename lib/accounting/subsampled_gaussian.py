"""Renyi DP of the Gaussian mechanism on a Poisson sample: each record is in the batch with probability `rate`.

Neighbouring relation: add or remove one record. Sigma is the noise multiplier: standard deviation of the noise over
the L2 sensitivity of what is released.
"""

import numpy as np
from scipy.special import logsumexp

from lib.core.errors import InputError

TAIL = 12.0  # standard deviations; what lies beyond weighs e^-72 of what lies within
POINTS = 100_000  # of a sum, at most; more would be needed for hardly any noise only


def subsampled_gaussian_rdp(orders: np.ndarray, rate: float, sigma: float) -> np.ndarray:
    """RDP of one release, shape (k,), in nats.

    With mu0 = N(0, sigma^2) and mu = (1 - rate) mu0 + rate N(1, sigma^2) it is
    ln E_{z ~ mu0} (mu(z) / mu0(z))^order / (order - 1), which is the larger of the two directions (Mironov, Talwar and
    Zhang 2019, Theorem 5). The expectation is summed by the trapezoid rule, for any real order > 1: the integrand is
    analytic in a strip of half-width pi sigma^2 (pi sigma where that is less) and bounded there by its real values, so
    that a step of a quarter of sigma^2 (sigma) leaves a relative error of about e^-74. Where that would take more than
    POINTS steps, at small sigma and large orders, it is an upper bound: mu / mu0 is a mean of 1 and a ratio r, and
    (1 - rate + rate r)^order <= 1 - rate + rate r^order by convexity; that is too much by ln(1 / rate) at most, beside
    order / (2 sigma^2). At rate 1 it is order / (2 sigma^2). Raises InputError for a rate outside (0, 1], sigma <= 0 or
    an order <= 1.
    """
    orders = np.asarray(orders, float)
    if not 0 < rate <= 1:
        raise InputError(f"sampling rate {rate}: it must lie in (0, 1]")
    if not sigma > 0:
        raise InputError(f"sigma {sigma}: it must be positive")
    if not (orders > 1).all():
        raise InputError(f"order {orders.min()}: all orders must be above 1")
    if rate == 1:
        return orders / (2 * sigma**2)
    return np.array([_log_moment(order, rate, sigma) / (order - 1) for order in orders])


def _log_moment(order: float, rate: float, sigma: float) -> float:
    step = min(sigma, sigma**2) / 4
    if (order + 2 * TAIL * sigma) / step > POINTS:
        return float(np.logaddexp(np.log1p(-rate), np.log(rate) + order * (order - 1) / (2 * sigma**2)))
    # the integrand has a bump at 0 and one at no more than `order`, each no wider than sigma
    z = np.arange(-TAIL * sigma, order + TAIL * sigma + step, step)
    log_ratio = np.logaddexp(np.log1p(-rate), np.log(rate) + (2 * z - 1) / (2 * sigma**2))
    return log_expectation(order * log_ratio, z, step, sigma)


def log_expectation(logs: np.ndarray, z: np.ndarray, step: float, sigma: float) -> float:
    """ln of E_{N(0, sigma^2)} exp(logs), by the trapezoid rule at the points z (m,), which are a step apart.

    For moments of a ratio of densities, which are at least 1 by Jensen: rounding must not make them less.
    """
    return max(0.0, float(logsumexp(logs - z**2 / (2 * sigma**2)) + np.log(step / (sigma * np.sqrt(2 * np.pi)))))
