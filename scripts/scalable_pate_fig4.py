"""Figure 4 of Scalable PATE: label accuracy against epsilon, by mechanism (left) and by ensemble size (right)."""

from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

from lib.core.command import command, run
from lib.core.files import reading
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.reporting.comparisons import comparison_rows, epsilon_at_accuracy
from lib.reporting.tables import write_numbers, write_table, yes_no

NAMES = {"lnmax": "LNMax", "gnmax": "GNMax"}


def compare(curve: pd.DataFrame, other: pd.DataFrame, name: str, of: str) -> list[dict]:
    """The least epsilon of a curve at the accuracy of each point of another, nan where the curve does not say.

    Its spread comes from the accuracy's, over the draws of the noise: half of what epsilon rises by over one spread
    to either side, as far as the curve goes.
    """
    rows = []
    for _, point in other.sort_values("scale").iterrows():
        accuracy, spread = point["label_accuracy"], point["label_accuracy_spread"]
        reach = curve.loc[curve["epsilon"].idxmin(), "label_accuracy"], curve["label_accuracy"].max()
        around = [
            epsilon_at_accuracy(curve["epsilon"], curve["label_accuracy"], wanted)
            for wanted in (accuracy, *np.clip([accuracy - spread, accuracy + spread], *reach))
        ]
        rows.append(
            {"comparison": name, "at": f"{of} at noise scale {point['scale']:g}"}
            | {"accuracy": accuracy, "epsilon": around[0], "other_epsilon": point["epsilon"]}
            | {"epsilon_spread": (around[2] - around[1]) / 2, "seeds": int(point["seeds"])}
            | {"statement": curve.iloc[0], "other_statement": point}
        )
    return rows


def compared_rows(points: pd.DataFrame, left: str, sizes: list[str], blocks: dict[str, dict]) -> list[dict]:
    """Rows of the comparison table: GNMax with LNMax on the left, each size with the next smaller one on the right."""

    def by_draw(ensemble: str, aggregator: str) -> list[pd.DataFrame]:
        chosen = points[(points["ensemble"] == ensemble) & (points["aggregator"] == aggregator)]
        return [part for _, part in chosen.groupby("votes")]

    pairs = [("gnmax_and_lnmax", "LNMax", left, by_draw(left, "gnmax"), by_draw(left, "lnmax"))]
    for larger, smaller in pairwise(sorted(sizes, key=lambda name: -blocks[name]["teachers"])):
        of = f"{blocks[larger]['teachers']} beside {blocks[smaller]['teachers']} teachers"
        pairs.append(("larger_and_smaller_ensemble", of, larger, by_draw(larger, "gnmax"), by_draw(smaller, "gnmax")))
    rows = []
    for name, of, ensemble, curves, others in pairs:
        draws = [compare(curve, other, name, of) for curve, other in zip(curves, others, strict=True)]
        rows += comparison_rows(draws, blocks[ensemble], curves[0]["data"].iloc[0])
    return rows


@command
def main(
    tradeoffs: list[Path],
    ensembles: list,
    figure: dict,
    numbers: Path,
    comparison: Path,
    comparison_privacy: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the figure, its numbers, and what its claims compare.

    tradeoffs: tables of label_tradeoff. ensembles: the block of the ensemble of each table, with its name. figure: the
    ensemble of the left panel, those of the right. numbers: the numbers behind the figure, .csv. comparison: what its
    claims compare, .csv. comparison_privacy: the meaning of the epsilons compared, .csv. png: the figure. pdf: the
    figure.
    """
    left, sizes = figure["left"], figure["right"]
    blocks = {block["name"]: block for block in ensembles}
    tables: list[pd.DataFrame] = []
    drawn_before: dict[str, int] = {}
    for path, block in zip(tradeoffs, ensembles, strict=True):
        drawn_before[block["name"]] = drawn_before.get(block["name"], 0) + 1
        with reading(path, "CSV"):
            table = pd.read_csv(path)
        about = {name: yes_no(block["name"] in chosen) for name, chosen in (("left", [left]), ("right", sizes))}
        about |= {"dataset": block["label"], "private_samples": block.get("private")}
        tables.append(table.assign(ensemble=block["name"], votes=drawn_before[block["name"]], **about))
    points = pd.concat(tables, ignore_index=True)
    write_numbers(numbers, points)
    rows = compared_rows(points, left, sizes, blocks)
    write_table(comparison, comparison_privacy, rows, key=("dataset", "comparison", "at"))
    draw(read_table(numbers), png, pdf)


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Both panels, of the ensembles that the columns `left` and `right` name; their tuning parameter is the noise."""
    keys = ["ensemble", "teachers", "aggregator", "scale", "left", "right"]
    means = table.groupby(keys, as_index=False).mean(numeric_only=True)
    with plotting.figure(1, 2, height=3.2) as (drawn, axes):
        left = means[means["left"] == "yes"]
        panel(axes[0], left, "aggregator", NAMES)
        label = table["dataset"][table["left"] == "yes"].iloc[0]
        axes[0].set_title(f"{label}, {left['teachers'].iloc[0]:,} teachers")
        right = means[(means["right"] == "yes") & (means["aggregator"] == "gnmax")]
        panel(axes[1], right, "teachers", {size: f"{size:,} teachers" for size in np.unique(right["teachers"])})
        axes[1].set_title(f"GNMax, {right['private_samples'].iloc[0]:,.0f} private samples")
        plotting.save(drawn, *paths)


def panel(axis: plt.Axes, points: pd.DataFrame, by: str, names: dict) -> None:
    """One line for each of `names`, values of the column `by`; a point is a scale of the noise."""
    for value, look in plotting.looks(names).items():
        line = points[points[by] == value].sort_values("scale")
        axis.plot(line["epsilon"], line["label_accuracy"], marker="o", ms=4, label=names[value], **look)
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))  # powers of ten alone are one or two ticks here
    axis.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.set_xlabel(r"$\varepsilon$, data-dependent; right to left: more noise")
    axis.set_ylabel("accuracy of the labels, %")
    axis.legend()


if __name__ == "__main__":
    run(main)
