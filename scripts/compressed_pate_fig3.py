"""Figure 3 of compressed PATE: Dice of students over the number of labelled volumes, for teachers and budgets."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.reporting.results import by_job, data_name, statement
from lib.reporting.results import numbers as mean_of
from lib.reporting.spread import mean_and_spread
from lib.reporting.tables import write_table
from lib.segmentation.pictures import titled
from lib.segmentation.released import with_costs
from pate_accountant.rounding import shown

MEASURES = ("dice", "tuned_dice")
SHOWN = "tuned_dice"  # at the threshold that is best on public volumes
EACH = "each"  # a row's values by repetition, which no table shows


def rows_of(students: list[Path], codes: list[Path], tasks: dict, sources: list[str]) -> list[dict]:
    """One row a task and labelling; what is measured is the mean over repetitions."""
    released = by_job(codes)
    rows = []
    for (_, task, source, encoder), found in by_job(students).items():
        if source not in sources:
            continue
        block, answers = tasks[task], released.get(("aggregate_masks", task, source, encoder))
        for labelling in found[0]["parameters"]["labellings"]:
            name = labelling["name"]
            row: dict[str, Any] = {"dataset": block["label"], "stands_for": block["stands_for"]}
            row |= {"protocol": block["protocol"]}
            row |= {"labels": "decoded" if answers else "true", "queries": labelling["queries"]}
            row |= {"teachers": labelling.get("teachers") if labelling["epsilon"] is not None else None}
            row |= {"budget": labelling["epsilon"], "epsilon": None, "delta": None, "sigma": None}
            row |= {"sigma_train": None, "latent_dim": None, "label_dice": None}
            if answers:
                row["latent_dim"] = int(answers[0]["metrics"]["latent_dim"])
                row["sigma_train"] = answers[0]["parameters"]["encoder"].get("recipe", {}).get("sigma")
                row["label_dice"] = mean_of(answers, f"{name} dice", private=True)[0]
            if labelling["epsilon"] is not None:
                assert answers
                row["epsilon"], _ = statement(with_costs(answers), f"{name} {labelling['route']}")
                row |= {"delta": labelling["delta"], "sigma": answers[0]["metrics"][f"sigma {name}"]}
            for measure in MEASURES:
                row[measure], row[f"{measure}_spread"] = mean_of(found, f"{name} {measure}", private=True)
            row |= {"seeds": len(found), "sanitized": False, "data": data_name(found[0])}
            rows.append(row | {EACH: [record["private_metrics"][f"{name} {SHOWN}"] for record in found]})
    return rows


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """Noisy students beside those of the next smaller budget, of no noise, of fewest and of most labels.

    `gain_over_X` is the mean of the differences in each repetition, in which both have the same patients, with their
    spread. interior: the best of the students between the fewest and the most labels, where there is one between.
    contrast: what claims compare, chosen before any run: with the most labels, the largest budget of a number of
    teachers that has several (`largest`), and the smallest of each number of teachers (`smallest`).
    """
    decoded, rows = table[table["labels"] == "decoded"].drop(columns=["labels", "epsilon"]), []
    for (dataset, teachers), curves in decoded.dropna(subset=["teachers"]).groupby(["dataset", "teachers"], sort=False):
        free = decoded[decoded["budget"].isna() & (decoded["dataset"] == dataset)]
        free = free.loc[free["queries"].idxmax()]
        for budget, curve in curves.groupby("budget"):
            curve = curve.sort_values("queries")
            inner, smaller = curve.iloc[1:-1], curves[curves["budget"] < budget]
            best = inner["queries"][inner[SHOWN].idxmax()] if len(inner) else None
            for _, row in curve.iterrows():
                others = {"noiseless": free, "fewest": curve.iloc[0], "most": curve.iloc[-1]}
                before = smaller[smaller["queries"] == row["queries"]]
                if len(before):
                    others["less"] = before.loc[before["budget"].idxmax()]
                made = row.drop(EACH).to_dict() | {"teachers": int(teachers), "contrast": "no"}
                if row["queries"] == curves["queries"].max():
                    largest = len(smaller) and budget == curves["budget"].max()
                    made["contrast"] = "largest" if largest else "no" if len(smaller) else "smallest"
                made["interior"] = "best" if row["queries"] == best else "no"
                for role, other in others.items():
                    gains = [own - its for own, its in zip(row[EACH], other[EACH], strict=True)]
                    gain = mean_and_spread(gains)
                    made |= dict(zip((f"gain_over_{role}", f"gain_over_{role}_spread"), gain, strict=True))
                rows.append(made)
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """A panel for each dataset and number of teachers."""
    panels = list(table.dropna(subset=["teachers"]).groupby(["dataset", "teachers"], sort=False))
    with plotting.figure(1, len(panels), height=3.6) as (drawn, axes):
        for axis, ((dataset, teachers), curves) in zip(axes, panels, strict=True):
            panel(axis, table, curves)
            seeds = curves["seeds"].iloc[0]
            axis.set(
                xlabel="labelled volumes $N$",
                title=f"{titled(dataset)}, as if $K$ = {teachers:g} teachers answered, {seeds:g} repetitions",
            )
        axes[0].set_ylabel("Dice of the student on test volumes")
        plotting.legend(drawn, axes, columns=2)
        plotting.save(drawn, *paths)


def panel(axis: plt.Axes, table: pd.DataFrame, curves: pd.DataFrame) -> None:
    """One panel: budgets of one number of teachers, and students of labels without noise; side by side at each N."""
    lines = [(rf"decoded labels, $\varepsilon$ = {shown(budget)}", curve) for budget, curve in curves.groupby("budget")]
    free = table[(table["dataset"] == curves["dataset"].iloc[0]) & table["budget"].isna()]
    named = {"decoded": "decoded labels, no noise", "true": "true labels"}
    lines += [(named[labels], curve) for labels, curve in free.groupby("labels")]
    counts = sorted(set(curves["queries"]))
    for number, (label, curve) in enumerate(lines):
        curve = curve.sort_values("queries")
        place = curve["queries"] + (number - (len(lines) - 1) / 2) * 0.012 * max(counts)
        style = ("-", "--", "-.", ":")[number % 4] if len(curve) > 1 else "none"
        look: dict[str, Any] = {"linestyle": style, "marker": "osD^"[number % 4]}
        look |= {"markersize": 5}
        axis.errorbar(place, curve[SHOWN], curve[f"{SHOWN}_spread"], capsize=2, label=label, **look)
    axis.set_xticks(counts)
    axis.set_ylim(0, 1)


@command
def main(
    students: list[Path],
    codes: list[Path],
    tasks: dict,
    sources: list[str],
    numbers: Path,
    privacy: Path,
    comparison: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the figure, its numbers, and what the claims compare.

    students: records of students. codes: records of what was released to them. tasks: the tasks' blocks of the
    configuration, by name. sources: of labels, whose students are shown. numbers: the numbers behind the figure to
    write, .csv. privacy: the meaning of their epsilons to write, .csv. comparison: what its claims compare, to write,
    .csv. png, pdf: the figure to write.
    """
    rows = rows_of(students, codes, tasks, sources)
    key = ("dataset", "labels", "queries", "teachers", "budget")
    write_table(numbers, privacy, [{name: row[name] for name in row if name != EACH} for row in rows], key=key)
    with atomic_path(comparison) as temporary:
        compared(pd.DataFrame(rows)).to_csv(temporary, index=False, float_format="%.6g")
    draw(read_table(numbers), png, pdf)


if __name__ == "__main__":
    run(main)
