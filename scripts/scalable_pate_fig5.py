"""Figure 5 of Scalable PATE: what the noisy check selects (left), and what selecting and answering cost (right)."""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lib.accounting import threshold
from lib.accounting.consensus import (
    LOW_CONSENSUS,
    answer_chances,
    cost_by_share,
    histogram,
    low_consensus_answered,
    part_of_epsilon,
)
from lib.accounting.rdp import order_grid
from lib.accounting.readings import ACCOUNTS
from lib.aggregation.queries import read_queries
from lib.core.files import atomic_path
from lib.reporting.comparisons import comparison_rows, equal_answers
from lib.reporting.plotting import figure, save
from lib.reporting.tables import write_table
from scripts import cli

NAMES = {"lnmax": "LNMax (all)", "moderate": "Confident, moderate", "aggressive": "Confident, aggressive"}


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--votes", nargs="+", required=True, help="vote histograms of count_votes, a file a draw")
    cli.add_json(parser, "--ensemble", "the ensemble's block of the configuration")
    cli.add_json(parser, "--figure", "the figure's block: runs by role, bins, queries, order")
    cli.add_json(parser, "--accounting", "the accounting block of the configuration")
    parser.add_argument("--histogram", required=True, help="the numbers behind the left panel, .csv")
    parser.add_argument("--output", required=True, help="the numbers behind the right panel, .csv")
    parser.add_argument("--comparison", required=True, help="what its claims compare, .csv")
    parser.add_argument("--privacy", required=True, help="the meaning of the epsilons compared, .csv")
    parser.add_argument("--png", required=True, help="the figure, .png")
    parser.add_argument("--pdf", required=True, help="the figure, .pdf")
    return parser.parse_args(argv)


def counts(path: str, teachers: int, settings: dict) -> pd.DataFrame:
    """Left panel: queries and expected answers in each bin of the plurality's share, and the cost of one answer."""
    edges = np.linspace(0, 100, settings["bins"] + 1)
    columns = {"from_percent": edges[:-1], "to_percent": edges[1:]}
    for role in NAMES:
        run = settings["runs"][role]
        votes, _, _ = read_queries(path, teachers, run | {"queries": settings["queries"]})
        if role == "moderate":
            columns["cost_of_answer"] = cost_by_share(votes, run["sigma"], settings["order"], settings["bins"])
        columns[role] = histogram(votes, answer_chances(votes, run), settings["bins"])
    return pd.DataFrame(columns)


def costs(path: str, teachers: int, settings: dict, accounting: dict) -> pd.DataFrame:
    """Right panel: epsilon against answered queries, and the part of it that selection costs."""
    orders = order_grid(**accounting["orders"])
    parts = []
    for role in NAMES:
        run = settings["runs"][role]
        votes, _, _ = read_queries(path, teachers, run)
        account = ACCOUNTS[run["aggregator"]](orders, votes, run, accounting["moments"])
        reading = account.readings["epsilon"]
        checks = np.zeros_like(reading.costs)
        if run["aggregator"] == "confident_gnmax":
            checks = threshold.rdp(orders, votes.max(axis=1), run["threshold"], run["sigma_threshold"])
        lengths = np.unique(np.linspace(1, len(votes), accounting["curve_points"]).round().astype(int))
        epsilon, selection = part_of_epsilon(orders, checks, reading.costs - checks, run["delta"], lengths)
        meaning = reading.state(float(epsilon[-1]), run["delta"], "rdp", "classic").as_dict()
        del meaning["epsilon"]
        answered = np.cumsum(account.answered)[lengths - 1]
        columns = {"queries": lengths, "answered": answered, "epsilon": epsilon, "selection_part": selection}
        parts.append(pd.DataFrame({"series": role, **columns, **meaning}))
    return pd.concat(parts, ignore_index=True)


def compare(left: pd.DataFrame, right: pd.DataFrame, low: dict[str, float]) -> list[dict]:
    """Each comparison of one draw: cost of an answer by consensus, answers without consensus, epsilon per answer."""
    occupied = left["cost_of_answer"].dropna()
    rows = [
        {"comparison": "highest_and_lowest_consensus", "at": "cost of one answer"}
        | {"value": occupied.iloc[-1], "other_value": occupied.iloc[0]}
    ]
    for role in ("moderate", "aggressive"):
        rows.append(
            {"comparison": f"{role}_and_lnmax_low_consensus", "at": f"answers with a plurality below {LOW_CONSENSUS} %"}
            | {"value": low[role], "other_value": low["lnmax"]}
        )
        series = {name: right[right["series"] == name] for name in (role, "lnmax")}
        curves = [(line["answered"].to_numpy(), line["epsilon"].to_numpy()) for line in series.values()]
        at, (own, other) = equal_answers(curves, 4)
        for i, answers in enumerate(at):
            rows.append(
                {"comparison": "selective_and_lnmax", "at": f"{role}, {i + 1} of {len(at)} parts of the answers"}
                | {"answers": answers}
                | {"epsilon": own[i], "other_epsilon": other[i]}
                | {"statement": series[role].iloc[0], "other_statement": series["lnmax"].iloc[0]}
            )
    return rows


def main(argv: list[str] | None = None) -> None:
    """Write the figure, its numbers, and what its claims compare."""
    arguments = parse_arguments(argv)
    settings, ensemble = arguments.figure, arguments.ensemble
    teachers = ensemble["teachers"]
    lefts, rights, compared = [], [], []
    for draw, path in enumerate(arguments.votes, start=1):
        _, _, fingerprint = read_queries(path, teachers, settings["runs"]["lnmax"])
        about = {"votes": draw, "data": f"{ensemble['dataset']} ({fingerprint[:12]})"}
        left, right = counts(path, teachers, settings), costs(path, teachers, settings, arguments.accounting)
        low = {}
        for role, run in settings["runs"].items():
            votes, _, _ = read_queries(path, teachers, run | {"queries": settings["queries"]})
            low[role] = low_consensus_answered(votes, run)
        compared.append(compare(left, right, low))
        lefts.append(left.assign(order=settings["order"], **about, sanitized=False))
        rights.append(right.assign(**about))
    left, right = pd.concat(lefts, ignore_index=True), pd.concat(rights, ignore_index=True)
    for path, numbers in ((arguments.histogram, left), (arguments.output, right)):
        with atomic_path(path) as temporary:
            numbers.to_csv(temporary, index=False, float_format="%.6g")
    rows = comparison_rows(compared, ensemble, about["data"])
    write_table(arguments.comparison, arguments.privacy, rows, key=("dataset", "comparison", "at"))
    with figure(1, 2, width=3.9, height=3.3) as (drawn, (bars, lines)):
        draw_counts(drawn, bars, left.groupby("from_percent", as_index=False).mean(numeric_only=True), settings)
        draw_costs(lines, right)
        save(drawn, arguments.png, arguments.pdf)


def draw_counts(drawn: plt.Figure, axis: plt.Axes, numbers: pd.DataFrame, settings: dict) -> None:
    """Bars of answers by consensus with the cost of one answer on an axis of its own, and the figure's legend."""
    styles = dict(zip(NAMES, plt.rcParams["axes.prop_cycle"], strict=False))
    middle = (numbers["from_percent"] + numbers["to_percent"]) / 2
    width = 100 / len(middle)
    for step, (role, style) in enumerate(styles.items()):
        shift = (step - (len(styles) - 1) / 2) * 0.28 * width
        axis.bar(middle + shift, numbers[role], 0.26 * width, color=style["color"], label=NAMES[role])
    axis.set_xlabel("teachers that agree, %")
    axis.set_ylabel("queries answered (expected)")
    cost = axis.twinx()
    cost.plot(middle, numbers["cost_of_answer"], "ko", ms=4, label="cost of one answer")
    cost.set_yscale("log")
    cost.set_ylabel(f"Rényi cost of one answer, order {settings['order']:g}")
    cost.grid(False)
    cost.spines["right"].set_visible(True)
    bars, labels = axis.get_legend_handles_labels()
    dots, names = cost.get_legend_handles_labels()
    shade = plt.Rectangle((0, 0), 1, 1, color="0.6", lw=0)
    labels += [*names, f"part of selecting, {NAMES['aggressive']}"]
    drawn.legend([*bars, *dots, shade], labels, loc="outside lower center", ncols=3)


def draw_costs(axis: plt.Axes, numbers: pd.DataFrame) -> None:
    """Epsilon against answers, the mean over the draws, and the part that selection takes."""
    styles = dict(zip(NAMES, plt.rcParams["axes.prop_cycle"], strict=False))
    for role, style in styles.items():
        line = numbers[numbers["series"] == role].groupby("queries").mean(numeric_only=True)
        axis.plot(line["answered"], line["epsilon"], label=NAMES[role], **style)
        if role == "aggressive":
            axis.fill_between(line["answered"], line["selection_part"], color="0.6", lw=0, zorder=0)
    axis.set_xlabel("queries answered (expected)")
    axis.set_ylabel(r"$\varepsilon$")
    axis.set_xlim(left=0)
    axis.set_ylim(bottom=0)


if __name__ == "__main__":
    cli.run(main)
