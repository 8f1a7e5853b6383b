"""GNSS: releasing a data-dependent privacy cost with Gaussian noise scaled to its smooth sensitivity.

The release is f(D) + SS(D) * N(0, sigma_ss^2), with SS beta-smooth: SS(D) <= e^beta SS(D'), |f(D) - f(D')| at most
either (Papernot et al. 2018, Theorem 23). The release has a privacy cost of its own, computed here at one order.
"""

import math

import numpy as np


def cost_printed(order: float, beta: float, sigma_ss: float) -> float:
    """The paper's formula, for 1 < order < 1 / (2 beta).

    order e^(2 beta) / sigma_ss^2 + (beta order - ln(1 - 2 order beta) / 2) / (order - 1).
    NOT a bound when order * beta is near 1/2 (see `cost_exact`): kept for comparison with the paper's Table 2 only.
    """
    if not 1 < order < 1 / (2 * beta):
        return math.inf
    spread = (beta * order - 0.5 * math.log1p(-2 * order * beta)) / (order - 1)
    return order * math.exp(2 * beta) / sigma_ss**2 + spread


def cost_exact(order: float, beta: float, sigma_ss: float, grid: int = 2001) -> float:
    """Largest Renyi divergence of the released pair, over all ratios r = SS(D') / SS(D) in [e^-beta, e^beta].

    For N(f, s^2) and N(f', (r s)^2) with |f - f'| <= s min(1, r) / sigma_ss, in units of s:
    order min(1, r^2) / (2 sigma_ss^2 v) + ln r + ln(r^2 / v) / (2 (order-1)), v = 1 - order + order r^2.
    Infinite where v <= 0. The maximum is taken over both ends and a grid between them (the lower end attains it
    wherever it was tried).
    """
    ratios = np.exp(np.linspace(-beta, beta, grid))
    variance = 1 - order + order * ratios**2
    if variance.min() <= 0:
        return math.inf
    divergence = (
        order * np.minimum(1, ratios**2) / (2 * sigma_ss**2 * variance)
        + np.log(ratios)
        + np.log(ratios**2 / variance) / (2 * (order - 1))
    )
    return float(divergence.max())


def release(epsilon: float, sensitivity: float, sigma_ss: float, rng: np.random.Generator) -> float:
    """Draw the published value, epsilon + sensitivity * N(0, sigma_ss^2), not below 0.

    `epsilon` includes the cost of this draw; `sensitivity` is the smooth sensitivity of its data-dependent part. The
    value is unbiased, not an upper bound: half of all draws fall below `epsilon`.
    """
    return max(0.0, epsilon + sensitivity * float(rng.normal(0.0, sigma_ss)))
