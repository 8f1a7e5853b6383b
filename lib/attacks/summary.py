"""Summarise attacks on the networks of a method, over repetitions and members, as rows of tables and figures."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from lib.attacks.checks import WORKS
from lib.core.errors import InputError
from lib.core.files import reading
from lib.reporting.records import read_record
from lib.reporting.spread import mean_and_spread
from lib.reporting.tables import yes_no

SPREAD = ("auc", "train_accuracy", "out_accuracy", "test_accuracy", "gap", "precision", "recall", "negative_auc")
OVERFITTED = 0.1  # by which accuracy on trained samples exceeds that on others, where there is something to attack
FITTED = 0.01  # by which a training accuracy may differ from the paper's: the tolerance of claims about it
SEEN = {"standardised": "standardised pixels", "unit": "pixels in [0, 1]", "pixels": "pixels in [0, {largest}]"}


@dataclass(frozen=True)
class Attacked:
    """The networks of one method at one noise coefficient: their record, and a row for each network and attack.

    task, method: how they were trained, with what tables say of it.
    """

    record: dict
    scores: pd.DataFrame
    curves: pd.DataFrame
    task: dict
    method: dict

    @property
    def gamma(self) -> float:
        """The noise coefficient."""
        return self.record["parameters"]["gamma"]

    def protocol(self, members: int, train_accuracy: float) -> str:
        """`paper`, or how ensembles of so many were trained where that is less than in the paper.

        A network trained for fewer passes counts as the paper's where it fits its data as the paper's does: how long
        those were trained is not stated, and what an attack sees is the fit. DP-SGD's passes are stated.
        """
        trained = self._trained
        if self.task["protocol"] == "reduced":
            return f"reduced: {trained}"
        if not self.shorter:
            return "paper"
        printed = self._printed_accuracy(members)
        if printed is None:
            return f"shorter: {trained}"
        if abs(train_accuracy - printed) > FITTED:  # who fits more leaks more
            return f"shorter: {trained}, training accuracy {train_accuracy:.3g} where the paper has {printed:g}"
        return "paper"

    @property
    def fit_protocol(self) -> str:
        """The protocol of a training accuracy that decides whether a shorter training counts: it could only agree."""
        return (
            f"shorter: {self._trained}: whether that is enough, this number itself decides, so that it could only agree"
        )

    @property
    def shorter(self) -> bool:
        """Whether networks were trained for fewer passes than the paper's may have been."""
        short = self.task["protocol"] == "shorter" and self.method["kind"] != "dp_sgd"
        return short and self._recipe["epochs"] < self.task["passes"]

    @property
    def _trained(self) -> str:
        """On how much, and for how long."""
        task, recipe = self.task, self._recipe
        images = "all images" if task["quarter"] is None else f"{task['quarter']} images a model"
        widths = "-".join(map(str, task["widths"]))
        return f"{images}, {recipe['epochs']} epochs, batches of {recipe['batch']}, widths {widths}"

    def _printed_accuracy(self, members: int) -> float | None:
        """Training accuracy that the paper prints of such an ensemble, None where it does not."""
        method = self.record["job"][-2]
        for entry in self.task.get("fitted", []):
            if (entry["method"], float(entry["gamma"]), entry.get("members", 1)) == (method, self.gamma, members):
                return entry["accuracy"]
        return None

    @property
    def data(self) -> str:
        """The dataset with the beginning of its fingerprint, the passes over it where they are fewer, another scale."""
        data = f"{self.record['dataset']} ({self.record['fingerprint'][:12]})"
        if self.shorter:
            data += f", {self._recipe['epochs']} epochs"
        scale = self.method.get("recipe", {}).get("scale")
        return f"{data}, {SEEN[scale].format(**self.task)}" if scale else data

    @property
    def _recipe(self) -> dict:
        task, method = self.task, self.method
        return task["dp_sgd"] if method["kind"] == "dp_sgd" else task["recipe"] | method.get("recipe", {})

    @property
    def epochs(self) -> int:
        """Passes over its images that each network was trained for."""
        return self._recipe["epochs"]

    @property
    def largest_ensemble(self) -> int:
        """Members of the largest ensemble."""
        return int(self.scores["members"].max())

    @property
    def attacks(self) -> list[str]:
        """Names of the attacks, in their order."""
        return list(dict.fromkeys(self.scores["attack"]))

    def of(self, members: int, attack: str) -> pd.DataFrame:
        """Return the rows of one size of ensembles and one attack; InputError where there are none."""
        rows = self.scores[(self.scores["members"] == members) & (self.scores["attack"] == attack)]
        if rows.empty:
            raise InputError(f"{self.record['job']}: no ensembles of {members} attacked by {attack!r}")
        return rows


def read_attacked(
    records: Iterable[str | Path], tasks: Mapping[str, Mapping], methods: Mapping[str, Mapping]
) -> list[Attacked]:
    """Return records of attacks, with the scores and curves that lie beside each; InputError names a file that is none.

    tasks: what tables say of each, by name: label, stands_for, protocol, quarter, and where it has them passes and
    fitted. methods: the same, title and kind.
    """
    found = []
    for path in map(Path, records):
        tables = []
        for name in ("csv", "roc.csv"):
            beside = path.with_suffix(f".{name}")
            with reading(beside, "CSV"):
                tables.append(pd.read_csv(beside))
        missing = {"members", "attack", "repetition", *SPREAD} - {"gap", *tables[0]}
        if missing:
            raise InputError(
                f"{path.with_suffix('.csv')}: not what an attack achieves; it lacks {', '.join(sorted(missing))}"
            )
        scores = tables[0].assign(gap=tables[0]["train_accuracy"] - tables[0]["test_accuracy"])
        record = read_record(path)
        _, task, method, _ = record["job"]
        trained = record["parameters"]
        about = {**trained["task"], **tasks[task]}, {**trained["method"], **methods[method]}
        found.append(Attacked(record, scores, tables[1], *about))
    return found


def summary_row(found: Attacked, members: int, attack: str, control: Attacked | None = None) -> dict:
    """Means over all networks of one size, by one attack, and their spread over repetitions, whose number is `seeds`.

    Members share their data and so count as one. `auc_low`, `auc_high`: means of the ends of single networks'
    intervals. `constant`: share of networks to most of whose samples the attack gave one score. `overfitted`: whether
    accuracy on what was trained on exceeds that on other samples of the same draw by OVERFITTED. `attacker_works`:
    whether the attack was never constant, and reaches WORKS on the positive control, networks that learned random
    labels by heart (`control`, with `control_auc`); empty without it. `negative_holds`: whether 0.5 lies between
    `negative_low` and `negative_high`, the means of the ends of single networks' intervals of the negative control,
    which say how wide one network's interval is and are no interval of the mean.
    """
    rows = found.of(members, attack)
    draws = rows.groupby("repetition")
    row = {
        "dataset": found.task["label"],
        "method": found.method["title"],
        "gamma": found.gamma,
        "members": members,
        "ensemble": "one" if members == 1 else "largest" if members == found.largest_ensemble else "between",
        "attack": attack,
    }
    for name in SPREAD:
        row[name], row[f"{name}_spread"] = mean_and_spread(draws[name].mean().dropna())
    row |= {name: float(rows[name].mean()) for name in ("auc_low", "auc_high", "constant", "majority_accuracy")}
    row |= {f"negative_{end}": float(rows[f"negative_auc_{end}"].mean()) for end in ("low", "high")}
    heart = mean_and_spread(control.of(1, attack)["auc"])[0] if control else None
    works = "" if heart is None else yes_no(row["constant"] == 0 and heart >= WORKS)
    protocol = found.protocol(members, row["train_accuracy"])
    if found.task["protocol"] == "shorter":
        row["train_accuracy_protocol"] = found.fit_protocol if found.shorter else protocol
    return row | {
        "auc_distance": abs(row["auc"] - 0.5),
        "auc_distance_spread": row["auc_spread"],
        "overfitted": yes_no(row["train_accuracy"] - row["out_accuracy"] >= OVERFITTED),
        "negative_holds": yes_no(row["negative_low"] <= 0.5 <= row["negative_high"]),
        "control_auc": heart,
        "attacker_works": works,
        "epsilon": found.record["privacy"].get("joint"),
        "seeds": len(draws),
        "stands_for": found.task["stands_for"],
        "protocol": protocol,
        "data": found.data,
        "sanitized": False,
    }


def titled(label: str, protocol: str, overfitted: str) -> str:
    """Return a figure's title: the data, what is smaller than in the paper, and whether there is anything to attack."""
    reduced = "" if protocol == "paper" else f", {protocol}"
    return f"{label}{reduced}" + ("" if overfitted == "yes" else "; not overfitted without noise: this tests nothing")


def attack_named(attack: str) -> str:
    """Return an attack's name as figures say it.

    >>> attack_named("shadow 0.1"), attack_named("plain shadow 0.001"), attack_named("threshold")
    ('shadow classifier, rate 0.1', 'plain shadow classifier, rate 0.001', 'threshold of confidence')
    """
    kind, _, rate = attack.rpartition(" ")
    return f"{kind} classifier, rate {rate}" if kind else {"threshold": "threshold of confidence"}.get(attack, attack)


def only(found: Iterable[Attacked], **wanted: object) -> Attacked:
    """Return the one with a task's label, a method's title or a gamma; InputError where it is not one."""
    chosen = [each for each in found if _matches(each, wanted)]
    if len(chosen) != 1:
        words = ", ".join(f"{name} {value}" for name, value in wanted.items())
        raise InputError(f"attacks on {words}: {len(chosen)} are given, one is needed")
    return chosen[0]


def _matches(found: Attacked, wanted: Mapping[str, object]) -> bool:
    has = {"label": found.task["label"], "title": found.method["title"], "gamma": found.gamma}
    return all(has[name] == value for name, value in wanted.items())
