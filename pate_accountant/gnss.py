"""GNSS: releasing a data-dependent privacy cost with Gaussian noise scaled to its smooth sensitivity.

The release is f(D) + SS(D) * N(0, sigma_ss^2), with SS beta-smooth: SS(D) <= e^beta SS(D'), |f(D) - f(D')| at most
either (Papernot et al. 2018, Theorem 23). The release has a privacy cost of its own, computed here at one order.
"""

import math

import numpy as np


def cost_printed(order: float, beta: float, sigma_ss: float) -> float:
    """Return the paper's formula, for 1 < order < 1 / (2 beta).

    order e^(2 beta) / sigma_ss^2 + (beta order - ln(1 - 2 order beta) / 2) / (order - 1).
    NOT a bound when order * beta is near 1/2 (see `cost_exact`): kept for comparison with the paper's Table 2 only.
    """
    if not 1 < order < 1 / (2 * beta):
        return math.inf
    spread = (beta * order - 0.5 * math.log1p(-2 * order * beta)) / (order - 1)
    return order * math.exp(2 * beta) / sigma_ss**2 + spread


def cost_exact(order: float, beta: float, sigma_ss: float) -> float:
    """Largest Renyi divergence of the released pair, over all ratios r = SS(D') / SS(D) in [e^-beta, e^beta].

    For N(f, s^2) and N(f', (r s)^2) with |f - f'| <= s min(1, r) / sigma_ss, in units of s:
    order min(1, r^2) / (2 sigma_ss^2 v) + ln r + ln(r^2 / v) / (2 (order-1)), v = 1 - order + order r^2.
    Infinite where v <= 0. The largest is at one of the two ends: with u = r^2 and a = order > 1, v' = a and
    v - u = (a - 1) (u - 1), so the derivative in u of the two logarithms is a (1/u - 1/v) / (2 (a-1)) =
    a (u - 1) / (2 u v). That of the first term is -a (a - 1) / (2 sigma_ss^2 v^2) for u < 1, where the sum is thus
    negative, and -a^2 / (2 sigma_ss^2 v^2) for u > 1. There the sum is a / (2 v^2) times
    (u - 1) v / u - a / sigma_ss^2, and (u - 1) v / u = (u - 1) (a - (a - 1) / u) is a product of two factors that are
    not negative and grow with u: the divergence falls first, and if it ever rises, it rises from there on.
    """
    log_ratio = np.array([-beta, beta])
    more = -(order - 1) * np.expm1(-2 * log_ratio)  # v / r^2 - 1, without the cancellation of v near order 1
    if more.min() <= -1:
        return math.inf
    shares = np.minimum(1, np.exp(-2 * log_ratio)) / (1 + more)
    divergence = order * shares / (2 * sigma_ss**2) + log_ratio - np.log1p(more) / (2 * (order - 1))
    return float(divergence.max())


def release(epsilon: float, sensitivity: float, sigma_ss: float, rng: np.random.Generator) -> float:
    """Draw the published value, epsilon + sensitivity * N(0, sigma_ss^2), not below 0.

    `epsilon` includes the cost of this draw; `sensitivity` is the smooth sensitivity of its data-dependent part. The
    value is no upper bound: half of all draws fall below an `epsilon` that is positive. Where draws below 0 are likely,
    its mean lies above `epsilon`, because they are made 0.
    """
    return max(0.0, epsilon + sensitivity * float(rng.normal(0.0, sigma_ss)))
