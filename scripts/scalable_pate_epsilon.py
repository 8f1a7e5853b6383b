"""Figure: epsilon against the number of answers, one panel a dataset, one line a mechanism."""

import math
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.lines import Line2D

from lib.core.command import command, run
from lib.core.files import atomic_path, load_arrays
from lib.reporting.claims.cells import read_table
from lib.reporting.claims.loading import load_claims
from lib.reporting.plotting import figure, save
from lib.reporting.records import read_record
from lib.reporting.results import data_name

NAMES = {
    "lnmax": "LNMax",
    "gnmax": "GNMax",
    "confident_gnmax": "Confident-GNMax",
    "interactive_gnmax": "Interactive-GNMax",
}


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


def paper_points(runs: list[dict], claims_path: Path) -> pd.DataFrame:
    """Answers and epsilon that the paper prints, by the name of a run."""
    values = {claim["id"]: claim["value"] for claim in load_claims(claims_path)}
    points = {
        run["name"]: [float(values[run["claims"][name]]) for name in ("queries_answered", "epsilon")]
        for run in runs
        if {"queries_answered", "epsilon"} <= set(run["claims"])
    }
    return pd.DataFrame.from_dict(points, orient="index", columns=["paper_queries_answered", "paper_epsilon"])


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """One panel a dataset; thin lines are the data-independent bounds, crosses the paper's points, bands all votes."""
    datasets = table["dataset"].unique()
    with figure(1, len(datasets)) as (drawn, axes):
        shown = dict.fromkeys([*NAMES, *table["aggregator"]])
        styles = dict(zip(shown, plt.rcParams["axes.prop_cycle"], strict=False))
        for axis, dataset in zip(axes, datasets, strict=True):
            panel = table[table["dataset"] == dataset]
            for (aggregator, _, kind), part in panel.groupby(["aggregator", "run", "series"], sort=False):
                style = styles[aggregator]
                line = part.groupby("queries")[["answered", "epsilon"]].agg(["mean", "min", "max"])
                answered, epsilon = line["answered"]["mean"], line["epsilon"]
                if kind == "epsilon":
                    axis.plot(answered, epsilon["mean"], label=NAMES.get(aggregator, aggregator), **style)
                    axis.fill_between(answered, epsilon["min"], epsilon["max"], color=style["color"], alpha=0.2, lw=0)
                    printed = part.iloc[0]
                    if pd.notna(printed["paper_epsilon"]):
                        point = printed["paper_queries_answered"], printed["paper_epsilon"]
                        axis.plot(*point, "x", color=style["color"], ms=7, mew=2)
                else:
                    axis.plot(answered, epsilon["mean"], lw=0.8, alpha=0.6, **style)
            axis.set_title(dataset)
            axis.set_xlabel("queries answered (expected)")
            axis.set_ylabel(rf"$\varepsilon$ at $\delta = 10^{{{math.log10(panel['delta'].iloc[0]):g}}}$")
            axis.set_xlim(left=0)
            # the data-independent bound of LNMax would squeeze everything else
            axis.set_ylim(0, 1.6 * panel.loc[panel["series"] == "epsilon", "epsilon"].max())
        grey = {"color": "0.3"}
        kinds = [Line2D([], [], **grey), Line2D([], [], lw=0.8, alpha=0.6, **grey)]
        labels = ["data-dependent", "data-independent"]
        if table["paper_epsilon"].notna().any():
            kinds.append(Line2D([], [], marker="x", ls="none", ms=7, mew=2, **grey))
            labels.append("the paper")
        drawn_names = {
            name: line for axis in axes for line, name in zip(*axis.get_legend_handles_labels(), strict=True)
        }
        handles, names = list(drawn_names.values()), list(drawn_names)
        drawn.legend([*handles, *kinds], [*names, *labels], loc="outside lower center", ncols=3 if len(axes) > 1 else 2)
        save(drawn, *paths)


@command
def main(
    runs: list, records: list[Path], curves: list[Path], claims: Path, numbers: Path, png: Path, pdf: Path
) -> None:
    """Write the figure and its numbers.

    runs: the blocks of the runs, each with its name and its ensemble's block under ensemble. records: records of
    account. curves: their curves, in the same order. claims: claims.csv, for the paper's points. numbers: the numbers
    behind the figure, .csv. png: the figure. pdf: the figure.
    """
    series = read_series(runs, records, curves).join(paper_points(runs, claims), on="run")
    with atomic_path(numbers) as temporary:
        series.to_csv(temporary, index=False, float_format="%.6g")
    draw(read_table(numbers), png, pdf)


if __name__ == "__main__":
    run(main)
