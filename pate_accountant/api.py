"""The functions of the package: `account`, `plan`, `calibrate` and `release`."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from pate_accountant import inverse
from pate_accountant import price as pricing
from pate_accountant.errors import InputError
from pate_accountant.mechanism import Mechanism
from pate_accountant.price import Price
from pate_accountant.released_epsilon import TOGETHER, ReleasedEpsilon
from pate_accountant.votes import check_votes

if TYPE_CHECKING:
    from dp_accounting import DpEvent

P = ParamSpec("P")
R = TypeVar("R")


def _python(function: Callable[P, R]) -> Callable[P, R]:
    """Name parameters in refusals as Python has them: `max_answered`, which is --max-answered of the command."""

    @functools.wraps(function)
    def called(*given: P.args, **named: P.kwargs) -> R:
        try:
            return function(*given, **named)
        except InputError as error:
            line = re.sub(r"--([a-z][a-z-]*)", lambda found: found[1].replace("-", "_"), str(error))
            raise InputError(line) from None

    return called


@_python
def account(votes: Any, mechanism: Mechanism, delta: float) -> Price:
    """Return what answering the queries of these votes costs.

    votes: (queries, classes), counts whose rows sum to the number of teachers; lists, an array, a table of pandas, or
    what `read_votes` and `count_votes` return. The attribute `guarantee` is the number to quote, and holds for any
    votes. All other numbers are in `statements`; one that is `data_dependent` is private until it is sanitised
    (`release`). Raises InputError for votes that are none, and for a mechanism or delta out of range.

    >>> from pate_accountant import GNMax
    >>> made = account([[240, 5, 5], [130, 100, 20]], GNMax(sigma=40), delta=1e-5)
    >>> round(made.guarantee.epsilon, 3), made.guarantee.data_dependent
    (0.16, False)
    """
    return pricing.price(_counts(votes), mechanism.run(delta))


@_python
def plan(queries: int, mechanism: Mechanism, delta: float, also: DpEvent | None = None) -> Price:
    """Return what so many queries guarantee on any votes, before there are any.

    also: other mechanisms of dp_accounting on the same records, about replacing one; the guarantee is then that of
    all together. Raises InputError for a number of queries, a mechanism or a delta out of range, and for an event that
    has no price.

    >>> from pate_accountant import GNMax
    >>> round(plan(1000, GNMax(sigma=40), delta=1e-5).guarantee.epsilon, 3)
    4.983
    """
    return pricing.plan(queries, mechanism.run(delta), also=also)


@_python
def calibrate(
    mechanism: type[Mechanism],
    target_epsilon: float,
    delta: float,
    queries: int | None = None,
    also: DpEvent | None = None,
    **known: Any,
) -> Price:
    """Return the plan whose guarantee is the target, or as little below it as a whole number allows.

    known: the parameters of the mechanism. The one that is left out is found: a noise, the queries, or, with all of
    these, the largest `max_answered`. A `threshold` changes no guarantee, and is never found. also: as in `plan`. The
    setting is in `found`, the mechanism with it in `mechanism`. Raises InputError where the target cannot be met, and
    where not exactly one setting is left out.

    >>> from pate_accountant import GNMax
    >>> made = calibrate(GNMax, target_epsilon=2, delta=1e-5, queries=1000)
    >>> round(made.mechanism.sigma, 3), made.guarantee.epsilon <= 2
    (89.166, True)
    >>> calibrate(GNMax, target_epsilon=2, delta=1e-5, sigma=40).queries
    201
    """
    given = {"delta": delta, "queries": queries, "max_answered": None, "noise": None} | known
    cost = None if also is None else lambda run, asked: pricing.plan(asked, run, points=1, also=also).guarantee.epsilon
    run, asked, found = inverse.calibrated(mechanism.name, target_epsilon, given, cost)
    return replace(pricing.plan(asked, run, also=also), found=found)


@_python
def release(votes: Any, mechanism: Mechanism, delta: float, rng: np.random.Generator | None = None) -> ReleasedEpsilon:
    """Draw the data-dependent epsilon of a run of `ConfidentGNMax`, so that it may be published with the answers.

    `published` is the drawn value, and no guarantee; `guarantee` is that of the answers and the value together. Each
    call draws anew, and each value published costs again: publish one. All other numbers are private. rng: left out,
    seeded by the system; whoever knows the seed of another can subtract the noise. Raises InputError where no release
    is known.
    """
    counts = _counts(votes)
    made = pricing.price(counts, mechanism.run(delta))
    released = pricing.sanitized(counts, made, rng or np.random.default_rng())
    if TOGETHER not in released.privacy:
        raise InputError("no release: conditions C5 and C6 of the proof do not hold at these orders")
    return released


def _counts(votes: Any) -> np.ndarray:
    """Votes as an array of numbers; refuses rows of different lengths and what is no number."""
    votes = getattr(votes, "histograms", votes)
    if isinstance(votes, str | Path):
        raise InputError(f"votes: {str(votes)!r} is the name of a file: read it with read_votes")
    if hasattr(votes, "to_numpy"):  # of pandas; a missing value becomes one that is not finite
        votes = votes.to_numpy(dtype=float, na_value=np.nan)
    if isinstance(votes, list | tuple):
        lengths = [len(row) for row in votes if hasattr(row, "__len__")]
        for row, length in enumerate(lengths):
            if length != lengths[0]:
                raise InputError(f"votes: row {row} has {length} classes, row 0 has {lengths[0]}; all need as many")
    try:
        array = np.asarray(votes)
        return check_votes(array.astype(float) if array.dtype.kind == "O" else array)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"votes: {' '.join(str(error).split())}; needed are counts (queries, classes)") from None
