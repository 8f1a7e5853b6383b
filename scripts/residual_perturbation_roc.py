"""Figures 7 and 12 of residual perturbation: ROC curves of the attack on ensembles, by dataset and noise."""

import textwrap
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from lib.attacks.summary import OVERFITTED, Attacked, only, read_attacked, summary_row, titled
from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.reporting.tables import yes_no

CURVE = ["dataset", "gamma", "attack"]  # columns that say which curve a row is of
POINTS = 100  # of a curve that the numbers behind the figure keep


def members_of(attacked: Attacked) -> int:
    """The size of ensembles that is shown: the plain network alone, else the largest."""
    return attacked.largest_ensemble if attacked.gamma else 1


def curves_of(attacked: Attacked, attack: str) -> pd.DataFrame:
    """The mean curve over networks of the size that is shown, with the least and the largest of them."""
    members = members_of(attacked)
    curves = attacked.curves
    curves = curves[(curves["members"] == members) & (curves["attack"] == attack)]
    found = curves.groupby("fpr")["tpr"].agg(["mean", "min", "max"]).reset_index()
    words = {"dataset": attacked.task["label"], "gamma": attacked.gamma, "members": members, "attack": attack}
    return found.rename(columns={"mean": "tpr"}).assign(**words, data=attacked.data, sanitized=False)


def compared(found: list[Attacked], curves: pd.DataFrame, controls: list[Attacked]) -> pd.DataFrame:
    """A row a dataset, coefficient and attack: the area, and how far the mean curve is from the diagonal.

    `enough_noise`: whether training accuracy is above test accuracy by less than OVERFITTED.
    """
    rows = []
    for attacked in found:
        largest = max(each.gamma for each in found if each.task["label"] == attacked.task["label"])
        for attack in attacked.attacks:
            row = summary_row(attacked, members_of(attacked), attack, only(controls, label=attacked.task["label"]))
            keys = curves[CURVE].eq([row["dataset"], row["gamma"], attack]).all(axis=1)
            away = np.abs(curves["tpr"] - curves["fpr"])[keys].max()
            noise = {"largest": yes_no(attacked.gamma == largest), "enough_noise": yes_no(row["gap"] < OVERFITTED)}
            rows.append(row | noise | {"away_from_diagonal": away})
    return pd.DataFrame(rows).drop(columns="epsilon")


@command
def main(
    records: list[Path],
    controls: list[Path],
    tasks: dict,
    methods: dict,
    numbers: Path,
    comparison: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the curves, what the claims compare, and the figure.

    records: records of attacks; scores and curves lie beside them. controls: records of attacks on what was learned by
    heart. tasks, methods: what is said of each, by name. numbers: the .csv of the curves to write. comparison: the .csv
    of what its claims compare to write. png: the figure to write. pdf: the same figure to write.
    """
    found = sorted(read_attacked(records, tasks, methods), key=lambda attacked: attacked.gamma)
    curves = pd.concat([curves_of(each, attack) for each in found for attack in each.attacks], ignore_index=True)
    rows = compared(found, curves, read_attacked(controls, tasks, methods))
    curves = curves[np.isclose(curves["fpr"] * POINTS, (curves["fpr"] * POINTS).round())]
    title = rows[[*CURVE, "protocol", "overfitted", "constant", "test_accuracy"]].drop_duplicates(CURVE)
    for path, shown in ((numbers, curves.merge(title, how="left", on=CURVE)), (comparison, rows)):
        with atomic_path(path) as temporary:
            shown.to_csv(temporary, index=False, float_format="%.6g")
    draw(read_table(numbers), png, pdf)


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """A row for the first attack and one for the last, a column a dataset, a line a coefficient."""
    labels, attacks = table["dataset"].unique(), table["attack"].unique()[[0, -1]]  # the CSV has all
    with plotting.figure(len(attacks), len(labels), height=3.2) as (drawn, axes):
        for axis, (attack, label) in zip(axes, product(attacks, labels), strict=True):
            own = table[(table["dataset"] == label) & (table["attack"] == attack)]
            for gamma, curve in own.groupby("gamma"):
                share, accuracy = curve["constant"].iloc[0], curve["test_accuracy"].iloc[0]
                words = rf"$\gamma$ = {gamma:g}: {accuracy:.0%}" + (f", {share:.0%} constant" if share else "")
                (line,) = axis.plot(curve["fpr"], curve["tpr"], label=words)
                axis.fill_between(curve["fpr"], curve["min"], curve["max"], alpha=0.15, color=line.get_color(), lw=0)
            axis.plot([0, 1], [0, 1], color=plotting.GREY, linewidth=0.8, linestyle=":", zorder=0)
            first = own[own["gamma"] == 0].iloc[0]
            words = textwrap.fill(titled(label, first["protocol"], first["overfitted"]), 34) + "\n"
            axis.set_title(f"{words if attack == attacks[0] else ''}attack: {attack}", fontsize="small")
            axis.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(0, 1), ylim=(0, 1))
            axis.legend(title="test accuracy", title_fontsize="x-small", fontsize="x-small", loc="lower right")
        plotting.save(drawn, *paths)


if __name__ == "__main__":
    run(main)
