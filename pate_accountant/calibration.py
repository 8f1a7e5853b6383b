"""The least noise at which a mechanism costs no more than its target."""

import math
from collections.abc import Callable

from pate_accountant.errors import InputError
from pate_accountant.rounding import shown

PRECISION = 1e-4  # relative; the noise found is the least within it, and never costs more than its target


def least_noise(cost: Callable[[float], float], target: float, largest: float = 1e4, advice: str = "") -> float:
    """Return the least noise (within PRECISION) with cost(noise) <= target; the cost must fall as noise grows.

    cost: epsilon at a noise, in whatever unit. advice: what to do where not even `largest` does. Raises InputError
    then, for a target that is not positive, and for one that is met with hardly any noise.
    """
    if not target > 0:
        raise InputError(f"epsilon {target}: the target must be positive")
    if not cost(largest) <= target:
        raise InputError(
            f"epsilon {target}: even sigma {largest:g} costs {shown(cost(largest), 4)}; "
            f"take {advice and advice + ', or '}a larger target"
        )
    high = min(1.0, largest)
    while not cost(high) <= target:
        high = min(2 * high, largest)
    low = high / 2
    while cost(low) <= target:
        low, high = low / 2, low
        if low < 1e-3:
            raise InputError(f"epsilon {target}: met with hardly any noise; take a smaller target")
    while high / low > 1 + PRECISION:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if cost(middle) <= target else (middle, high)
    return high
