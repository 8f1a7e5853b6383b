"""Test accuracy against the attack's area, a curve a method over lengths of training: accuracy at equal leakage."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patheffects import withStroke

from lib.attacks.summary import Attacked, only, read_attacked, summary_row
from lib.attacks.threshold import THRESHOLD
from lib.attacks.tradeoff import Curve, accuracy_at
from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.reporting.tables import yes_no
from pate_accountant.rounding import rounded_up

DATA_FILES = ("../published/residual_perturbation_table3.csv",)  # what the paper prints
BASELINE = "DP-SGD"
COLUMNS = (
    *("dataset", "attack", "auc", "auc_spread", "train_accuracy", "train_accuracy_spread", "test_accuracy"),
    *("test_accuracy_spread", "attacker_works", "seeds", "stands_for", "protocol", "data"),
)
COMPARED = (
    *("method", "gamma", "at", "dataset", "attack", "stands_for", "protocol", "data", "auc", "auc_spread"),
    *("test_accuracy", "test_accuracy_spread", "dp_sgd_accuracy", "dp_sgd_accuracy_spread"),
    *("attacker_works", "seeds", "plain_accuracy", "plain_accuracy_spread"),
)
ENOUGH = 3  # repetitions of a point that counts
NEAR = (0.49, 0.53)  # areas that the left panel shows


def points(found: list[Attacked], control: Attacked, table3: pd.DataFrame, curves: list[dict]) -> pd.DataFrame:
    """A row for each point of a curve, by length of training, and one for each network by DP-SGD."""
    rows = []
    printed = table3[(table3["attack"] == THRESHOLD) & (table3["members"] == 1)]
    for curve in curves:
        words = {"method": curve["title"], "gamma": curve["gamma"]}
        for title in curve["networks"]:
            attacked = only(found, title=title, gamma=curve["gamma"])
            row = summary_row(attacked, 1, THRESHOLD, control)
            rows.append(words | {"epochs": attacked.epochs} | {name: row[name] for name in COLUMNS})
        if "end" in curve:
            own = printed[(printed["method"] == curve["end"]) & (printed["gamma"] == curve["gamma"])].iloc[0]
            rows.append(words | {"epochs": curve["end_epochs"]} | {name: own[name] for name in COLUMNS})
    for _, own in printed[printed["epsilon"].notna()].iterrows():
        said = f"{own['method']}, ε = {rounded_up(own['epsilon'], 3):g}"
        rows.append({"method": own["method"], "gamma": 0.0, "said": said} | {name: own[name] for name in COLUMNS})
    return pd.DataFrame(rows)


def compared(numbers: pd.DataFrame) -> pd.DataFrame:
    """Each curve at the area of DP-SGD, and each with noise at that of its longest training, beside the plain network.

    `at`: whose area. Points with fewer than ENOUGH repetitions do not count; without others there is no row.
    """
    known = numbers[(numbers["seeds"] >= ENOUGH) | (numbers["method"] == BASELINE)]
    private = known[known["method"] == BASELINE].iloc[0]
    shown = {words: rows for words, rows in known[known["epochs"].notna()].groupby(["method", "gamma"], sort=False)}
    plain = next((rows for (_, gamma), rows in shown.items() if gamma == 0), None)
    rows = []
    for (method, gamma), own in shown.items():
        last = own.iloc[-1]
        for at, there in ((BASELINE, private), ("longest training", last)):
            if gamma == 0 and there is last:
                continue
            beside = [plain] if gamma and plain is not None else []
            used = [own, there.to_frame().T, *beside]
            # what is read off a curve rests on all its points, and is no better than the weakest
            read = pd.concat([last.to_frame().T if there is last else own, *beside])
            row: dict[str, Any] = {"method": method, "gamma": gamma, "at": at}
            row |= {name: last[name] for name in ("dataset", "attack", "stands_for")}
            row["protocol"] = next((words for words in read["protocol"] if words != "paper"), "paper")
            row["data"] = " and ".join(dict.fromkeys(read["data"]))
            row |= {"auc": there["auc"], "auc_spread": there["auc_spread"]}
            if there is last:
                row |= {name: last[name] for name in ("test_accuracy", "test_accuracy_spread")}
            else:
                row |= _read_off("test_accuracy", own, there)
                row |= {f"dp_sgd_accuracy{end}": there[f"test_accuracy{end}"] for end in ("", "_spread")}
            if beside:
                row |= _read_off("plain_accuracy", plain, there)
            works = all((each["attacker_works"] == "yes").all() for each in used)
            rows.append(row | {"attacker_works": yes_no(works), "seeds": min(each["seeds"].min() for each in used)})
    return pd.DataFrame(rows, columns=list(COMPARED))


def _read_off(name: str, curve: pd.DataFrame, there: pd.Series) -> dict[str, float]:
    columns = ("auc", "auc_spread", "test_accuracy", "test_accuracy_spread")
    drawn = Curve(*(curve[column].fillna(0).to_numpy() for column in columns))
    value, spread = accuracy_at(drawn, there["auc"], 0 if pd.isna(there["auc_spread"]) else there["auc_spread"])
    return {name: value, f"{name}_spread": spread}


@command
def main(
    records: list[Path],
    control: Path,
    table3: Path,
    tasks: dict,
    methods: dict,
    curves: list,
    numbers: Path,
    comparison: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the points, what the claims compare, and the figure.

    records: records of attacks; scores and curves lie beside them. control: record of the attack on what was learned by
    heart. table3: the .csv of Table III, for DP-SGD and the ends of curves. tasks, methods: what is said of each, by
    name. curves: title, gamma, titles of networks, and the row of Table III in which each ends. numbers: the .csv of
    points to write. comparison: the .csv of what the claims compare to write. png: the figure to write. pdf: the same
    figure to write.
    """
    (learned,) = read_attacked([control], tasks, methods)
    found = points(read_attacked(records, tasks, methods), learned, read_table(table3), curves)
    for path, rows in ((numbers, found), (comparison, compared(found))):
        with atomic_path(path) as temporary:
            rows.to_csv(temporary, index=False, float_format="%.6g")
    draw(read_table(numbers), png, pdf)


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Draw accuracy against the area: near guessing, and all of it."""
    with plotting.figure(1, 2, height=3.9) as (drawn, axes):
        for axis in axes:
            draw_points(axis, table, near=axis is axes[0])
            axis.axvline(0.5, color=plotting.GREY, linestyle=":", linewidth=1, zorder=0)
            axis.set(xlabel="area under the attack's ROC", xmargin=0.1, ymargin=0.12)
        axes[0].set(ylabel="test accuracy, %", title="near guessing", xlim=NEAR)
        axes[1].set(title="all")
        one = table.iloc[0]
        of = "" if one["dataset"] == one["stands_for"] else f" (the paper: {one['stands_for']})"
        drawn.suptitle(f"{one['dataset']}{of}: accuracy at equal success of the attack", fontsize="medium")
        plotting.legend(drawn, axes, columns=3)
        plotting.save(drawn, *paths)


def draw_points(axis: plt.Axes, table: pd.DataFrame, near: bool) -> None:
    """A line for each curve with epochs beside its points, DP-SGD, and what the paper prints.

    near: whether points in NEAR are named; otherwise those beyond are.
    """

    def name(text: str, area: float, accuracy: float, color: str, offset: tuple[int, int]) -> None:
        if (NEAR[0] < area < NEAR[1]) == near:
            place: dict[str, Any] = {"xytext": offset, "textcoords": "offset points", "ha": "center", "zorder": 5}
            place["path_effects"] = [withStroke(linewidth=2, foreground="white")]  # legible on lines
            axis.annotate(text, (area, accuracy), fontsize="small", color=color, **place)

    curves = [rows for _, rows in table[table["epochs"].notna()].groupby(["method", "gamma"], sort=False)]
    private = table[table["epochs"].isna()]
    first = private.iloc[0]
    band = first["auc"] - first["auc_spread"], first["auc"] + first["auc_spread"]
    axis.axvspan(*band, color="0.9", zorder=0)
    for number, rows in enumerate([*curves, *(private.iloc[[place]] for place in range(len(private)))]):
        own, curve = rows.iloc[0], rows["epochs"].notna().all()
        noise = f", $\\gamma$ = {own['gamma']:g}" if own["gamma"] else ""
        label = f"{own['method']}{noise}, by epochs" if curve else own["said"]
        look: dict[str, Any] = {"color": f"C{number}", "marker": "os^DvP"[number % 6], "markersize": 5, "capsize": 2}
        look |= {"elinewidth": 1}
        x, y = rows["auc"], 100 * rows["test_accuracy"]
        across, up = rows["auc_spread"].fillna(0), 100 * rows["test_accuracy_spread"].fillna(0)
        axis.errorbar(x, y, xerr=across, yerr=up, linestyle="-" if curve else "none", label=label, **look)
        few = rows["seeds"] < ENOUGH
        axis.plot(x[few], y[few], look["marker"], markersize=5, color=look["color"], mfc="white", zorder=3)
        for area, accuracy, epochs in zip(x, y, rows["epochs"], strict=True):
            if curve:
                name(
                    f"{epochs:g}", area, accuracy, look["color"], (-9, 5) if number % 2 else (9, -12)
                )  # of neighbours on two sides
    printed = read_table(Path(__file__).parent / DATA_FILES[0])
    printed = printed[printed["dataset"] == table["stands_for"].iloc[0]]
    plotting.paper(axis, printed["auc"].astype(float), 100 * printed["test_accuracy"].astype(float), "the paper")
    for own in printed.itertuples():
        offset = (28, -9) if own.method == BASELINE else (0, 7)  # beside its cross, where it hides no epochs
        name(own.method, float(own.auc), 100 * float(own.test_accuracy), "black", offset)


if __name__ == "__main__":
    run(main)
