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
from pate_accountant.rounding import rounded_up

DATA_FILES = ("../published/autoencoded_pate_results.csv",)  # what the paper prints
SHOWN = "tuned_dice_whole"  # at the threshold that is best on public volumes: noise makes masks faint
PLAIN = "dice_whole"  # at a half, where no threshold was chosen
LABELS = ("label_tuned_dice_whole", "label_dice_whole")  # the same two of labels
DP_SGD = "DP-SGD"  # at the budget's noise
LINES = ("student on true labels", "teachers' average", "teachers' ensemble", "mean mask", "student on the mean mask")


def rows_of(table: pd.DataFrame, teachers: list[int], route: str) -> list[dict]:
    """One row a student of codes: its noise, what that costs with so many teachers, and Dice; last those of LINES, and
    DP-SGD by its epsilon.

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
        if row["method"] == DP_SGD and row["noise"] == "calibrated":
            row["method"] = f"{DP_SGD}, ε = {rounded_up(row['epsilon'], 3):g}"
        elif not coded and row["method"] not in LINES:
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
        columns = (SHOWN, f"{SHOWN}_spread", PLAIN, f"{PLAIN}_spread", *LABELS, "sigma_train", "latent_dim")
        made |= {name: row[name] for name in (*columns, "seeds", "data")}
        made["main_encoder"] = yes_no(coded and row["encoder"] == main_encoder.get(row["dataset"]))
        (rows if coded else beside).append(made)
    rows.sort(key=lambda row: (row["dataset"], row["main_encoder"] != "yes", row["encoder"], row["noise"]))
    return rows + beside


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """A row a dataset: students of all encoders over noise (left), those of the main encoder over epsilon (right).

    DP-SGD, at the epsilon in its name, is a line on the right.
    """
    coded = table["noise"].notna()
    datasets = table["dataset"][coded].unique()
    named = [named_of(curve) for _, curve in table[coded].groupby(["dataset", "encoder"], sort=False)]
    looks = {name: look_of(number) for number, name in enumerate(dict.fromkeys(named))}  # the same in all panels
    with plotting.figure(len(datasets), 2, height=3.7) as (drawn, axes):
        for dataset, left, right in zip(datasets, axes[::2], axes[1::2], strict=True):
            own = table[coded & (table["dataset"] == dataset)]
            title = f"{titled(dataset)}, {own['queries'].iloc[0]:g} volumes, {own['seeds'].iloc[0]:g} repetitions"
            beside = table[~coded & (table["dataset"] == dataset)]
            sgd = beside["method"].str.startswith(DP_SGD)
            panel(left, own, beside[~sgd], looks)
            left.set(xlabel="noise on a number of the code / bound on a code", title=title, ylim=(0, 1))
            left.set_xscale("symlog", linthresh=0.05)
            left.set_xlim(-0.02, 2 * own["noise"].max())
            left.set_xticks([0, 0.1, 1], ["none", "0.1", "1"])
            left.set_ylabel("Dice of the whole, test volumes")
            main = own[own["main_encoder"] == "yes"]
            costs(right, main[main["noise"] > 0], looks[named_of(main)])
            for _, line in beside[sgd].iterrows():
                right.axhline(line[SHOWN], color="black", linestyle=(0, (6, 3)), linewidth=0.8, label=line["method"])
        axes[0].plot([], [], "+", color=plotting.GREY, markersize=5, label="the labels of the student in its colour")
        plotting.legend(drawn, axes, columns=2)
        plotting.save(drawn, *paths)


def look_of(number: int) -> dict[str, Any]:
    """Colour and mark of an encoder's students; there are more pairs of both than a figure has encoders."""
    return {"color": f"C{number}", "marker": "osD^vP*X"[number % 8], "markersize": 5}


def costs(axis: plt.Axes, noisy: pd.DataFrame, look: dict[str, Any]) -> None:
    """The main encoder's students over their epsilon, and what more teachers would pay for the same answers."""
    for column in (name for name in noisy if name.startswith("epsilon_")):
        teachers = f"{int(column.removeprefix('epsilon_')):,}"
        if np.allclose(noisy[column], noisy["budget"], rtol=0.01):
            axis.errorbar(noisy[column], noisy[SHOWN], noisy[f"{SHOWN}_spread"], capsize=2, linestyle="-", **look)
            teachers += " teachers"
            lowest = (noisy[SHOWN] - noisy[f"{SHOWN}_spread"].fillna(0)).min() - 0.03  # below the bars
        else:
            alone = "." if len(noisy) == 1 else None  # a line of one point is none
            axis.plot(noisy[column], noisy[SHOWN], color="0.6", linestyle="--", linewidth=1, marker=alone)
            teachers += "\nteachers\n(computed,\nnot trained)"
            lowest = noisy[SHOWN].min() - 0.08
        side = "top" if lowest > 0.22 or "\n" not in teachers else "bottom"  # four lines, and the axis below
        place = (noisy[column].min(), lowest if side == "top" else noisy[SHOWN].max() + 0.07)
        axis.annotate(teachers, place, ha="center", va=side, fontsize=8)
    for row in read_table(Path(__file__).parent / DATA_FILES[0]).to_dict("records"):
        if row["method"] == noisy["method"].iloc[0] and float(row["epsilon"]) > 0:
            plotting.paper(axis, [row["epsilon"]], [row["dice"]], f"the paper: {row['dataset']}, mean of three classes")
    axis.set(xlabel=plotting.epsilon_at(noisy["delta"].iloc[0]), ylim=(0, 1), xscale="log")
    reach = noisy[[name for name in noisy if name.startswith("epsilon_")]]
    axis.set_xlim(0.3 * reach.min(axis=None), 4 * reach.max(axis=None))
    axis.set_title("Autoencoded PATE: the same students over epsilon")


def named_of(curve: pd.DataFrame) -> str:
    """The method of an encoder's students, the length of its code, and its noise in training: of its use, or one."""
    noise = curve["sigma_train"].dropna()
    name = f"{curve['method'].iloc[0].removesuffix(' student')}, $L$ = {curve['latent_dim'].iloc[0]:,.0f}"
    if noise.empty:
        return name
    own = "of its use" if noise.nunique() > 1 else f"{noise.iloc[0]:g}"
    return rf"{name}, $\sigma$ in training: {own}"


def panel(axis: plt.Axes, students: pd.DataFrame, lines: pd.DataFrame, looks: dict[str, dict[str, Any]]) -> None:
    """Students (full) and their labels (dashed) of every encoder over noise; what has no noise lies at the edge.

    Encoders at one noise lie side by side, but for one whose course over noise is shown.
    """
    encoders = list(students.groupby("encoder", sort=False))
    for place, (_, curve) in enumerate(encoders):
        look, course = looks[named_of(curve)], len(curve) > 2  # two points are none
        full, dashed, step = ("-", "--", 0) if course else ("none", "none", place - (len(encoders) - 1) / 2)
        beside = curve["noise"] * 1.22**step + (curve["noise"] == 0) * 0.006 * step
        axis.errorbar(
            beside, curve[SHOWN], curve[f"{SHOWN}_spread"], capsize=2, linestyle=full, label=named_of(curve), **look
        )
        best, half = (curve[column] for column in LABELS)
        axis.plot(beside, best.fillna(half), linestyle=dashed, **(look | {"marker": "+"}))
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
