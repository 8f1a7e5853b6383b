"""Curves of training, brought together from the jobs that trained them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.errors import InputError
from lib.core.files import reading
from lib.dp_mac.statements import stated
from lib.reporting.records import read_record
from lib.reporting.results import data_name
from lib.reporting.spread import mean_and_spread
from pate_accountant.rounding import shown
from pate_accountant.statement import PrivacyStatement

# variants of settings that figures show, and how they name them
SHOWN = {
    "main": "Table 2",
    "noise / 50": "Table 2, noise / 50",
    "as run": "authors' command",
    "half the noise": "authors' command, noise / 2",
}
OF_TABLE_1 = ("main", "noise / 50")  # variants with Table 2's settings, which Table 1 is about


@dataclass(frozen=True)
class Level:
    """All repetitions of one series at one level of noise.

    name: of the series; series: how it was trained, and what tables say of it. noise, epsilon, sigma: see `levels`.
    privacy: statements of what one repetition costs, by name. thresholds: the mean of each that was trained with, by
    name. points: a row for each repetition and epoch. data: the dataset, as tables show it.
    """

    name: str
    series: dict
    noise: str
    epsilon: float | None
    sigma: float | None
    privacy: dict[str, PrivacyStatement]
    thresholds: dict[str, float]
    points: pd.DataFrame
    data: str

    @property
    def measure(self) -> str:
        """Name of the quantity of the curves: `error` or `accuracy`."""
        return "error" if "test_error" in self.points else "accuracy"

    def table(self, column: str) -> np.ndarray:
        """Return a column as (R, epochs + 1)."""
        return self.points.pivot(index="repetition", columns="epoch", values=column).to_numpy()

    def final(self, column: str) -> tuple[float | None, float | None]:
        """Mean and spread over the repetitions of a column after the last epoch; none where it was not measured."""
        return mean_and_spread(self.table(column)[:, -1] if column in self.points else [])

    @property
    def repetitions(self) -> int:
        """How many there are."""
        return self.points["repetition"].nunique()


def read_levels(records: Iterable[str | Path], series: Mapping[str, Mapping]) -> list[Level]:
    """Return the levels whose records these are, each record's curves beside it as .csv; in the order of the records.

    series: what tables say of each, by name: label, title, variant, stands_for and protocol.
    Raises InputError where records of one level say different things of its noise or cost.
    """
    groups = defaultdict(list)
    for path in map(Path, records):
        record, beside = read_record(path), path.with_suffix(".csv")
        with reading(beside, "CSV"):
            groups[tuple(record["job"])].append((record, pd.read_csv(beside)))
    levels = []
    for job, parts in groups.items():
        first, _ = parts[0]
        if any(
            other["parameters"][name] != first["parameters"][name] for other, _ in parts for name in ("sigma", "spent")
        ):
            raise InputError(f"records of {' '.join(job)}: their noise or cost differs")
        given = first["parameters"]
        points = pd.concat([frame for _, frame in parts], ignore_index=True)
        levels.append(
            Level(
                job[0],
                {**given["series"], **series[job[0]]},
                given["noise"],
                given["paper_epsilon"],
                given["sigma"],
                stated(given["spent"]),
                {name: value for name, value in first["metrics"].items() if name.startswith("threshold.")},
                points,
                data_name(first),
            )
        )
    return levels


def level_row(level: Level) -> dict:
    """Return the columns that tables have of a level before its results: its settings and its cost."""
    return {
        "dataset": level.series["label"],
        "method": level.series["title"],
        "variant": level.series["variant"],
        "noise": level.noise,
        "paper_epsilon": level.epsilon,
        "sigma": level.sigma,
        "epsilon": level.privacy.get("joint"),
        "epsilon_pld": level.privacy.get("pld"),
        "epsilon_appendix_h": level.privacy.get("appendix_h"),
        "epsilon_published": level.privacy.get("published"),
        "delta": level.series["delta"] if level.privacy else None,
    }


def least_cost(privacy: dict[str, PrivacyStatement]) -> float:
    """Return the smaller epsilon of the two accountants' guarantees."""
    return min(privacy[name].epsilon for name in ("joint", "pld") if name in privacy)


def without_exponent(epsilon: float) -> str:
    """Return an epsilon to three digits, rounded up, as figures say it: 11,000 and not 1.1e+04."""
    said = shown(epsilon)
    return f"{float(said):,.0f}" if "e" in said else said


def below_first_thresholds(level: Level) -> bool:
    """Whether any threshold that was learned lies below the first and largest one; else learning changed none."""
    first = level.series.get("thresholds", {})
    return any(value < first[name.split(".")[1]] for name, value in level.thresholds.items())


def epochs_to_reach(curve: np.ndarray, wanted: float, epochs: int) -> int:
    """Epochs until the error is at most `wanted`, or `epochs` + 1 where it is not by then; curve: (k,), k > epochs."""
    reached = np.flatnonzero(curve[: epochs + 1] <= wanted)
    return int(reached[0]) if len(reached) else epochs + 1
