"""Figures of residual perturbation against the noise coefficient: the attack, and training and test accuracy."""

import textwrap
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from lib.attacks.summary import Attacked, attack_named, read_attacked, summary_row, titled
from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.reporting.spread import mean_and_spread

# what the paper prints of single coefficients
DATA_FILES = (
    "../published/residual_perturbation_fig3_comparison.csv",
    "../published/residual_perturbation_fig4_comparison.csv",
    "../published/residual_perturbation_fig10_comparison.csv",
    "../published/residual_perturbation_table4.csv",
)
PRINTED = {"Strategy I": [*DATA_FILES[:2], DATA_FILES[3]], "Strategy II": DATA_FILES[2:]}
COMPARED = ("auc", "auc_distance", "gap", "test_accuracy")
LINES = ("-", "--", "-.", "-", "--", ":", "-")
MARKERS = "os^DvPX"


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


def curve(axis: plt.Axes, rows: pd.DataFrame, column: str, label: str, number: int, shift: float = 0.0) -> None:
    """A line over coefficients, moved by `shift`, with its spread; hollow where the attack answers with a constant."""
    rows, factor = rows.sort_values("gamma"), 1 if column == "auc" else 100
    x, y = rows["gamma"] + shift * rows["gamma"].max(), factor * rows[column]
    look: dict[str, Any] = {"color": f"C{number}", "marker": MARKERS[number], "markersize": 4, "capsize": 2}
    look |= {"elinewidth": 1}
    axis.errorbar(x, y, factor * rows[f"{column}_spread"].fillna(0), linestyle=LINES[number], label=label, **look)
    if column == "auc" and (hollow := rows["constant"] > 0).any():
        axis.plot(x[hollow], y[hollow], look["marker"], markersize=4, color=look["color"], mfc="white", zorder=3)


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
    by_size: bool = False,
) -> None:
    """Write the numbers, what the claims compare, and the figure.

    records: records of attacks; scores and curves lie beside them. controls: records of attacks on what was learned by
    heart. tasks, methods: what is said of each, by name. numbers: the .csv behind the figure to write. comparison: the
    .csv of what its claims compare to write. png: the figure to write. pdf: the same figure to write. by_size: draw a
    line for each size of ensembles, as in Figure 6.
    """
    (control,) = read_attacked(controls, tasks, methods)
    found = numbers_of(read_attacked(records, tasks, methods), control)
    shown = found.assign(line="members" if by_size else "attack")
    for path, rows in ((numbers, shown), (comparison, compared(found))):
        with atomic_path(path) as temporary:
            rows.to_csv(temporary, index=False, float_format="%.6g")
    draw(read_table(numbers), png, pdf)


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Panels over the coefficient, whose lines are attacks, or sizes of ensembles, as the column `line` says."""
    by_size, plain = table["line"].iloc[0] == "members", table[table["gamma"] == 0].iloc[0]
    with plotting.figure(1, 3, height=4) as (drawn, axes):
        (draw_by_size if by_size else draw_by_noise)(axes, table)
        plotting.guessing(axes[0])
        title = textwrap.fill(titled(plain["dataset"], plain["protocol"], plain["overfitted"]), 104)
        drawn.suptitle(f"{title}\nmean and SD of {plain['seeds']} runs", fontsize="medium")
        plotting.legend(drawn, axes, columns=3)
        plotting.save(drawn, *paths)


def plain_and_largest(numbers: pd.DataFrame) -> pd.DataFrame:
    """The plain network alone, and of each coefficient the largest perturbed ensembles."""
    largest = numbers.groupby("gamma")["members"].transform("max").where(numbers["gamma"] > 0, 1)
    return numbers[numbers["members"] == largest]


def draw_by_noise(axes: list[plt.Axes], numbers: pd.DataFrame) -> None:
    """Area of each attack, accuracy, and precision and recall, over the coefficient; attacks lie side by side."""
    rows = plain_and_largest(numbers)
    rows = rows[~rows["attack"].str.startswith("plain")]  # the CSV has all
    attacks = list(dict.fromkeys(rows["attack"]))
    for place, attack in enumerate(attacks):
        label = attack_named(attack) + (" (the paper's)" if place == 0 else "")
        curve(axes[0], rows[rows["attack"] == attack], "auc", label, place, 0.025 * place)
    if (rows["constant"] > 0).any():
        hollow: dict[str, Any] = {"color": plotting.GREY, "mfc": "white", "markersize": 4, "linestyle": "none"}
        axes[0].plot([], [], "o", label="hollow: a constant in some runs", **hollow)
    once = rows[rows["attack"] == attacks[0]]
    curve(axes[1], once, "train_accuracy", "training accuracy", 3)
    curve(axes[1], once, "test_accuracy", "test accuracy", 4)
    # the paper's rate is the first, at which the classifier often answers with a constant
    usual = rows[rows["attack"] == [attack for attack in attacks if attack.startswith("shadow")][-1]]
    curve(axes[2], usual, "precision", "precision", 5)
    curve(axes[2], usual, "recall", "recall", 6, 0.02)
    axes[0].set(ylabel="area under the attack's ROC", ylim=(0.4, 1.02), title=f"{len(attacks)} attacks")
    axes[1].set(ylabel="accuracy, %", ylim=(0, 102))
    axes[2].set(ylabel="precision and recall, %", ylim=(0, 102), title=attack_named(usual["attack"].iloc[0]))
    for axis in axes:
        axis.set_xticks(once["gamma"], [f"{row.gamma:g}\n({row.members})" for row in once.itertuples()])
        axis.set_xlabel("noise coefficient $\\gamma$\n(networks in an ensemble)")
    of, noisy = once["stands_for"].iloc[0], once["method"][once["gamma"] > 0].iloc[0]
    printed = printed_of(of, noisy)
    label = "the paper" if of == once["dataset"].iloc[0] else f"the paper, on {of}"
    if len(printed):
        for axis, column, factor in ((axes[0], "auc", 1), (axes[1], "test_accuracy", 100)):
            plotting.paper(axis, printed["gamma"], factor * printed[column], label)
        axes[1].set_title("crosses: on test images")


def printed_of(dataset: str, method: str) -> pd.DataFrame:
    """Return what the paper prints of plain networks and a strategy on a dataset: gamma, auc, test_accuracy."""
    parts = []
    for file in PRINTED.get(method, ()):
        rows = read_table(Path(__file__).parent / file)
        rows = rows[rows["dataset"] == dataset]
        if "auc_at_zero" in rows:
            zero = {"gamma": 0, "auc": rows["auc_at_zero"], "test_accuracy": rows["test_accuracy_at_zero"]}
            parts.append(rows.assign(**zero))
        parts.append(rows[rows["method"].isin(["ResNet8", method])] if "method" in rows else rows)
    columns = ["gamma", "auc", "test_accuracy"]
    return pd.concat(parts)[columns].astype(float) if parts else pd.DataFrame(columns=columns)


def draw_by_size(axes: list[plt.Axes], numbers: pd.DataFrame) -> None:
    """Area, training and test accuracy by coefficient, a line a size of ensembles, by the last attack."""
    attack = list(dict.fromkeys(numbers["attack"]))[-1]
    own = numbers[numbers["attack"] == attack]
    titles = {
        "auc": f"area under the attack's ROC\n({attack_named(attack)})",
        "train_accuracy": "training accuracy, %",
        "test_accuracy": "test accuracy, %",
    }
    for axis, (column, title) in zip(axes, titles.items(), strict=True):
        for place, size in enumerate(sorted(set(own["members"]))[: len(LINES)]):
            label = f"{size} network{'s' * (size > 1)}"
            curve(axis, own[own["members"] == size], column, label, place, 0.01 * place)
        axis.set(xlabel=r"noise coefficient $\gamma$", ylabel=title)
        axis.set_xticks(levels := sorted(set(own["gamma"])), [f"{level:g}" for level in levels])


if __name__ == "__main__":
    run(main)
