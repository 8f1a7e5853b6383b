"""Figures of residual perturbation against the noise coefficient: the attack, and training and test accuracy."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from lib.attacks.summary import Attacked, read_attacked, summary_row, titled
from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import figure, save

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
                names = [name for name in scores if name.startswith(("precision_", "recall_"))]
                rows.append(row | {name: float(scores[name].mean()) for name in names})
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


def curve(axis: plt.Axes, rows: pd.DataFrame, column: str, label: str, style: str | tuple) -> None:
    """A line over coefficients with its spread."""
    rows = rows.sort_values("gamma")
    (line,) = axis.plot(rows["gamma"], rows[column], linestyle=style, marker="o", markersize=3, label=label)
    if f"{column}_spread" in rows:
        spread = rows[f"{column}_spread"]
        low, high = (rows[column] + sign * spread for sign in (-1, 1))
        axis.fill_between(rows["gamma"], low, high, alpha=0.15, color=line.get_color(), linewidth=0)


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
    attacks = list(dict.fromkeys(rows["attack"]))
    # the paper's rate is the first, at which the classifier often answers with a constant
    usual = [attack for attack in attacks if attack.startswith("shadow")][-1]
    for axis, measure in zip(axes[:2], ("precision", "recall"), strict=True):
        columns = [name for name in rows if name.startswith(f"{measure}_") and name != f"{measure}_spread"]
        thresholds = [float(name.partition("_")[2]) for name in columns]
        for _, row in rows[rows["attack"] == usual].iterrows():
            axis.plot(
                thresholds, row[columns].astype(float), marker="o", markersize=3, label=rf"$\gamma$ = {row['gamma']:g}"
            )
        axis.set_title(f"{measure} of the attack ({usual})")
        axis.set_xlabel("threshold")
        axis.set_ylim(0, 1.02)
    axes[0].legend()
    once = rows[rows["attack"] == attacks[0]]
    curve(axes[2], once, "train_accuracy", "training", "-")
    curve(axes[2], once, "test_accuracy", "test", "--")
    axes[2].set_title("accuracy")
    axes[2].set_ylim(0, 1.02)
    for attack, style in zip(attacks, LINES, strict=False):
        curve(axes[3], rows[rows["attack"] == attack], "auc", attack, style)
    axes[3].set_title("area under the attack's ROC")
    axes[3].axhline(0.5, color="0.4", linewidth=0.8)
    axes[2].legend()
    axes[3].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))  # no corner is free of lines in all figures


def draw_by_size(axes: list[plt.Axes], numbers: pd.DataFrame) -> None:
    """Area, training and test accuracy by coefficient, a line a size of ensembles, by the attack of confidence."""
    attack = list(dict.fromkeys(numbers["attack"]))[-1]
    titles = {
        "auc": f"area under the attack's ROC ({attack})",
        "train_accuracy": "training accuracy",
        "test_accuracy": "test accuracy",
    }
    for axis, (column, title) in zip(axes, titles.items(), strict=True):
        for size, style in zip(sorted(set(numbers["members"])), LINES, strict=False):
            rows = numbers[(numbers["members"] == size) & (numbers["attack"] == attack)]
            curve(axis, rows, column, f"{size} {'network' if size == 1 else 'members'}", style)
        axis.set_title(title)
    axes[0].axhline(0.5, color="0.4", linewidth=0.8)
    axes[0].legend()


if __name__ == "__main__":
    run(main)
