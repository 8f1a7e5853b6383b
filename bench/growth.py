"""How a cost grows with its size."""

from collections.abc import Sequence

import numpy as np

from bench.baseline import compare


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The k of cost = c size^k that fits best, logarithm against logarithm; ValueError below two sizes or at 0."""
    if len(set(sizes)) < 2 or len(sizes) != len(costs) or min(*sizes, *costs) <= 0:
        raise ValueError(f"sizes {list(sizes)}, costs {list(costs)}: needed are two sizes, and a positive cost of each")
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def print_growth(what: str, by: str, sizes: Sequence[float], costs: Sequence[float]) -> None:
    """Print the power of its size by which a cost grows; the factor for twice the size, too."""
    spread, power = f"{min(sizes):,g} to {max(sizes):,g}", exponent(sizes, costs)
    print(f"growth: {what} as ({by})^{power:.2f}, {by} from {spread}", flush=True)
    compare(f"{what}, twice the {by}", 2**power)
