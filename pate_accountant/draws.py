"""Compute the cost of one draw of noise on any data, from its name and parameters alone; replace-one neighbours.

A ledger is a list of such draws with how often each was made, so that whoever holds it can price it again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pate_accountant import gnmax, gnss, lnmax, threshold
from pate_accountant.discrete import DISCRETE

if TYPE_CHECKING:
    import dp_accounting

NEIGHBOURING = "replace_one"


@dataclass(frozen=True)
class Draw:
    """A kind of draw.

    parameters: their names; each is a positive number but for those in `free`. independent(orders, parameters): (k,)
    Renyi cost of one draw. event(parameters): the draw for dp_accounting, None where it knows none. exact:
    dp_accounting prices the event exactly as we do; otherwise it prices a mechanism of which ours is a post-processing.
    """

    parameters: tuple[str, ...]
    independent: Callable[[np.ndarray, dict[str, float]], np.ndarray]
    event: Callable[[dict[str, float]], dp_accounting.DpEvent | None]
    exact: bool
    free: tuple[str, ...] = ()


def _gaussian(sensitivity: float) -> Callable[[dict[str, float]], dp_accounting.DpEvent]:
    def event(given: dict[str, float]) -> dp_accounting.DpEvent:
        import dp_accounting  # takes a second, and not every job needs it

        # plain numbers: how numpy writes its own differs between versions
        return dp_accounting.GaussianDpEvent(given["sigma"] / float(sensitivity))

    return event


def _two_laplace(given: dict[str, float]) -> dp_accounting.DpEvent:
    import dp_accounting

    return dp_accounting.SelfComposedDpEvent(dp_accounting.LaplaceDpEvent(given["laplace_scale"]), 2)


def _released_epsilon(orders: np.ndarray, given: dict[str, float]) -> np.ndarray:
    """Return the release of a data-dependent epsilon is bounded at its own order only."""
    cost = gnss.cost_exact(given["order"], given["beta"], given["sigma_ss"])
    return np.where(np.asarray(orders, float) == given["order"], cost, np.inf)


_GNMAX = Draw(
    ("sigma",), lambda orders, given: gnmax.rdp_independent(orders, given["sigma"]), _gaussian(gnmax.SENSITIVITY), True
)
_THRESHOLD = Draw(
    ("sigma", "threshold"),
    lambda orders, given: threshold.rdp_independent(orders, given["sigma"]),
    _gaussian(threshold.SENSITIVITY),
    True,
    free=("threshold",),
)
# By the name that a ledger gives them. The discrete Gaussian's bound is the continuous one's curve (`discrete`), and
# dp_accounting's Renyi accountant, which has no event for it, is asked for that.
DRAWS = {
    "gnmax": _GNMAX,
    "threshold": _THRESHOLD,
    **{DISCRETE[name]: kind for name, kind in (("gnmax", _GNMAX), ("threshold", _THRESHOLD))},
    "lnmax": Draw(
        ("laplace_scale",),
        lambda orders, given: lnmax.rdp_independent(orders, given["laplace_scale"]),
        _two_laplace,
        exact=False,
    ),
    "gnss": Draw(("order", "beta", "sigma_ss"), _released_epsilon, lambda given: None, exact=False),
}


def rdp_of_draws(orders: np.ndarray, draws: list[dict]) -> np.ndarray:
    """Renyi cost (k,) of all draws of a ledger on any data, by our curves; infinite where there is no bound."""
    total = np.zeros(len(orders))
    with np.errstate(all="ignore"):
        for draw in draws:
            if draw["count"]:  # a cost may be infinite, and nothing times that is nothing
                total = total + draw["count"] * DRAWS[draw["mechanism"]].independent(orders, draw["parameters"])
    return total


def as_dict(name: str, count: int, parameters: dict[str, float]) -> dict:
    """Draws as a ledger writes them, in plain JSON values."""
    import dp_accounting

    return {
        "mechanism": name,
        "count": count,
        "parameters": parameters,
        "neighbouring": NEIGHBOURING,
        "dp_event": repr(DRAWS[name].event(parameters) or dp_accounting.UnsupportedDpEvent()),
    }
