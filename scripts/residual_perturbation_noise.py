"""Figures of residual perturbation against the noise coefficient: the attack, and training and test accuracy."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lib.attacks.summary import Attacked, read_attacked, summary_row, titled
from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import figure, save
from lib.reporting.spread import mean_and_spread

# what the paper prints, on CIFAR10 and on IDC, in the form of `compared`
DATA_FILES = (
    "../published/residual_perturbation_fig3_comparison.csv",
    "../published/residual_perturbation_fig4_comparison.csv",
    "../published/residual_perturbation_fig10_comparison.csv",
)
PRINTED = {"Strategy I": DATA_FILES[:2], "Strategy II": DATA_FILES[2:]}
COMPARED = ("auc", "auc_distance", "gap", "test_accuracy")
LINES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)))


def numbers_of(found: list[Attacked], control: Attacked) -> pd.DataFrame:
    """A row for each coefficient, size of ensembles and attack; without noise, networks alone and the ensembles."""
    rows = []
    for attacked in found:
        for members in sorted(set(attacked.scores["members"])):
            for attack in attacked.attacks:
                row = summary_row(attacked, int(members), attack, control)
                scores = attacked.of(int(members), attack)
                for name in [name for name in scores if name.startswith(("precision_", "recall_"))]:
                    known = scores.groupby("repetition")[name].mean() if scores[name].notna().all() else []
                    row[name], row[f"{name}_spread"] = mean_and_spread(known)
                rows.append(row)
    return pd.DataFrame(rows).drop(columns="epsilon")


def compared(numbers: pd.DataFrame) -> pd.DataFrame:
    """Every perturbed ensemble beside the plain network alone (`_at_zero`), and the next weaker noise (`_before`)."""
    noisy = numbers[numbers["gamma"] > 0]
    noisy = noisy[noisy["members"] == noisy["members"].max()]
    plain = numbers[(numbers["gamma"] == 0) & (numbers["members"] == 1)]
    rows = []
    for attack, levels in noisy.groupby("attack", sort=False):
        before = zero = plain[plain["attack"] == attack].iloc[0]
        best = levels["out_accuracy"].idxmax()  # chosen on other samples than those it is judged by
        for place, level in levels.sort_values("gamma").iterrows():
            row = level.to_dict() | {"largest": "yes" if level["gamma"] == levels["gamma"].max() else "no"}
            row |= {"best": "yes" if place == best else "no", "overfitted": zero["overfitted"]}
            for column in COMPARED:
                for end in ("", "_spread"):
                    row[f"{column}_at_zero{end}"] = zero[f"{column}{end}"]
                    row[f"{column}_before{end}"] = before[f"{column}{end}"]
            rows.append(row | {"seeds": min(level["seeds"], zero["seeds"], before["seeds"])})
            before = level
    return pd.DataFrame(rows)


def curve(axis: plt.Axes, rows: pd.DataFrame, column: str, label: str, style: str | tuple, shift: float = 0.0) -> None:
    """A line over coefficients, moved by `shift`, with its spread; hollow where the attack answers with a constant."""
    rows = rows.sort_values("gamma")
    x, y = rows["gamma"] + shift, rows[column]
    bars = {"capsize": 2, "elinewidth": 1, "marker": "o", "markersize": 4}
    line = axis.errorbar(x, y, rows[f"{column}_spread"], linestyle=style, label=label, **bars)[0]
    if column == "auc":
        hollow = rows["constant"] > 0
        axis.plot(x[hollow], y[hollow], "o", markersize=4, color=line.get_color(), markerfacecolor="white", zorder=3)


@command
def main(
    records: list[Path],
    controls: list[Path],
    numbers: Path,
    comparison: Path,
    png: Path,
    pdf: Path,
    by_size: bool = False,
) -> None:
    """Write the numbers, what the claims compare, and the figure.

    records: records of attacks; scores and curves lie beside them. controls: records of attacks on what was learned by
    heart. numbers: the .csv behind the figure to write. comparison: the .csv of what its claims compare to write. png:
    the figure to write. pdf: the same figure to write. by_size: draw a line for each size of ensembles, as in Figure 6.
    """
    (control,) = read_attacked(controls)
    found = numbers_of(read_attacked(records), control)
    shown = found.assign(line="members" if by_size else "attack")
    for path, rows in ((numbers, shown), (comparison, compared(found))):
        with atomic_path(path) as temporary:
            rows.to_csv(temporary, index=False, float_format="%.6g")
    draw(read_table(numbers), png, pdf)


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Panels over the coefficient, whose lines are attacks, or sizes of ensembles, as the column `line` says."""
    first, by_size = table.iloc[0], table["line"].iloc[0] == "members"
    with figure(1, 3 if by_size else 4, width=2.9, height=3.0) as (drawn, axes):
        (draw_by_size if by_size else draw_by_noise)(axes, table)
        for axis in axes[-3 if by_size else -2 :]:
            axis.set_xlabel(r"noise coefficient $\gamma$")
        plain = table[(table["gamma"] == 0) & (table["members"] == 1)].iloc[0]
        drawn.suptitle(titled(first["dataset"], first["protocol"], plain["overfitted"]), fontsize="medium")
        save(drawn, *paths)


def plain_and_largest(numbers: pd.DataFrame) -> pd.DataFrame:
    """The plain network alone, and the largest perturbed ensembles."""
    noisy = numbers["gamma"] > 0
    return numbers[
        (noisy & (numbers["members"] == numbers["members"][noisy].max())) | (~noisy & (numbers["members"] == 1))
    ]


def draw_by_noise(axes: list[plt.Axes], numbers: pd.DataFrame) -> None:
    """Precision and recall by threshold, accuracy and area by coefficient."""
    rows = plain_and_largest(numbers)
    attacks = [attack for attack in rows["attack"].unique() if not attack.startswith("plain")]  # the CSV has all
    # the paper's rate is the first, at which the classifier often answers with a constant
    usual = [attack for attack in attacks if attack.startswith("shadow")][-1]
    for axis, measure in zip(axes[:2], ("precision", "recall"), strict=True):
        columns = [name for name in rows if re.fullmatch(rf"{measure}_[0-9.]+", name)]
        thresholds = np.array([float(name.partition("_")[2]) for name in columns])
        for place, (_, row) in enumerate(rows[rows["attack"] == usual].iterrows()):
            y, spread = (row[[f"{name}{end}" for name in columns]].astype(float) for end in ("", "_spread"))
            label = rf"$\gamma$ = {row['gamma']:g}"
            axis.errorbar(
                thresholds + place * 0.002, y, spread, marker="o", markersize=4, capsize=2, elinewidth=1, label=label
            )
        axis.set_title(f"{measure} of the attack ({usual})")
        axis.set_xlabel("threshold")
        axis.set_xticks(thresholds)
        axis.set_xlim(thresholds[0] - 0.01, thresholds[-1] + 0.02)
        axis.set_ylim(0, 1.02)
    axes[0].legend()
    once = rows[rows["attack"] == attacks[0]]
    curve(axes[2], once, "train_accuracy", "training", "-")
    curve(axes[2], once, "test_accuracy", "test", "--")
    mark_published(axes[2], once, "test_accuracy", "test, in the paper")
    axes[2].set_title("accuracy")
    axes[2].set_ylim(0, 1.02)
    for place, (attack, style) in enumerate(zip(attacks, LINES, strict=False)):
        own = rows[rows["attack"] == attack]
        curve(axes[3], own, "auc", attack, style, shift=0.01 * place * rows["gamma"].max())
    axes[2].legend()
    areas(axes[3], "area under the attack's ROC", rows)
    mark_published(axes[3], once, "auc", "in the paper")
    axes[3].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))  # no corner is free of lines in all figures


def mark_published(axis: plt.Axes, rows: pd.DataFrame, column: str, label: str) -> None:
    """What the paper prints of the same dataset and strategy; nothing on a stand-in for it."""
    noisy = rows[rows["gamma"] > 0].iloc[0]
    for file in PRINTED.get(noisy["method"], ()):
        printed = read_table(Path(__file__).parent / file)
        for _, row in printed[printed["dataset"] == noisy["dataset"]].iterrows():
            points = [0, row["gamma"]], [row[f"{column}_at_zero"], row[column]]
            axis.plot(*points, "x", color="black", markersize=6, label=label, zorder=4)


def areas(axis: plt.Axes, title: str, rows: pd.DataFrame) -> None:
    """What belongs to a panel of areas: chance, and what hollow markers are, where there are any."""
    axis.set_title(title)
    axis.axhline(0.5, color="0.4", linewidth=0.8, linestyle="-", zorder=0)
    if (rows["constant"] > 0).any():
        axis.errorbar([], [], fmt="o", markersize=4, color="0.4", mfc="white", label="a constant in some runs")


def draw_by_size(axes: list[plt.Axes], numbers: pd.DataFrame) -> None:
    """Area, training and test accuracy by coefficient, a line a size of ensembles, by the attack of confidence."""
    attack = list(dict.fromkeys(numbers["attack"]))[-1]
    own = numbers[numbers["attack"] == attack]
    titles = {
        "auc": f"area under the attack's ROC ({attack})",
        "train_accuracy": "training accuracy",
        "test_accuracy": "test accuracy",
    }
    for axis, (column, title) in zip(axes, titles.items(), strict=True):
        for place, (size, style) in enumerate(zip(sorted(set(own["members"])), LINES, strict=False)):
            label = f"{size} {'network' if size == 1 else 'members'}"
            curve(axis, own[own["members"] == size], column, label, style, shift=0.01 * place * own["gamma"].max())
        axis.set_title(title)
    areas(axes[0], titles["auc"], own)
    axes[0].legend()


if __name__ == "__main__":
    run(main)
