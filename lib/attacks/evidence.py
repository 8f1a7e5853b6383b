"""Write the results of an audit's runs as a table, and compute the lower bounds on epsilon that it gives.

Of many runs with one record and without it, or of few runs with many coins in each. Both give a bound from all that
there is, and bounds from parts of it, whose scatter says how much is chance.
"""

from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import pandas as pd

from lib.attacks.canary import KINDS
from lib.attacks.empirical_epsilon import LowerBound, lower_bound, repeated_bounds
from lib.attacks.one_run import OneRunBound, guess_numbers, one_run_bound
from lib.core.errors import InputError

Bound = TypeVar("Bound", LowerBound, OneRunBound)


class Evidence(Protocol[Bound]):
    """Of the runs of one audit."""

    def table(self) -> pd.DataFrame:
        """Return a row for each number that a run showed."""

    def pooled(self, delta: float, level: float) -> Bound:
        """Return the bound from all of it, which holds at the level."""

    def parts(self, delta: float, level: float, repetitions: int) -> list[Bound]:
        """As many bounds, each from a part of its own."""

    def measured(self, bound: Bound) -> dict[str, float]:
        """Return how a bound was measured, for a record."""


@dataclass(frozen=True)
class Runs:
    """A statistic of independent runs with the record (n1,) and without it (n0,)."""

    with_record: np.ndarray
    without: np.ndarray

    def table(self) -> pd.DataFrame:
        """Columns run, canary (1 with the record, 0 without) and statistic."""
        kinds = zip(KINDS.values(), (self.with_record, self.without), strict=True)
        return pd.concat(
            [
                pd.DataFrame({"run": range(len(values)), "canary": int(is_in), "statistic": values})
                for is_in, values in kinds
            ]
        )

    def pooled(self, delta: float, level: float) -> LowerBound:
        """By `lower_bound`, whose errors are raised."""
        return lower_bound(self.with_record, self.without, delta, level)

    def parts(self, delta: float, level: float, repetitions: int) -> list[LowerBound]:
        """Every `repetitions`-th run of either kind."""
        return repeated_bounds(self.with_record, self.without, delta, level, repetitions)

    def measured(self, bound: LowerBound) -> dict[str, float]:
        """Return the threshold, and of either kind the runs that measured and those in which the event occurred."""
        return {
            "threshold": bound.threshold,
            **{f"measured_{kind}": count for kind, count in zip(KINDS, bound.runs, strict=True)},
            **{f"event_{kind}": count for kind, count in zip(KINDS, bound.counts, strict=True)},
        }


@dataclass(frozen=True)
class Coins:
    """Of each run and slot, differences (R, m): the first record's score less the second's; second (R, m) bool.

    guesses: shares of the slots that are guessed.
    """

    differences: np.ndarray
    second: np.ndarray
    guesses: tuple[float, ...]

    def table(self) -> pd.DataFrame:
        """Columns run, slot, second and difference."""
        indices = np.indices(self.differences.shape)
        columns: dict[str, np.ndarray] = dict(zip(("run", "slot"), indices, strict=True))
        columns |= {"second": self.second.astype(int), "difference": self.differences}
        return pd.DataFrame({name: values.ravel() for name, values in columns.items()})

    def pooled(self, delta: float, level: float) -> OneRunBound:
        """Return the largest of the runs' bounds, each of which has an equal share of the error."""
        return self._largest(self.differences, self.second, delta, level)

    def parts(self, delta: float, level: float, repetitions: int) -> list[OneRunBound]:
        """Every `repetitions`-th slot of every run."""
        return [
            self._largest(self.differences[:, k::repetitions], self.second[:, k::repetitions], delta, level)
            for k in range(repetitions)
        ]

    def measured(self, bound: OneRunBound) -> dict[str, float]:
        """How many coins were guessed, and rightly."""
        return {"guesses": bound.guesses, "right": bound.right}

    def _largest(self, differences: np.ndarray, second: np.ndarray, delta: float, level: float) -> OneRunBound:
        numbers = guess_numbers(differences.shape[1], self.guesses)
        shared = 1 - (1 - level) / len(differences)
        bounds = (one_run_bound(*run, numbers, delta, shared) for run in zip(differences, second, strict=True))
        return max(bounds, key=lambda bound: (bound.epsilon, bound.uncut))


def evidence(table: pd.DataFrame, guesses: tuple[float, ...] = ()) -> Evidence[Any]:
    """Read a table of `Evidence.table`; guesses: for coins. Raises InputError for a table that is none."""
    if {"canary", "statistic"} <= set(table.columns):
        return Runs(*(table.loc[table["canary"] == canary, "statistic"].to_numpy() for canary in (1, 0)))
    if {"run", "slot", "second", "difference"} <= set(table.columns):
        runs = table["run"].nunique()
        if (table.groupby("run").size() != len(table) / max(runs, 1)).any():
            raise InputError("its runs have different numbers of slots; allowed is the same in all")
        differences, second = (table[name].to_numpy().reshape(runs, -1) for name in ("difference", "second"))
        return Coins(differences, second.astype(bool), tuple(guesses))
    raise InputError(
        f"its columns are {', '.join(table.columns)}; needed are canary and statistic, or run, slot, second, difference"
    )
