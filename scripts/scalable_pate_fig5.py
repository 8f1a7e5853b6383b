"""Figure 5 of Scalable PATE: what the noisy check selects (left), and what selecting and answering cost (right)."""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lib.accounting import threshold
from lib.accounting.consensus import cost_by_share, histogram, selection_part
from lib.accounting.rdp import order_grid
from lib.accounting.readings import ACCOUNTS
from lib.aggregation.queries import read_queries
from lib.files import atomic_path
from lib.plotting import figure, save
from scripts import cli

NAMES = {"lnmax": "LNMax (all)", "moderate": "Confident, moderate", "aggressive": "Confident, aggressive"}


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--votes", required=True, help="vote histograms of count_votes")
    parser.add_argument("--teachers", type=int, required=True, help="number of teachers")
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    cli.add_json(parser, "--figure", "the figure's block: runs by role, bins, queries, order")
    cli.add_json(parser, "--accounting", "the accounting block of the configuration")
    parser.add_argument("--histogram", required=True, help="the numbers behind the left panel, .csv")
    parser.add_argument("--output", required=True, help="the numbers behind the right panel, .csv")
    parser.add_argument("--png", required=True, help="the figure, .png")
    parser.add_argument("--pdf", required=True, help="the figure, .pdf")
    return parser.parse_args(argv)


def counts(arguments: argparse.Namespace, bins: int) -> pd.DataFrame:
    """Left panel: queries and expected answers in each bin of the plurality's share, and the cost of one answer."""
    settings = arguments.figure
    edges = np.linspace(0, 100, bins + 1)
    columns = {"from_percent": edges[:-1], "to_percent": edges[1:]}
    for role in NAMES:
        run = settings["runs"][role]
        votes, _, fingerprint = read_queries(
            arguments.votes, arguments.teachers, run | {"queries": settings["queries"]}
        )
        answered = np.ones(len(votes))
        if run["aggregator"] == "confident_gnmax":
            answered = np.exp(
                threshold.log_probabilities(votes.max(axis=1), run["threshold"], run["sigma_threshold"])[0]
            )
            columns["cost_of_answer"] = cost_by_share(votes, run["sigma"], settings["order"], bins)
        columns[role] = histogram(votes, answered, bins)
    return pd.DataFrame(columns).assign(
        order=settings["order"], data=f"{arguments.dataset} ({fingerprint[:12]})", sanitized=False
    )


def costs(arguments: argparse.Namespace) -> pd.DataFrame:
    """Right panel: epsilon against answered queries, and the part of it that selection costs."""
    orders = order_grid(**arguments.accounting["orders"])
    parts = []
    for role in NAMES:
        run = arguments.figure["runs"][role]
        votes, _, fingerprint = read_queries(arguments.votes, arguments.teachers, run)
        account = ACCOUNTS[run["aggregator"]](orders, votes, run, arguments.accounting["moments"])
        total = account.readings["epsilon"].costs
        checks = np.zeros_like(total)
        if run["aggregator"] == "confident_gnmax":
            checks = threshold.rdp(orders, votes.max(axis=1), run["threshold"], run["sigma_threshold"])
        points = arguments.accounting["curve_points"]
        lengths = np.unique(np.linspace(1, len(votes), points).round().astype(int))
        epsilon, selection = selection_part(orders, checks, total - checks, run["delta"], lengths)
        meaning = account.readings["epsilon"].state(float(epsilon[-1]), run["delta"], "rdp", "classic").as_dict()
        del meaning["epsilon"]
        parts.append(
            pd.DataFrame(
                {
                    "series": role,
                    "queries": lengths,
                    "answered": np.cumsum(account.answered)[lengths - 1],
                    "epsilon": epsilon,
                    "selection_part": selection,
                    **meaning,
                    "data": f"{arguments.dataset} ({fingerprint[:12]})",
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def main(argv: list[str] | None = None) -> None:
    """Write the figure and its numbers."""
    arguments = parse_arguments(argv)
    left_numbers, right_numbers = counts(arguments, arguments.figure["bins"]), costs(arguments)
    for path, numbers in ((arguments.histogram, left_numbers), (arguments.output, right_numbers)):
        with atomic_path(path) as temporary:
            numbers.to_csv(temporary, index=False, float_format="%.6g")
    with figure(1, 2, width=3.9, height=3.3) as (drawn, (left, right)):
        styles = dict(zip(NAMES, plt.rcParams["axes.prop_cycle"], strict=False))
        middle = (left_numbers["from_percent"] + left_numbers["to_percent"]) / 2
        width = 100 / len(middle)
        for step, (role, style) in enumerate(styles.items()):
            shift = (step - (len(styles) - 1) / 2) * 0.28 * width
            left.bar(middle + shift, left_numbers[role], 0.26 * width, color=style["color"], label=NAMES[role])
        left.set_xlabel("teachers that agree, %")
        left.set_ylabel("queries answered (expected)")
        cost = left.twinx()
        cost.plot(middle, left_numbers["cost_of_answer"], "ko", ms=4, label="cost of one answer")
        cost.set_yscale("log")
        cost.set_ylabel(f"Rényi cost of one answer, order {arguments.figure['order']:g}")
        cost.grid(False)
        cost.spines["right"].set_visible(True)
        for role, style in styles.items():
            line = right_numbers[right_numbers["series"] == role]
            right.plot(line["answered"], line["epsilon"], label=NAMES[role], **style)
        darkest = list(styles)[-1]
        line = right_numbers[right_numbers["series"] == darkest]
        shade = right.fill_between(line["answered"], line["selection_part"], color="0.6", lw=0, zorder=0)
        right.set_xlabel("queries answered (expected)")
        right.set_ylabel(r"$\varepsilon$")
        right.set_xlim(left=0)
        right.set_ylim(bottom=0)
        dots, _ = cost.get_legend_handles_labels()
        bars, labels = left.get_legend_handles_labels()
        labels += ["cost of one answer", f"part of selecting, {NAMES[darkest]}"]
        drawn.legend([*bars, *dots, shade], labels, loc="outside lower center", ncols=3)
        save(drawn, arguments.png, arguments.pdf)


if __name__ == "__main__":
    cli.run(main)
