"""Figure: epsilon against the number of answers, one panel a dataset, one line a mechanism."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from lib.core.command import command, run
from lib.core.files import load_arrays
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.reporting.claims.loading import load_claims
from lib.reporting.records import read_record
from lib.reporting.results import data_name
from lib.reporting.tables import write_numbers

NAMES = {
    "lnmax": "LNMax",
    "gnmax": "GNMax",
    "confident_gnmax": "Confident-GNMax",
    "interactive_gnmax": "Interactive-GNMax",
}
FEW = 20  # points of a curve that are marked, because what lies between them is not computed


def read_series(runs: list[dict], records: list[Path], curves: list[Path]) -> pd.DataFrame:
    """One row a point: run, drawn votes, queries, answers, epsilon, and what the epsilon means."""
    by_name = {run["name"]: run for run in runs}
    parts = []
    for record_path, curve_path in zip(records, curves, strict=True):
        record, curve = read_record(record_path), load_arrays(curve_path)
        _, name, drawn = record["job"]
        for series in ("epsilon", "epsilon_data_independent"):
            meaning = record["privacy"][series].as_dict()
            del meaning["epsilon"]
            parts.append(
                pd.DataFrame(
                    {
                        "dataset": by_name[name]["ensemble"]["label"],
                        "run": name,
                        "aggregator": by_name[name]["aggregator"],
                        "votes": int(drawn),
                        "series": series,
                        "queries": curve["queries"],
                        "answered": curve["answered"],
                        "epsilon": curve[series],
                        **meaning,
                        "data": data_name(record),
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def paper_points(runs: list[dict], ledger: list[Path]) -> pd.DataFrame:
    """Answers and epsilon that the paper prints, by the name of a run."""
    values = {claim["id"]: claim["value"] for claim in load_claims(*ledger)}
    points = {
        run["name"]: [float(values[run["claims"][name]]) for name in ("queries_answered", "epsilon")]
        for run in runs
        if {"queries_answered", "epsilon"} <= set(run["claims"])
    }
    return pd.DataFrame.from_dict(points, orient="index", columns=["paper_queries_answered", "paper_epsilon"])


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """One panel a dataset; thin lines are the data-independent bounds, crosses the paper's points, bands all votes."""
    datasets = table["dataset"].unique()
    with plotting.figure(-(-len(datasets) // 2), min(2, len(datasets)), height=2.7) as (drawn, axes):
        looks = plotting.looks(dict.fromkeys([*NAMES, *table["aggregator"]]))
        for axis in axes[len(datasets) :]:
            axis.set_axis_off()
        for axis, dataset in zip(axes, datasets, strict=False):
            draw_panel(axis, table[table["dataset"] == dataset], looks)
        axes[0].plot([], [], color=plotting.GREY, label="data-dependent")
        axes[0].plot([], [], color=plotting.GREY, lw=0.8, ls="-", label="data-independent")
        if table["paper_epsilon"].notna().any():
            plotting.paper(axes[0], [], [], "the paper", color=plotting.GREY)
        plotting.legend(drawn, axes)
        plotting.save(drawn, *paths)


def draw_panel(axis: plt.Axes, panel: pd.DataFrame, looks: dict[str, dict]) -> None:
    """The curves of one dataset, each in the looks of its mechanism."""
    for (aggregator, _, kind), part in panel.groupby(["aggregator", "run", "series"], sort=False):
        look = looks[aggregator]
        line = part.groupby("queries")[["answered", "epsilon"]].agg(["mean", "min", "max"])
        answered, epsilon = line["answered"]["mean"], line["epsilon"]
        if kind != "epsilon":
            axis.plot(answered, epsilon["mean"], lw=0.8, alpha=0.6, **look)
            continue
        marker = "." if len(line) < FEW else ""
        axis.plot(answered, epsilon["mean"], marker=marker, label=NAMES.get(aggregator, aggregator), **look)
        axis.fill_between(answered, epsilon["min"], epsilon["max"], color=look["color"], alpha=0.2, lw=0)
        printed = part.iloc[0]
        if pd.notna(printed["paper_epsilon"]):
            point = [printed["paper_queries_answered"]], [printed["paper_epsilon"]]
            plotting.paper(axis, *point, "", color=look["color"])
    axis.set(title=panel["dataset"].iloc[0], xlabel="queries answered (expected)")
    axis.set_ylabel(plotting.epsilon_at(panel["delta"].iloc[0]))
    axis.set_xlim(left=0)
    plotting.counts(axis)
    # the data-independent bound of LNMax would squeeze everything else
    axis.set_ylim(0, 1.6 * panel.loc[panel["series"] == "epsilon", "epsilon"].max())


@command
def main(
    runs: list, records: list[Path], curves: list[Path], claims: list[Path], numbers: Path, png: Path, pdf: Path
) -> None:
    """Write the figure and its numbers.

    runs: the blocks of the runs, each with its name and its ensemble's block under ensemble. records: records of
    account. curves: their curves, in the same order. claims: claims.csv and checks.csv, for the paper's points.
    numbers: the numbers behind the figure, .csv. png: the figure. pdf: the figure.
    """
    series = read_series(runs, records, curves).join(paper_points(runs, claims), on="run")
    write_numbers(numbers, series)
    draw(read_table(numbers), png, pdf)


if __name__ == "__main__":
    run(main)
