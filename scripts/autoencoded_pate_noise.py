"""Dice of students over noise: what they make of labels that a code and its noise have blurred, and of what else.

One answer's noise is in units of the bound on a code, so that encoders of all kinds stand side by side at one cost.
"""

import dataclasses
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.reporting.tables import write_table, yes_no
from lib.segmentation.pictures import titled
from pate_accountant.encoded_mean import EncodedMeanNoise
from pate_accountant.ledger_statements import encoded_statements

DATA_FILES = ("../published/autoencoded_pate_results.csv",)  # what the paper prints
SHOWN = "tuned_dice_whole"  # at the threshold that is best on public volumes: noise makes masks faint
PLAIN = "dice_whole"  # at a half, where no threshold was chosen
LABELS = ("label_tuned_dice_whole", "label_dice_whole")  # the same two of labels
LINES = ("student on true labels", "teachers' average", "teachers' ensemble", "mean mask", "student on the mean mask")


def rows_of(table: pd.DataFrame, teachers: list[int], route: str) -> list[dict]:
    """One row a student of codes: its noise, what that costs with so many teachers, and Dice; last those of LINES.

    Encoders that keep other classes than the main one are left out: their students learn something else.
    """
    rows: list[dict] = []
    beside: list[dict] = []  # of codes; of what has no code, and no noise on it
    # the main encoder, or the first where the results of an earlier run have no main one
    coded = table[table["radius"].notna()].sort_values("main", ascending=False, kind="stable")
    main = coded.groupby("dataset")[["encoder", "coded_classes"]].first()
    main_encoder = main["encoder"]
    kept = table["coded_classes"].isna() | (table["coded_classes"] == table["dataset"].map(main["coded_classes"]))
    for _, row in table[kept].iterrows():
        coded = pd.notna(row["radius"])
        if not coded and row["method"] not in LINES:
            continue
        made = {name: row[name] for name in ("dataset", "method", "encoder", "queries", "budget")}
        made |= {"noise": None, "delta": None} | {f"epsilon_{count}": None for count in teachers}
        if coded:
            made["noise"] = row["sigma"] / row["radius"] if pd.notna(row["sigma"]) else 0.0
        if made["noise"]:
            made["delta"] = row["delta"]
            for count in teachers:
                noise = EncodedMeanNoise(
                    queries=int(row["queries"]), teachers=count, radius=row["radius"], sigma=row["sigma"]
                )
                cost = encoded_statements(noise, row["delta"])[route]
                # with another number of teachers than answered it says what their answers would cost, of nothing done
                real = count == row["teachers"]
                made[f"epsilon_{count}"] = dataclasses.replace(cost, proved_bound=cost.proved_bound and real)
        columns = (SHOWN, f"{SHOWN}_spread", PLAIN, f"{PLAIN}_spread", *LABELS, "sigma_train", "seeds", "data")
        made |= {name: row[name] for name in columns}
        made["main_encoder"] = yes_no(coded and row["encoder"] == main_encoder.get(row["dataset"]))
        (rows if coded else beside).append(made)
    rows.sort(key=lambda row: (row["dataset"], row["main_encoder"] != "yes", row["encoder"], row["noise"]))
    return rows + beside


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """A row a dataset: students of all encoders over noise (left), those of the main encoder over epsilon (right)."""
    coded = table["noise"].notna()
    datasets = table["dataset"][coded].unique()
    # one colour a method in all panels
    named = [named_of(curve) for _, curve in table[coded].groupby(["dataset", "encoder"], sort=False)]
    colours = {name: number for number, name in enumerate(dict.fromkeys(named))}
    with plotting.figure(len(datasets), 2, height=3.7) as (drawn, axes):
        for dataset, left, right in zip(datasets, axes[::2], axes[1::2], strict=True):
            own = table[coded & (table["dataset"] == dataset)]
            title = f"{titled(dataset)}, {own['queries'].iloc[0]:g} volumes, {own['seeds'].iloc[0]:g} repetitions"
            panel(left, own, table[~coded & (table["dataset"] == dataset)], colours)
            left.set(xlabel="noise on a number of the code / bound on a code", title=title, ylim=(0, 1))
            left.set_xscale("symlog", linthresh=0.05)
            left.set_xlim(-0.01, 2 * own["noise"].max())
            left.set_xticks([0, 0.1, 1], ["none", "0.1", "1"])
            left.set_ylabel("Dice of the whole, test volumes")
            main = own[own["main_encoder"] == "yes"]
            costs(right, main[main["noise"] > 0], colours[named_of(main)])
        plotting.legend(drawn, axes, columns=2)
        plotting.save(drawn, *paths)


def costs(axis: plt.Axes, noisy: pd.DataFrame, colour: int) -> None:
    """The main encoder's students over their epsilon, and what more teachers would pay for the same answers."""
    for column in (name for name in noisy if name.startswith("epsilon_")):
        teachers = f"{int(column.removeprefix('epsilon_')):,}"
        if np.allclose(noisy[column], noisy["budget"], rtol=0.01):
            look: dict[str, Any] = {"marker": "o", "markersize": 5, "capsize": 2, "color": f"C{colour}"}
            look |= {"linestyle": "-"}
            axis.errorbar(noisy[column], noisy[SHOWN], noisy[f"{SHOWN}_spread"], **look)
            teachers += " teachers"
            lowest = (noisy[SHOWN] - noisy[f"{SHOWN}_spread"].fillna(0)).min() - 0.03  # below the bars
        else:
            alone = "." if len(noisy) == 1 else None  # a line of one point is none
            axis.plot(noisy[column], noisy[SHOWN], color="0.6", linestyle="--", linewidth=1, marker=alone)
            teachers += "\nteachers\n(computed,\nnot trained)"
            lowest = noisy[SHOWN].min() - 0.08
        axis.annotate(teachers, (noisy[column].min(), lowest), ha="center", va="top", fontsize=8)
    for row in read_table(Path(__file__).parent / DATA_FILES[0]).to_dict("records"):
        if row["method"] == noisy["method"].iloc[0] and float(row["epsilon"]) > 0:
            plotting.paper(axis, [row["epsilon"]], [row["dice"]], f"the paper: {row['dataset']}, mean of three classes")
    axis.set(xlabel=plotting.epsilon_at(noisy["delta"].iloc[0]), ylim=(0, 1), xscale="log")
    reach = noisy[[name for name in noisy if name.startswith("epsilon_")]]
    axis.set_xlim(0.3 * reach.min(axis=None), 4 * reach.max(axis=None))
    axis.set_title("Autoencoded PATE: the same students over epsilon")


def named_of(curve: pd.DataFrame) -> str:
    """The method of an encoder's students, and its noise in training: that of its use, one for all, or none."""
    method, noise = curve["method"].iloc[0].removesuffix(" student"), curve["sigma_train"].dropna()
    if noise.empty:
        return method
    own = "that of its use" if noise.nunique() > 1 else f"{noise.iloc[0]:g}"
    return rf"{method} ($\sigma$ in training: {own})"


def panel(axis: plt.Axes, students: pd.DataFrame, lines: pd.DataFrame, colours: dict[str, int]) -> None:
    """Students (full) and their labels (dashed) of every encoder over noise; what has no noise lies at the edge."""
    for _, curve in students.groupby("encoder", sort=False):
        method = named_of(curve)
        number = colours[method]
        full, dashed = ("-", "--") if len(curve) > 2 else ("none", "none")  # two points are no course
        look: dict[str, Any] = {"color": f"C{number}", "markersize": 5}
        bars: dict[str, Any] = {"marker": "osD"[number % 3], "capsize": 2, "linestyle": full}
        axis.errorbar(
            curve["noise"], curve[SHOWN], curve[f"{SHOWN}_spread"], **look, **bars, label=f"student, {method}"
        )
        best, half = (curve[column] for column in LABELS)
        axis.plot(
            curve["noise"], best.fillna(half), **look, linestyle=dashed, marker="+", label=f"its labels, {method}"
        )
    for style, (_, line) in zip(("-", ":", "-.", "--", (0, (1, 4))), lines.iterrows(), strict=False):
        level = line[PLAIN] if pd.isna(line[SHOWN]) else line[SHOWN]
        axis.axhline(level, color=plotting.GREY, linestyle=style, linewidth=0.8, label=line["method"])


@command
def main(results: Path, teachers: list[int], route: str, numbers: Path, privacy: Path, png: Path, pdf: Path) -> None:
    """Write the figure and its numbers.

    results: the table of results, .csv. teachers: how many are asked what the same noise would cost. route: of the
    accounting. numbers: the numbers behind the figure to write, .csv. privacy: the meaning of their epsilons to write,
    .csv. png, pdf: the figure to write.
    """
    rows = rows_of(read_table(results), teachers, route)
    write_table(numbers, privacy, rows, key=("dataset", "encoder", "queries", "noise"))
    draw(read_table(numbers), png, pdf)


if __name__ == "__main__":
    run(main)
