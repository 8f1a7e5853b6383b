"""Figure 1 of DP-MAC: errors of autoencoders by epoch, DP-MAC's and what it is compared with."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.dp_mac.curves import OF_TABLE_1, SHOWN, Level, epochs_to_reach, level_row, read_levels, without_exponent
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import GREY, WIDTH, figure, paper, save
from lib.reporting.records import read_record
from lib.reporting.spread import mean_and_spread
from lib.reporting.tables import write_table
from pate_accountant.rounding import shown

DATA_FILES = ("../published/dp_mac_table1b.csv",)
SETTINGS = {"main": "", "as run": "_as_run"}  # the paper's and the authors' own, and what a comparison is called
PUBLIC_CODE = ("as run", "half the noise")  # settings of DP-SGD that the paper's own are not set beside
COSTS = 1.01  # times its epsilon; the authors' settings for 1 cost 1.008
LEARNED = 0.9  # share of the mean image's error; a network below it has learned more than the mean


def numbers_of(levels: list[Level], mean_image: float) -> list[dict]:
    """A row for each level and epoch: mean and spread of both errors; the last epoch says what the training costs."""
    rows = []
    for level in levels:
        named = level_row(level)
        words = {name: named[name] for name in ("dataset", "method", "variant", "noise", "paper_epsilon", "sigma")}
        tables = {name: level.table(name) for name in ("train_error", "test_error")}
        epochs = np.unique(level.points["epoch"])
        for place, epoch in enumerate(epochs):
            row = words | {"epoch": epoch}
            for name, table in tables.items():
                row[name], row[f"{name}_spread"] = mean_and_spread(table[:, place])
            row |= {"seeds": level.repetitions, "data": level.data, "sanitized": False, "series": level.name}
            row["mean_image_error"] = mean_image
            costs = ("epsilon", "epsilon_pld")
            rows.append(row | {name: named[name] if epoch == epochs[-1] else None for name in costs})
    return rows


def compared(comparison: str, at: str, left: Level, values: list[np.ndarray], right: Level | None = None) -> dict:
    """One row: the mean over repetitions of the left level's values beside the right one's, or beside a constant."""
    row = {name: left.series[name] for name in ("stands_for", "protocol")} | {"dataset": left.series["label"]}
    row |= {"comparison": comparison, "at": at}
    for name, found in zip(("value", "other_value"), values, strict=True):
        row[name], row[f"{name}_spread"] = mean_and_spread(found)
    return row | {
        "epsilon": left.privacy["joint"],
        "other_epsilon": right.privacy["joint"] if right else None,
        "seeds": min(each.repetitions for each in (left, right or left)),
        "data": left.data,
        "sanitized": False,
    }


def comparison_rows(levels: list[Level], mean_image: float) -> list[dict]:
    """Test errors at one epsilon and the next smaller one, and beside the mean image's; epochs to learn more than that.

    Those of the authors' own settings are comparisons of their own, `..._as_run`. Beside them stands what is best: of
    DP-MAC and of DP-SGD, at one of the paper's epsilons, the level with the least mean error, whatever its settings,
    of those that really cost no more.

    Epochs of DP-MAC are set beside those of DP-SGD at every learning rate, within the epochs that both were trained
    for; where neither gets below LEARNED of the mean image's error by then, there is nothing to compare.
    """
    rows: list[dict] = []
    groups: dict[tuple[str, str, str], list[Any]] = {}
    for level in levels:
        if level.privacy and level.series["variant"] in SETTINGS:
            key = level.series["title"], level.series["variant"], level.noise
            groups.setdefault(key, []).append(level)
    for (method, variant, noise), group in groups.items():
        for larger, smaller in pairwise(sorted(group, key=lambda level: -level.epsilon)):
            at = f"{method}, {noise} sigma, {shown(larger.epsilon)} beside {shown(smaller.epsilon)}"
            values = [level.table("test_error")[:, -1] for level in (larger, smaller)]
            comparison = f"error_at_larger_and_smaller_epsilon{SETTINGS[variant]}"
            rows.append(compared(comparison, at, larger, values, smaller))
    rows += best_rows(levels)
    for level in levels:
        if level.series["method"] != "dp_mac" or level.series["variant"] not in SETTINGS:
            continue
        ending = SETTINGS[level.series["variant"]]
        assert level.epsilon is not None  # of a private method
        at = f"{level.noise} sigma, epsilon {shown(level.epsilon)}"
        errors = level.table("test_error")
        values = [errors[:, -1], np.full(len(errors), mean_image)]
        rows.append(compared(f"error_of_dp_mac_and_mean_image{ending}", at, level, values))
        for other in levels:
            if (other.series["method"], other.epsilon) != ("dp_sgd", level.epsilon):
                continue
            variant = other.series["variant"]
            if variant in PUBLIC_CODE if not ending else variant != level.series["variant"]:
                continue
            epochs = min(each.table("test_error").shape[1] for each in (level, other)) - 1
            values = [
                np.array([epochs_to_reach(curve, LEARNED * mean_image, epochs) for curve in each.table("test_error")])
                for each in (level, other)
            ]
            if min(found.min() for found in values) <= epochs:
                beside = f"{at} beside DP-SGD, {other.series['variant']}, {other.noise} sigma"
                rows.append(compared(f"epochs_to_learn_of_dp_mac_and_dp_sgd{ending}", beside, level, values, other))
    return rows


def best_rows(levels: list[Level]) -> list[dict]:
    """A row for each of the paper's epsilons at which both methods have a level that costs it, or up to COSTS more.

    Only networks of the widths of the first level are compared: others are ours.
    """
    rows, widths = [], levels[0].series["network"]["hidden"]
    levels = [level for level in levels if level.series["network"]["hidden"] == widths]
    for epsilon in sorted({level.epsilon for level in levels if level.privacy and level.epsilon is not None}):
        best: dict[str, tuple[float, Any]] = {}
        for level in levels:
            if level.epsilon == epsilon and level.privacy["joint"].epsilon <= COSTS * epsilon:
                method, error = level.series["method"], float(level.table("test_error")[:, -1].mean())
                if method not in best or error < best[method][0]:
                    best[method] = error, level
        if {"dp_mac", "dp_sgd"} <= best.keys():
            pair = best["dp_mac"][1], best["dp_sgd"][1]
            names = [f"{each.series['title']}, {each.series['variant']}, {each.noise} sigma" for each in pair]
            values = [each.table("test_error")[:, -1] for each in pair]
            at = f"epsilon {shown(epsilon)}: {' beside '.join(names)}"
            rows.append(compared("error_of_best_dp_mac_and_best_dp_sgd", at, pair[0], values, pair[1]))
    return rows


@command
def main(
    records: list[Path],
    references: Path,
    series: dict,
    numbers: Path,
    privacy: Path,
    comparison: Path,
    comparison_privacy: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the figure, its numbers, and what its claims compare.

    records: records of autoencoders' curves, whose errors by epoch lie beside them. references: the record of
    reference_lines. series: what is said of each series, by name: label, title, variant, stands_for and protocol.
    numbers: the numbers behind the figure. privacy: the meaning of the epsilons in them. comparison: what its claims
    compare. comparison_privacy: the meaning of the epsilons in the comparison.
    """
    levels = read_levels(records, series)
    mean_image = read_record(references)["private_metrics"]["mean_image_error"]
    write_table(numbers, privacy, numbers_of(levels, mean_image), key=("series", "noise", "paper_epsilon"))
    rows = comparison_rows(levels, mean_image)
    write_table(comparison, comparison_privacy, rows, key=("dataset", "comparison", "at"))
    draw(read_table(numbers), png, pdf)


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """A panel for each private method and its settings, a row of panels a method; all have one axis of errors."""
    found: dict[str, list[tuple[str, str, pd.DataFrame]]] = {}
    for variant, title in SHOWN.items():
        levels = table[(table["variant"] == variant) & (table["noise"] == "printed")]
        for method, own in levels.groupby("method", sort=False):
            found.setdefault(method, []).append((f"{method}: {title}", variant, own))
    columns = max(map(len, found.values()))
    mean_image, lines = table["mean_image_error"].iloc[0], pd.concat(own for row in found.values() for *_, own in row)
    ends = mean_image / 5, min(5 * mean_image, 1.2 * lines[lines["epoch"] > 0]["test_error"].max())
    printed = read_table(Path(__file__).parent / DATA_FILES[0])
    with figure(len(found), columns, width=max(2.75, WIDTH / columns), height=4) as (drawn, axes):
        for place, (method, row) in enumerate(found.items()):
            own = axes[place * columns : (place + 1) * columns]
            for axis, (title, variant, levels) in zip(own, row, strict=False):
                levels = pd.concat([levels, plain_beside(table, method, variant)])
                panel(axis, levels, mean_image, ends)
                if variant in OF_TABLE_1:
                    mark_published(axis, levels, printed)
                axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=1)
                axis.set_title(title)
            own[0].set_ylabel("squared error of a test image")
            for axis in own[len(row) :]:
                axis.remove()
        save(drawn, *paths)


def plain_beside(table: pd.DataFrame, method: str, variant: str) -> pd.DataFrame:
    """The levels without privacy that a panel shows: of the same variant, else of the main one."""
    plain = table[table["method"] == {"DP-MAC": "MAC", "DP-SGD": "backpropagation"}[method]]
    return plain[plain["variant"] == (variant if variant in set(plain["variant"]) else "main")]


def panel(axis: plt.Axes, levels: pd.DataFrame, mean_image: float, ends: tuple[float, float]) -> None:
    """Test errors as lines with their spread, and the mean image's error as a thin line, between the same `ends`.

    The legend gives the epsilon of the paper, the smaller of the two accountants' guarantees, and where a line ends
    that leaves the panel.
    """
    bottom, top = ends
    by_level = levels.groupby(["series", "noise", "paper_epsilon"], sort=False, dropna=False)
    for (_, _, epsilon), level in by_level:
        last, mean, style = level.iloc[-1], level["test_error"], look(epsilon)
        label = "not private"
        if pd.notna(last["paper_epsilon"]):
            costs = without_exponent(min(last["epsilon"], last["epsilon_pld"]))
            label = rf"stated $\varepsilon$ = {shown(last['paper_epsilon'])}, costs {costs}"
        if last["test_error"] > top:
            label += f" (ends at {last['test_error']:.3g})"
        axis.plot(level["epoch"], mean, label=label, **style)
        if last["seeds"] > 1:
            spread = level["test_error_spread"]
            axis.fill_between(level["epoch"], mean - spread, mean + spread, alpha=0.2, color=style["color"], lw=0)
    axis.axhline(mean_image, color="0.4", lw=0.8)
    axis.text(0.97, mean_image, "mean image", ha="right", va="top", fontsize=8, transform=axis.get_yaxis_transform())
    axis.set_yscale("log")
    axis.set_ylim(bottom, top)
    ticks = [tick for tick in (1, 2, 5, 10, 20, 50, 100, 200) if bottom <= tick <= top]
    axis.set_yticks(ticks, [str(tick) for tick in ticks])
    axis.minorticks_off()
    axis.set_xlim(left=0)
    axis.set_xlabel("epoch")


def look(epsilon: float) -> dict[str, Any]:
    """Colour and line style of an epsilon, one for all panels, the last where there is none."""
    styles = list(plt.rcParams["axes.prop_cycle"])
    places: dict[float, int] = {8: 0, 4: 1, 2: 2, 1: 3}  # the paper's
    return styles[places.get(epsilon, 4 if pd.isna(epsilon) else 5)]


def mark_published(axis: plt.Axes, levels: pd.DataFrame, printed: pd.DataFrame) -> None:
    """Crosses, in the colours of their epsilons, where the lines of the paper's dataset should end."""
    keys = ["dataset", "method", "paper_epsilon"]
    for row in levels[keys].drop_duplicates().merge(printed[[*keys, "test_error"]], on=keys).itertuples():
        paper(axis, [levels["epoch"].max()], [row.test_error], "", color=look(row.paper_epsilon)["color"])
    if any(line.get_marker() == "x" for line in axis.lines):
        paper(axis, [], [], "the paper", color=GREY)


if __name__ == "__main__":
    run(main)
