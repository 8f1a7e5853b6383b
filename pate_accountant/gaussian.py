"""Noise of the Gaussian mechanism for a target (epsilon, delta), and what given noise costs.

`sensitivity` is the L2 sensitivity under whichever neighbouring relation the caller states; sigma comes in its unit.
"""

import math

# dp_accounting finds roots within 1e-12, from either side; what it finds is moved this far to the safe side
ROUNDING = 1e-9


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
    import dp_accounting  # takes a second, and not every job needs it

    _check(sensitivity, epsilon, delta)
    # the formula depends on sigma / sensitivity only; 1e-12 is too coarse for the smallest of these ratios
    unit = float(dp_accounting.get_sigma_gaussian(epsilon, delta, tol=1e-15))
    return sensitivity * unit * (1 + ROUNDING)


def epsilon_rdp(sensitivity: float, sigma: float, delta: float) -> float:
    """Epsilon of noise of `sigma` by RDP with the classic conversion at the best order, the inverse of `sigma_rdp`.

    With rho = s^2 / (2 sigma^2), the least of order * rho + ln(1/delta) / (order - 1) is rho + 2 sqrt(rho ln(1/delta)).
    """
    _check(sensitivity, sigma, delta, "sigma")
    rho = (sensitivity / sigma) ** 2 / 2
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def epsilon_analytic(sensitivity: float, sigma: float, delta: float) -> float:
    """Least epsilon that noise of `sigma` gives at `delta` (Balle and Wang 2018, Theorem 8), rounded up."""
    _check(sensitivity, sigma, delta, "sigma")
    import dp_accounting

    return float(dp_accounting.get_epsilon_gaussian(sigma / sensitivity, delta)) * (1 + ROUNDING) + ROUNDING


def _check(sensitivity: float, positive: float, delta: float, name: str = "epsilon") -> None:
    if not sensitivity > 0:
        raise ValueError(f"sensitivity must be positive, got {sensitivity}")
    if not positive > 0:
        raise ValueError(f"{name} must be positive, got {positive}")
    if not 0 < delta < 1:
        raise ValueError(f"delta must lie in (0, 1), got {delta}")
