"""Noise of the Gaussian mechanism for a target (epsilon, delta).

`sensitivity` is the L2 sensitivity under whichever neighbouring relation the caller states; sigma comes in its unit.
"""

import math

import dp_accounting


def sigma_rdp(sensitivity: float, epsilon: float, delta: float) -> float:
    """Sigma by RDP with the classic conversion, in closed form (Fay et al. 2020, Algorithm 2).

    The order that minimises order * s^2 / (2 sigma^2) + ln(1/delta) / (order - 1) is eliminated:
    sigma = s (sqrt(ln(1/delta) + epsilon) + sqrt(ln(1/delta))) / (sqrt(2) epsilon).
    """
    _check(sensitivity, epsilon, delta)
    log_inverse = math.log(1 / delta)
    return sensitivity * (math.sqrt(log_inverse + epsilon) + math.sqrt(log_inverse)) / (math.sqrt(2) * epsilon)


def sigma_analytic(sensitivity: float, epsilon: float, delta: float) -> float:
    """Sigma of the analytic Gaussian mechanism (Balle and Wang 2018, Theorem 8), by dp_accounting."""
    _check(sensitivity, epsilon, delta)
    return sensitivity * float(dp_accounting.get_sigma_gaussian(epsilon, delta))


def _check(sensitivity: float, epsilon: float, delta: float) -> None:
    if not sensitivity > 0:
        raise ValueError(f"sensitivity must be positive, got {sensitivity}")
    if not epsilon > 0:
        raise ValueError(f"epsilon must be positive, got {epsilon}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie in (0, 1), got {delta}")
