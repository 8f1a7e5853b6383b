"""Renyi DP of the Gaussian mechanism on a Poisson sample: each record is in the batch with probability `rate`.

Neighbouring relation: add or remove one record. Sigma is the noise multiplier: standard deviation of the noise over
the L2 sensitivity of what is released.
"""

from functools import lru_cache

import numpy as np

from pate_accountant.errors import InputError

TAIL = 12.0  # standard deviations; what lies beyond weighs e^-72 of what lies within
ROUNDING = 1e-11  # relative; a divergence is raised by it, so that rounding does not make it less than it is
NEAR, TERMS = 0.1, 16  # order times logarithm below which a series is used, and the last power of it
POINTS = 100_000  # of a sum, at most; more would be needed for hardly any noise only
KEPT = 64  # results of the last calls: parts of a run share rate and sigma, and a run is stated in several ways


def subsampled_gaussian_rdp(orders: np.ndarray, rate: float, sigma: float) -> np.ndarray:
    """RDP of one release, shape (k,), in nats.

    With mu0 = N(0, sigma^2) and mu = (1 - rate) mu0 + rate N(1, sigma^2) it is
    ln E_{z ~ mu0} (mu(z) / mu0(z))^order / (order - 1), which is the larger of the two directions (Mironov, Talwar and
    Zhang 2019, Theorem 5). What it is above 1 is summed by the trapezoid rule (`renyi`), for any real order > 1: the
    integrand is analytic in a strip of half-width pi sigma^2 (pi sigma where that is less) and bounded there by its
    real values, so that a step of a quarter of sigma^2 (sigma) leaves a relative error of about e^-74. Where that would
    take more than POINTS steps, at small sigma and large orders, it is an upper bound: mu / mu0 is a mean of 1 and a
    ratio r, and (1 - rate + rate r)^order <= 1 - rate + rate r^order by convexity; that is too much by ln(1 / rate) at
    most, beside order / (2 sigma^2). At rate 1 it is order / (2 sigma^2). Raises InputError for a rate outside (0, 1],
    sigma <= 0 or an order <= 1.
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
    return np.array(_divergences(tuple(orders), rate, sigma))


@lru_cache(KEPT)
def _divergences(orders: tuple[float, ...], rate: float, sigma: float) -> list[float]:
    step = min(sigma, sigma**2) / 4
    summed = [order for order in orders if (order + 2 * TAIL * sigma) / step <= POINTS]
    # the integrand has a bump at 0 and one at no more than `order`, each no wider than sigma
    points = [np.arange(-TAIL * sigma, order + TAIL * sigma + step, step) for order in summed]
    z = max(points, key=len, default=np.empty(0))  # the others are its beginnings
    log_ratio, log_weights = log_mixed(rate, (2 * z - 1) / (2 * sigma**2)), log_normal(z, step, sigma)
    found = {
        order: renyi(order, log_ratio[: len(own)], log_weights[: len(own)])
        for order, own in zip(summed, points, strict=True)
    }
    for order in set(orders) - set(summed):
        found[order] = float(log_mixed(rate, order * (order - 1) / (2 * sigma**2))) / (order - 1)
    return [found[order] for order in orders]


def log_mixed(rate: float, log_ratio: np.ndarray | float) -> np.ndarray:
    """ln (1 - rate + rate e^log_ratio), of any size and to full relative accuracy also near 0."""
    near = np.log1p(rate * np.expm1(np.clip(log_ratio, -1, 1)))
    return np.where(np.abs(log_ratio) < 1, near, np.logaddexp(np.log1p(-rate), np.log(rate) + log_ratio))


def log_normal(z: np.ndarray, step: float, sigma: float) -> np.ndarray:
    """ln of the weights of N(0, sigma^2) at points that are a step apart, by the trapezoid rule."""
    return np.log(step / (sigma * np.sqrt(2 * np.pi))) - z**2 / (2 * sigma**2)


def renyi(order: float, log_ratio: np.ndarray, log_weights: np.ndarray) -> float:
    """D_order(P || Q) from ln P/Q and the logarithms of Q's weights at some points, for P and Q that both sum to 1.

    E_Q[(P/Q)^order] - 1 is E_Q[h] with h = (P/Q)^order - 1 - order (P/Q - 1), since E_Q[P/Q] = 1. No h is negative, so
    that nothing cancels in the sum, however near 1 the order is and however near each other P and Q are. What is left
    of rounding is less than ROUNDING, by which the result is raised.
    """
    with np.errstate(divide="ignore", invalid="ignore"):  # ln 0 where P = Q, and formulas where others are taken
        log_excess = _log_sum_exp(_log_excess(order, log_ratio) + log_weights)
    return float(np.logaddexp(0, np.log(order - 1) + log_excess)) / (order - 1) * (1 + ROUNDING)


def _log_sum_exp(terms: np.ndarray) -> float:
    """ln of the sum of e^terms, shape (n,): scipy.special.logsumexp's operations in its order, without its checks.

    Those take longer than the sum of a few hundred terms.
    """
    largest = terms.max()
    at_largest = terms == largest
    rest, times = np.exp(np.where(at_largest, -np.inf, terms) - largest).sum(), np.float64(np.count_nonzero(at_largest))
    found = np.log1p(rest / times) + np.log(times) + largest
    return found if np.isfinite(found) else np.log(np.exp(terms).sum())


def _log_excess(order: float, log_ratio: np.ndarray) -> np.ndarray:
    """ln of (r^order - 1 - order (r - 1)) / (order - 1) at r = e^log_ratio, which is above 0 but for r = 1."""
    near = order * np.abs(log_ratio) < NEAR
    above_1 = ~near & (log_ratio > 0)
    below_1 = ~(near | above_1)
    above, up, down = order - 1, log_ratio[above_1], log_ratio[below_1]
    found = np.empty_like(log_ratio)
    found[above_1] = order * up + np.log(np.exp(-above * up) * np.expm1(-up) - np.expm1(-above * up) / above)
    found[below_1] = np.log(np.exp(down) * np.expm1(above * down) / above - np.expm1(down))
    # where these cancel: Taylor's series in r - 1, whose terms fall by a factor of ten and more
    rest = np.expm1(log_ratio[near])
    series = np.ones_like(rest)
    for term in range(TERMS, 2, -1):
        series = 1 + (order - term + 1) * rest / term * series
    found[near] = np.log(order / 2) + 2 * np.log(np.abs(rest)) + np.log(series)
    return found
