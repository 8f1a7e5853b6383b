"""Curves of epsilon compared where something else is equal, which is what claims about figures are about."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lib.reporting.spread import mean_and_spread
from pate_accountant.statement import PrivacyStatement


def epsilon_at_accuracy(epsilon: np.ndarray, accuracy: np.ndarray, wanted: float) -> float:
    """Return the least epsilon at which a curve attains an accuracy; nan where it never does, or may do at less.

    epsilon, accuracy: (p,) points of the curve, in any order. Between points, of which a dearer one may be less
    accurate, the best accuracy so far is joined by straight lines over ln epsilon. Where the cheapest point is more
    accurate than wanted, what less would do is not known.
    """
    order = np.argsort(epsilon)
    best = np.maximum.accumulate(np.asarray(accuracy, float)[order])
    if not best[0] <= wanted <= best[-1]:
        return float("nan")
    after = int(np.searchsorted(best, wanted))
    logs = np.log(np.asarray(epsilon, float)[order])
    if after == 0:
        return float(np.exp(logs[0]))
    part = (wanted - best[after - 1]) / (best[after] - best[after - 1])
    return float(np.exp(logs[after - 1] + part * (logs[after] - logs[after - 1])))


def equal_answers(curves: list[tuple[np.ndarray, np.ndarray]], points: int) -> tuple[np.ndarray, np.ndarray]:
    """Epsilon of several curves at the same numbers of answers.

    curves: (answered (p,), epsilon (p,)) each, answered increasing. Returns the numbers of answers (points,), equally
    spaced up to where the shortest curve ends, and the epsilons (curves, points).
    """
    end = min(np.max(answered) for answered, _ in curves)
    at = np.linspace(0, end, points + 1)[1:]
    return at, np.array([np.interp(at, answered, epsilon) for answered, epsilon in curves])


def comparison_rows(draws: list[list[dict]], ensemble: dict, data: str) -> list[dict]:
    """One row a comparison, with mean and spread over independent draws of the votes.

    draws: the same comparisons of each draw, in the same order. A comparison has `comparison` and `at`, in words what
    is compared and where; `value` and `other_value`, or `epsilon` and `other_epsilon` with the fields of their privacy
    statements under `statement` and `other_statement`; and where it was made under `accuracy` or `answers`. What is nan
    in any draw is left empty. With one draw, nothing in the comparison is random, unless it has an `epsilon_spread`
    of its own and the number of `seeds` behind that; `other_epsilon` then has none.
    """
    rows = []
    for same in zip(*draws, strict=True):
        first = same[0]
        row = {
            "dataset": ensemble["label"],
            "stands_for": ensemble.get("stands_for", ensemble["label"]),
            "protocol": ensemble["protocol"],
            "comparison": first["comparison"],
            "at": first["at"],
        }
        for column in ("accuracy", "answers"):
            row[column], _ = _over_draws(same, column)
        for column in ("value", "other_value"):
            row[column], row[f"{column}_spread"] = _over_draws(same, column)
        for column, meaning in (("epsilon", "statement"), ("other_epsilon", "other_statement")):
            mean, row[f"{column}_spread"] = _over_draws(same, column)
            row[column] = None if mean is None else statement_like(first[meaning], mean)
        seeds = len(same) if len(same) > 1 else 0
        if len(same) == 1 and "epsilon_spread" in first:
            row |= {"epsilon_spread": first["epsilon_spread"], "other_epsilon_spread": 0.0}
            seeds = first["seeds"]
        rows.append(row | {"seeds": seeds, "sanitized": False, "data": data})
    return rows


def _over_draws(same: tuple[dict, ...], column: str) -> tuple[float | None, float | None]:
    """Mean and spread of what the draws have in a column; none where one of them has nan."""
    values = [each[column] for each in same if column in each]
    return (None, None) if any(map(math.isnan, values)) else mean_and_spread(values)


def statement_like(fields: Mapping[str, Any], epsilon: float) -> PrivacyStatement:
    """Return a privacy statement with another epsilon, from a row of a table or a dictionary that has its fields.

    It is no proved bound: no run costs just the epsilon that was read off a curve, or is the mean of several.
    """
    names = [name for name in PrivacyStatement.__dataclass_fields__ if name not in ("epsilon", "proved_bound")]
    plain = {name: fields[name].item() if hasattr(fields[name], "item") else fields[name] for name in names}
    return PrivacyStatement(epsilon=epsilon, proved_bound=False, **plain)
