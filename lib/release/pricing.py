"""Draws of noise, as a ledger lists them, priced twice: by our own Renyi curves and by dp_accounting."""

import math

import numpy as np

from lib.core.errors import InputError
from pate_accountant import rdp
from pate_accountant.draws import DRAWS, as_dict, rdp_of_draws
from pate_accountant.ledger import AGREEMENT
from pate_accountant.statement import PrivacyStatement

ROUNDING = 1e-9  # a stated epsilon is the computed one and so much more, so that no other machine finds a larger one


def check_draws(draws: list[dict], where: str) -> None:
    """Raise InputError for draws that are no ledger: unknown, none, with other parameters, of another event."""
    for draw in draws:
        name, given = draw["mechanism"], draw["parameters"]
        if name not in DRAWS:
            raise InputError(f"{where}: draw {name!r} is not one of {', '.join(DRAWS)}")
        kind = DRAWS[name]
        if set(given) != set(kind.parameters):
            raise InputError(f"{where}: {name} has {sorted(given)}; needed: {', '.join(kind.parameters)}")
        if draw["count"] < 1:
            raise InputError(f"{where}: {draw['count']} of {name}; allowed is at least 1, what was drawn or may be")
        for parameter, value in given.items():
            if not (math.isfinite(value) and (value > 0 or parameter in kind.free)):
                raise InputError(f"{where}: {name} has {parameter} = {value}; allowed is a positive number")
        expected = as_dict(name, draw["count"], given)
        for key in ("neighbouring", "dp_event"):
            if draw[key] != expected[key]:
                raise InputError(f"{where}: {name} has {key} {draw[key]!r}, and its parameters say {expected[key]!r}")


def second_rdp(orders: np.ndarray, draws: list[dict]) -> np.ndarray:
    """Renyi cost (k,) of all draws on any data by dp_accounting; what it has no event for, as by `rdp_of_draws`."""
    import dp_accounting  # takes a second, and not every job needs it
    from dp_accounting import rdp as dp_rdp

    accountant = dp_rdp.RdpAccountant(orders, dp_accounting.NeighboringRelation.REPLACE_ONE)
    rest = []
    for draw in draws:
        event = DRAWS[draw["mechanism"]].event(draw["parameters"])
        if event is None:
            rest.append(draw)
        elif draw["count"]:
            accountant.compose(event, draw["count"])
    return accountant.rdp + rdp_of_draws(orders, rest)


def epsilons(orders: list[float], draws: list[dict], delta: float) -> tuple[float, float]:
    """Epsilon of all draws at `delta` by both routes, each with the classic conversion.

    Raises InputError where the two differ, or dp_accounting's is the larger.
    """
    grid = np.array(orders, float)
    with np.errstate(all="ignore"):
        own, second = (rdp.epsilon_classic(grid, price(grid, draws), delta)[0] for price in (rdp_of_draws, second_rdp))
    # where dp_accounting prices something larger than our draw, ours may cost more, never less
    exact = all(DRAWS[draw["mechanism"]].exact for draw in draws if draw["mechanism"] != "gnss")
    if not (math.isfinite(own) and math.isfinite(second)):
        raise InputError(f"the draws have no finite epsilon at any of the orders: {own}, by dp_accounting {second}")
    if own < second * (1 - AGREEMENT) or (exact and own > second * (1 + AGREEMENT)):
        raise InputError(f"the draws cost {own} by our curves and {second} by dp_accounting")
    return own, second


def statement(
    orders: list[float], draws: list[dict], delta: float, fixed: bool, proved_bound: bool
) -> PrivacyStatement:
    """Return what the draws cost on any data, rounded up; fixed: their numbers were known beforehand."""
    return PrivacyStatement(
        epsilon=max(epsilons(orders, draws, delta)) * (1 + ROUNDING),
        delta=delta,
        conversion="classic",
        neighbouring="replace_one",
        **flags(fixed, proved_bound),
    )


def flags(fixed: bool, proved_bound: bool) -> dict:
    """Return what else a `statement` says."""
    return {
        "accountant": "rdp",
        "data_dependent": not fixed,
        "sanitized": False,
        "one_sided": False,
        "proved_bound": proved_bound,
    }
