"""Find the setting whose guarantee is a target epsilon: a noise, a number of queries or a number of answers.

A guarantee holds for any votes, so no vote is needed, and none is looked at.
"""

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

from pate_accountant.announced import announced
from pate_accountant.discrete import CONTINUOUS, is_discrete
from pate_accountant.errors import InputError
from pate_accountant.mechanism import LEAST, MOST, PARAMETERS, mechanism, option
from pate_accountant.price import MOST_QUERIES, most_answered, plan
from pate_accountant.rounding import rounded_up, shown

DIGITS = 6  # of a noise that is to be written down


def calibrated(
    name: str,
    target: float,
    given: dict[str, Any],
    cost: Callable[[dict, int], float] | None = None,
    digits: int | None = None,
) -> tuple[dict, int, dict[str, float]]:
    """Return a run's block, its number of queries, and the one setting that was found, by name.

    name: of the mechanism. given: delta, queries, max_answered, noise, and the parameters of the mechanism; exactly one
    of its noises and the queries is None. If none is, the number of answers of confident_gnmax is found. cost: epsilon
    of a run; left out, its guarantee. digits: a noise is rounded up to so many; left out, it is exact.

    A noise is the least, within 1e-11 of it, and a number the largest, at which the guarantee does not exceed the
    target. Raises InputError where there is none, or where it is not clear which setting is to be found.

    >>> given = {"delta": 1e-5, "queries": 1000, "sigma": None}
    >>> calibrated("gnmax", 2.0, given, digits=6)[2]
    {'sigma': 89.1661}
    >>> calibrated("gnmax", 2.0, given | {"queries": None, "sigma": 40})[1:]
    (201, {'queries': 201})
    """
    if not (isinstance(target, Real) and 0 < target < math.inf):
        raise InputError(f"--target-epsilon {target!r}: allowed is a positive number")
    cost = cost or guarantee
    key = _missing(name, given)

    def run_of(value: float) -> tuple[dict, int]:
        now = given | {key: value}
        parameters = {each: now[each] for each in now if each not in ("delta", "queries", "max_answered", "noise")}
        block = mechanism(name, now["delta"], now.get("max_answered"), now.get("noise") or CONTINUOUS, **parameters)
        return block, now["queries"]

    def epsilon(value: float) -> float:
        return cost(*run_of(value))

    if key in ("queries", "max_answered"):
        least = 1 if key == "max_answered" else given.get("max_answered") or 1
        most = MOST_QUERIES if key == "queries" else given["queries"]
        found: float = _largest(epsilon, target, least, most, key)
    else:
        found = _least_noise(epsilon, target, key)
        found = found if digits is None else rounded_up(found, digits)
    return *run_of(found), {key: found}


def guarantee(run: dict, queries: int) -> float:
    """Epsilon of the guarantee of so many queries: `plan(queries, run).guarantee`, without all the rest."""
    if run["aggregator"] != "lnmax" and not is_discrete(run):  # exact, so that no other route gives less
        made = announced(run | {"max_answered": most_answered(run, queries)}, queries)
        if made is not None:
            return made.epsilon
    return plan(queries, run, points=1).guarantee.epsilon


def _missing(name: str, given: dict[str, Any]) -> str:
    """Return the setting that is to be found."""
    if name not in PARAMETERS:
        mechanism(name, 0.5)  # refuses it
    keys = [*(key for key in PARAMETERS[name] if key != "threshold"), "queries"]
    missing = [key for key in keys if given.get(key) is None]
    if not missing and name == "confident_gnmax" and given.get("max_answered") is None:
        return "max_answered"
    if len(missing) != 1:
        left = "none is left out" if not missing else f"left out are {' and '.join(map(option, missing))}"
        answers = " (or of these none, and --max-answered)" if name == "confident_gnmax" else ""
        raise InputError(
            f"--target-epsilon finds one setting: leave out exactly one of {', '.join(map(option, keys))}{answers}; "
            f"{left}"
        )
    return missing[0]


def _largest(epsilon: Callable[[int], float], target: float, least: int, most: int, key: str) -> int:
    """Return the largest whole number from `least` to `most` at which epsilon is at most the target."""
    if not epsilon(least) <= target:
        raise InputError(
            f"--target-epsilon {target}: even {option(key)} {least} costs {shown(epsilon(least), 4)}; "
            "take more noise, or a larger target"
        )
    high = least
    while high < most and epsilon(min(2 * high, most)) <= target:
        high = min(2 * high, most)
    low, high = high, min(2 * high, most) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if epsilon(middle) <= target else (low, middle)
    return low


def _least_noise(epsilon: Callable[[float], float], target: float, key: str) -> float:
    """Return the least noise, within 1e-11 of it, at which epsilon is at most the target."""
    from scipy.optimize import brentq

    if not epsilon(MOST) <= target:
        raise InputError(
            f"--target-epsilon {target}: even {option(key)} {MOST:g} costs {shown(epsilon(MOST), 4)}; "
            "ask fewer queries, or take a larger target"
        )
    if epsilon(LEAST) <= target:
        raise InputError(
            f"--target-epsilon {target}: met by {option(key)} {LEAST:g}, which is hardly any noise; "
            "take a smaller target"
        )

    def gap(logarithm: float) -> float:
        return math.log(max(epsilon(math.exp(logarithm)), 1e-300) / target)

    noise = math.exp(brentq(gap, math.log(LEAST), math.log(MOST), xtol=1e-12))
    step = 1e-13
    while not epsilon(noise) <= target:  # on the safe side of the root
        noise, step = noise * (1 + step), 2 * step
    return noise
