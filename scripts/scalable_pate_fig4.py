"""Figure 4 of Scalable PATE: label accuracy against epsilon, by mechanism (left) and by ensemble size (right)."""

import argparse

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import LogFormatterSciNotation, NullFormatter

from lib.files import atomic_path
from lib.plotting import figure, save
from scripts import cli

NAMES = {"lnmax": "LNMax", "gnmax": "GNMax"}


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tradeoffs", nargs="+", required=True, help="tables of label_tradeoff")
    parser.add_argument("--ensembles", nargs="+", required=True, help="the ensemble of each table")
    parser.add_argument("--main", required=True, help="the ensemble of the left panel")
    parser.add_argument("--output", required=True, help="the numbers behind the figure, .csv")
    parser.add_argument("--png", required=True, help="the figure, .png")
    parser.add_argument("--pdf", required=True, help="the figure, .pdf")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the figure and its numbers, averaged over the repetitions of each ensemble."""
    arguments = parse_arguments(argv)
    tables = [
        pd.read_csv(path).assign(ensemble=ensemble)
        for path, ensemble in zip(arguments.tradeoffs, arguments.ensembles, strict=True)
    ]
    points = pd.concat(tables, ignore_index=True)
    with atomic_path(arguments.output) as temporary:
        points.to_csv(temporary, index=False, float_format="%.6g")
    points = points.groupby(["ensemble", "teachers", "aggregator", "scale"], as_index=False)[
        ["epsilon", "label_accuracy"]
    ].mean()
    with figure(1, 2) as (drawn, (left, right)):
        styles = list(plt.rcParams["axes.prop_cycle"])
        chosen = points[points["ensemble"] == arguments.main]
        for style, (aggregator, name) in zip(styles, NAMES.items(), strict=False):
            line = chosen[chosen["aggregator"] == aggregator].sort_values("scale")
            left.plot(line["epsilon"], line["label_accuracy"], marker="o", ms=3, label=name, **style)
        left.set_title(f"{chosen['teachers'].iloc[0]:,} teachers")
        sizes = points[points["aggregator"] == "gnmax"]
        for style, (teachers, line) in zip(styles, sizes.groupby("teachers"), strict=False):
            line = line.sort_values("scale")
            right.plot(
                line["epsilon"], line["label_accuracy"], marker="o", ms=3, label=f"{teachers:,} teachers", **style
            )
        right.set_title("GNMax")
        for axis in (left, right):
            axis.set_xscale("log")
            axis.xaxis.set_major_formatter(LogFormatterSciNotation(minor_thresholds=(2, 0.5)))
            axis.xaxis.set_minor_formatter(NullFormatter())
            axis.set_xlabel(r"$\varepsilon$ (data-dependent)")
            axis.set_ylabel("accuracy of the labels, %")
            axis.legend()
        save(drawn, arguments.png, arguments.pdf)


if __name__ == "__main__":
    cli.run(main)
