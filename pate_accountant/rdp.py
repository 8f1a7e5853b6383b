"""Renyi DP: orders, composition (a plain sum over queries) and conversion to (epsilon, delta).

Throughout, `orders` is a 1-D array of orders > 1 and RDP values are in nats at those orders.
"""

import numpy as np


def order_grid(
    linear: tuple[float, float, float] = (2.0, 100.0, 0.5), logarithmic: tuple[float, float, int] = (100.0, 500.0, 100)
) -> np.ndarray:
    """Orders over which the conversion is minimised.

    `linear` is (first, last, step) and `logarithmic` (first, last, count). The defaults are the long list of the
    analysis that Papernot et al. (2018) published; 100 stands in it twice and here once.
    """
    first, last, step = linear
    dense = first + step * np.arange(int(round((last - first) / step)) + 1)
    return np.unique(np.concatenate([dense, np.geomspace(*logarithmic)]).round(12))


def gaussian_rdp(orders: np.ndarray, sigma: float, sensitivity: float) -> np.ndarray:
    """RDP of the Gaussian mechanism, order * sensitivity^2 / (2 sigma^2) (Mironov 2017, Prop. 7); shape (k,)."""
    return np.asarray(orders, float) * sensitivity**2 / (2 * sigma**2)


def epsilon_classic(orders: np.ndarray, rdp: np.ndarray | float, delta: float) -> tuple[float, float]:
    """Return the papers' conversion, min over orders of rdp + ln(1/delta)/(order-1) (Mironov 2017, Prop. 3).

    Returns (epsilon, optimal order).
    """
    epsilons = rdp + np.log(1 / delta) / (np.asarray(orders) - 1)
    best = int(np.argmin(epsilons))
    return float(epsilons[best]), float(orders[best])


def epsilon_tight(orders: np.ndarray, rdp: np.ndarray | float, delta: float) -> tuple[float, float]:
    """dp_accounting's tighter conversion (Canonne et al. 2020, Prop. 12). Returns (epsilon, optimal order)."""
    from dp_accounting import rdp as dp_rdp  # takes a second, and not every job needs it

    epsilon, order = dp_rdp.compute_epsilon(orders, rdp, delta)
    return float(epsilon), float(order)


def at_grid_edge(orders: np.ndarray, order: float) -> bool:
    """Return True if the optimum sits at the edge of the order grid, so that a wider grid might give less epsilon."""
    return order in (np.min(orders), np.max(orders))
