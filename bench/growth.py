"""How a cost grows with its size."""

from collections.abc import Sequence

import numpy as np


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The k of cost = c size^k that fits best, logarithm against logarithm; ValueError below two sizes or at 0."""
    if len(set(sizes)) < 2 or len(sizes) != len(costs) or min(*sizes, *costs) <= 0:
        raise ValueError(f"sizes {list(sizes)}, costs {list(costs)}: needed are two sizes, and a positive cost of each")
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


def print_growth(what: str, by: str, sizes: Sequence[float], costs: Sequence[float]) -> None:
    """One line: what grows as which power of its size."""
    spread = f"{min(sizes):,g} to {max(sizes):,g}"
    print(f"growth: {what} as ({by})^{exponent(sizes, costs):.2f}, {by} from {spread}", flush=True)
