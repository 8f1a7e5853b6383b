"""The second route of what DP-SGD costs: dp_accounting's privacy loss distributions."""

from collections.abc import Callable

from pate_accountant.errors import InputError

INTERVAL = 1e-3  # of privacy losses, to whose multiples they are rounded upwards


def pld_cost(multiplier: float, rate: float, delta: float) -> Callable[[int], float]:
    """Epsilon of so many steps on Poisson samples of `rate`, rounded up at INTERVAL; add or remove one record.

    multiplier: of the noise, by the bound on a gradient. Raises InputError for a delta outside (0, 1).
    """
    import dp_accounting  # takes a second, and not every job needs it
    from dp_accounting import pld

    if not 0 < delta < 1:
        raise InputError(f"delta {delta}: it must lie in (0, 1)")
    step = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(multiplier))

    def cost(steps: int) -> float:
        accountant = pld.PLDAccountant(value_discretization_interval=INTERVAL)
        return accountant.compose(step, steps).get_epsilon(delta) if steps else 0.0

    return cost
