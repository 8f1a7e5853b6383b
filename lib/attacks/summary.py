"""What attacks achieved on the networks of a method, over repetitions and members, as rows of tables and figures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from lib.errors import InputError
from lib.files import reading
from lib.records import read_record
from lib.spread import mean_and_spread

SPREAD = ("auc", "train_accuracy", "test_accuracy", "gap", "precision", "recall", "negative_auc")
OVERFITTED = 0.1  # by which training accuracy exceeds test accuracy where a plain network gives an attack something


@dataclass(frozen=True)
class Attacked:
    """The networks of one method at one noise coefficient: their record, and a row for each network and attack."""

    record: dict
    scores: pd.DataFrame
    curves: pd.DataFrame

    @property
    def task(self) -> dict:
        """The task's block of the configuration."""
        return self.record["parameters"]["task"]

    @property
    def method(self) -> dict:
        """The method's block of the configuration."""
        return self.record["parameters"]["method"]

    @property
    def gamma(self) -> float:
        """The noise coefficient."""
        return self.record["parameters"]["gamma"]

    @property
    def data(self) -> str:
        """The dataset with the beginning of its fingerprint."""
        return f"{self.record['dataset']} ({self.record['fingerprint'][:12]})"

    @property
    def largest_ensemble(self) -> int:
        """Members of the largest ensemble."""
        return int(self.scores["members"].max())

    @property
    def attacks(self) -> list[str]:
        """Names of the attacks, in their order."""
        return list(dict.fromkeys(self.scores["attack"]))

    def of(self, members: int, attack: str) -> pd.DataFrame:
        """The rows of one size of ensembles and one attack; InputError where there are none."""
        rows = self.scores[(self.scores["members"] == members) & (self.scores["attack"] == attack)]
        if rows.empty:
            raise InputError(f"{self.record['job']}: no ensembles of {members} attacked by {attack!r}")
        return rows


def read_attacked(records: Iterable[str | Path]) -> list[Attacked]:
    """Records of attacks, with the scores and curves that lie beside each; InputError names a file that is none."""
    found = []
    for path in map(Path, records):
        tables = []
        for name in ("csv", "roc.csv"):
            beside = path.with_suffix(f".{name}")
            with reading(beside, "CSV"):
                tables.append(pd.read_csv(beside))
        scores = tables[0].assign(gap=tables[0]["train_accuracy"] - tables[0]["test_accuracy"])
        found.append(Attacked(read_record(path), scores, tables[1]))
    return found


def summary_row(found: Attacked, members: int, attack: str) -> dict:
    """Means and spreads over all networks of one size, by one attack, and what they were trained on.

    `auc_low`, `auc_high`: means of the ends of the intervals. `constant`: share of attacks with the same score for all.
    `overfitted`: whether training accuracy exceeds test accuracy by OVERFITTED. `seeds`: networks or ensembles.
    """
    rows = found.of(members, attack)
    row = {
        "dataset": found.task["label"],
        "method": found.method["title"],
        "gamma": found.gamma,
        "members": members,
        "ensemble": "one" if members == 1 else "largest" if members == found.largest_ensemble else "between",
        "attack": attack,
    }
    for name in SPREAD:
        row[name], row[f"{name}_spread"] = mean_and_spread(rows[name].dropna())
    row |= {name: float(rows[name].mean()) for name in ("auc_low", "auc_high", "constant")}
    row |= {f"negative_{end}": float(rows[f"negative_auc_{end}"].mean()) for end in ("low", "high")}
    statement = found.record["privacy"].get("joint")
    return row | {
        "auc_distance": abs(row["auc"] - 0.5),
        "auc_distance_spread": row["auc_spread"],
        "overfitted": "yes" if row["gap"] >= OVERFITTED else "no",
        "epsilon": statement,
        "seeds": len(rows),
        "stands_for": found.task["stands_for"],
        "protocol": found.task["protocol"],
        "data": found.data,
        "sanitized": False,
    }


def control_auc(control: Attacked, attack: str) -> float | None:
    """What an attack achieves on networks that learned random labels by heart: below it, the attacker is broken."""
    return mean_and_spread(control.of(1, attack)["auc"])[0]


def only(found: Iterable[Attacked], **wanted: object) -> Attacked:
    """The one with a task's label, a method's title or a gamma; InputError where it is not one."""
    chosen = [each for each in found if _matches(each, wanted)]
    if len(chosen) != 1:
        words = ", ".join(f"{name} {value}" for name, value in wanted.items())
        raise InputError(f"attacks on {words}: {len(chosen)} are given, one is needed")
    return chosen[0]


def _matches(found: Attacked, wanted: Mapping[str, object]) -> bool:
    has = {"label": found.task["label"], "title": found.method["title"], "gamma": found.gamma}
    return all(has[name] == value for name, value in wanted.items())
