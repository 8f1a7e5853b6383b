"""Figures 7 and 12 of residual perturbation: what the attack finds in ensembles, and what these have learned."""

import textwrap
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke

from lib.attacks.summary import OVERFITTED, Attacked, attack_named, only, read_attacked, summary_row, titled
from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.reporting.tables import yes_no

CURVE = ["dataset", "gamma", "attack"]  # columns that say which curve a row is of
POINTS = 100  # of a curve that the numbers behind the figure keep
LEARNED = 0.05  # the plain network's least gain in test accuracy over the most frequent class


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
    draw(read_table(numbers), read_table(comparison), png, pdf)


def draw(table: pd.DataFrame | None, comparison: pd.DataFrame, *paths: Path) -> None:
    """Draw ROC curves of the first attack and of the last, and below them their areas against test accuracy.

    A column a dataset, a line or a point a coefficient. table: None where no curves were kept; then areas alone.
    """
    labels, attacks = comparison["dataset"].unique(), comparison["attack"].unique()[[0, -1]]  # the CSV has all
    curves = [] if table is None else list(product(attacks, labels))
    rows = 1 + len(curves) // len(labels)
    with plotting.figure(rows, len(labels), height=3.2) as (drawn, axes):
        for axis, (attack, label) in zip(axes, curves, strict=False):
            assert table is not None
            own = table[(table["dataset"] == label) & (table["attack"] == attack)]
            for gamma, curve in own.groupby("gamma"):
                share, accuracy = curve["constant"].iloc[0], curve["test_accuracy"].iloc[0]
                words = rf"$\gamma$ = {gamma:g}: {accuracy:.0%}" + (f", {share:.0%} constant" if share else "")
                (line,) = axis.plot(curve["fpr"], curve["tpr"], label=words)
                axis.fill_between(curve["fpr"], curve["min"], curve["max"], alpha=0.15, color=line.get_color(), lw=0)
            axis.plot([0, 1], [0, 1], color=plotting.GREY, linewidth=0.8, linestyle=":", zorder=0)
            first = own[own["gamma"] == 0].iloc[0]
            words = textwrap.fill(titled(label, first["protocol"], first["overfitted"]), 34) + "\n"
            axis.set_title(f"{words if attack == attacks[0] else ''}{attack_named(attack)}", fontsize="small")
            axis.set(xlabel="false positive rate", ylabel="true positive rate", xlim=(0, 1), ylim=(0, 1))
            axis.legend(title="test accuracy", title_fontsize="x-small", fontsize="x-small", loc="lower right")
        below = axes[len(curves) :]
        for axis, label in zip(below, labels, strict=True):
            draw_areas(axis, comparison[comparison["dataset"] == label], attacks)
        plotting.legend(drawn, below, columns=3)
        plotting.save(drawn, *paths)


def draw_areas(axis: Axes, own: pd.DataFrame, attacks: Sequence[str]) -> None:
    """Draw the area under the curve against test accuracy; what learned next to nothing is grey, and says so."""
    first = own[own["gamma"] == 0].iloc[0]
    learned = first["test_accuracy"] - first["majority_accuracy"] >= LEARNED
    for attack, marker, color in zip(attacks, "so", ("C1", "C0"), strict=True):
        points = own[own["attack"] == attack].sort_values("gamma")
        x, y = 100 * points["test_accuracy"], points["auc"]
        spread = {"xerr": 100 * points["test_accuracy_spread"].fillna(0), "yerr": points["auc_spread"].fillna(0)}
        color = color if learned else "0.7"
        axis.errorbar(x, y, **spread, fmt="none", color=color, linewidth=1)
        constant = points["constant"] > 0
        axis.plot(x[~constant], y[~constant], marker, color=color, label=attack_named(attack) if learned else None)
        axis.plot(x[constant], y[constant], marker, color=color, markerfacecolor="white")
    for number, row in enumerate(own[own["attack"] == attacks[-1]].sort_values("auc").to_dict("records")):
        name = rf"$\gamma$ = {row['gamma']:g}"
        place, side = (8, 0), "left"
        if not number % 2:  # neighbours have theirs on different sides, and none reaches the axis
            accuracy = row["test_accuracy"]
            place, side = (
                ((-8, 0), "right") if accuracy > 0.3 else ((0, 9), "center") if accuracy > 0.15 else ((8, -2), side)
            )
        at = (100 * row["test_accuracy"], row["auc"])
        look: dict[str, Any] = {"fontsize": 7.5, "path_effects": [withStroke(linewidth=2, foreground="white")]}
        axis.annotate(name, at, place, textcoords="offset points", ha=side, va="center", **look)
    plotting.guessing(axis)
    guess = 100 * first["majority_accuracy"]
    axis.axvline(guess, color=plotting.GREY, linestyle=":", linewidth=1, zorder=0)
    axis.text(guess, 0.415, " guessing", color=plotting.GREY, fontsize=8)
    if not learned:
        said = (
            f"{100 * first['test_accuracy']:.0f} % right without noise,\n"
            f"guessing {guess:.0f} %: learned\nnext to nothing,\nno sign of protection"
        )
        axis.text(0.98, 0.62, said, transform=axis.transAxes, ha="right", va="top", fontsize=8)
    words = titled(first["dataset"], first["protocol"], first["overfitted"])
    axis.set_title(textwrap.fill(words, 34), fontsize="small")
    axis.set(xlabel="test accuracy, %", ylabel="area under the ROC curve", xlim=(0, 100), ylim=(0.4, 1.02))


if __name__ == "__main__":
    run(main)
