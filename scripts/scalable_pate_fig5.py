"""Figure 5 of Scalable PATE: what the noisy check selects (left), and what selecting and answering cost (right)."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import LogLocator

from lib.core.command import command, run
from lib.pate.aggregators import account_of
from lib.pate.queries import read_queries
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.reporting.comparisons import comparison_rows, equal_answers
from lib.reporting.tables import write_numbers, write_table
from pate_accountant import consensus, threshold
from pate_accountant.rdp import order_grid

# a cost below this is no cost: 10,000 such answers add less than a millionth
NEGLIGIBLE = 1e-10
NAMES = {
    "lnmax": "LNMax (answers all)",
    "moderate": "Confident-GNMax, moderate",
    "aggressive": "Confident-GNMax, aggressive",
}


def counts(path: Path, teachers: int, settings: dict) -> pd.DataFrame:
    """Left panel: queries and expected answers in each bin of the plurality's share, and the cost of one answer."""
    edges = np.linspace(0, 100, settings["bins"] + 1)
    columns = {"from_percent": edges[:-1], "to_percent": edges[1:]}
    for role in NAMES:
        run = settings["runs"][role]
        votes, _, _ = read_queries(path, teachers, run | {"queries": settings["queries"]})
        if role == "moderate":
            columns["cost_of_answer"] = consensus.cost_by_share(
                votes, run["sigma"], settings["order"], settings["bins"]
            )
        columns[role] = consensus.histogram(votes, consensus.answer_chances(votes, run), settings["bins"])
    return pd.DataFrame(columns)


def costs(path: Path, teachers: int, settings: dict, accounting: dict) -> pd.DataFrame:
    """Right panel: epsilon against answered queries, and the part of it that selection costs."""
    orders = order_grid(**accounting["orders"])
    parts = []
    for role in NAMES:
        run = settings["runs"][role]
        votes, _, _ = read_queries(path, teachers, run)
        account = account_of(orders, [(votes, run, None)], accounting["moments"])
        reading = account.readings["epsilon"]
        checks = np.zeros_like(reading.costs)
        if run["aggregator"] == "confident_gnmax":
            checks = threshold.rdp(orders, votes.max(axis=1), run["threshold"], run["sigma_threshold"])
        lengths = np.unique(np.linspace(1, len(votes), accounting["curve_points"]).round().astype(int))
        epsilon, selection = consensus.part_of_epsilon(orders, checks, reading.costs - checks, run["delta"], lengths)
        meaning = reading.state(float(epsilon[-1]), run["delta"], "rdp", "classic").as_dict()
        del meaning["epsilon"]
        answered = np.cumsum(account.answered)[lengths - 1]
        columns = {"queries": lengths, "answered": answered, "epsilon": epsilon, "selection_part": selection}
        parts.append(pd.DataFrame({"series": role, **columns, **meaning}))
    return pd.concat(parts, ignore_index=True)


def compare(left: pd.DataFrame, right: pd.DataFrame, low: dict[str, float], passed: dict[str, float]) -> list[dict]:
    """Each comparison of one draw: cost of an answer by consensus, queries without consensus, epsilon per answer.

    low: percent of each role's answers without consensus. passed: percent of such queries that it answers.
    """
    occupied = left["cost_of_answer"].dropna()
    rows = [
        {"comparison": "highest_and_lowest_consensus", "at": "cost of one answer"}
        | {"value": occupied.iloc[-1], "other_value": occupied.iloc[0]}
    ]
    for role in ("moderate", "aggressive"):
        rows.append(
            {
                "comparison": f"{role}_and_lnmax_low_consensus",
                "at": f"answers with a plurality below {consensus.LOW_CONSENSUS} %",
            }
            | {"value": low[role], "other_value": low["lnmax"]}
        )
        rows.append(
            {
                "comparison": f"{role}_and_lnmax_low_consensus_passed",
                "at": f"queries with a plurality below {consensus.LOW_CONSENSUS} %",
            }
            | {"value": passed[role], "other_value": passed["lnmax"]}
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


@command
def main(
    votes: list[Path],
    ensemble: dict,
    figure: dict,
    accounting: dict,
    numbers: Path,
    histogram: Path,
    comparison: Path,
    comparison_privacy: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the figure, its numbers, and what its claims compare.

    votes: vote histograms of count_votes, a file a draw. ensemble: the ensemble's block of the configuration. figure:
    the figure's block: runs by role, bins, queries, order. accounting: that block of the configuration. numbers: the
    numbers behind the right panel, .csv. histogram: the numbers behind the left panel, .csv. comparison: what its
    claims compare, .csv. comparison_privacy: the meaning of the epsilons compared, .csv. png: the figure. pdf: the
    figure.
    """
    teachers = ensemble["teachers"]
    lefts, rights, compared = [], [], []
    for number, path in enumerate(votes, start=1):
        _, _, fingerprint = read_queries(path, teachers, figure["runs"]["lnmax"])
        about: dict[str, Any] = {"votes": number, "data": f"{ensemble['dataset']} ({fingerprint[:12]})"}
        left, right = counts(path, teachers, figure), costs(path, teachers, figure, accounting)
        low, passed = {}, {}
        for role, block in figure["runs"].items():
            shown, _, _ = read_queries(path, teachers, block | {"queries": figure["queries"]})
            low[role] = consensus.low_consensus_answered(shown, block)
            passed[role] = consensus.low_consensus_passed(shown, block)
        compared.append(compare(left, right, low, passed))
        lefts.append(left.assign(order=figure["order"], **about, sanitized=False))
        rights.append(right.assign(**about))
    left, right = pd.concat(lefts, ignore_index=True), pd.concat(rights, ignore_index=True)
    for path, frame in ((histogram, left), (numbers, right)):
        write_numbers(path, frame)
    rows = comparison_rows(compared, ensemble, about["data"])
    write_table(comparison, comparison_privacy, rows, key=("dataset", "comparison", "at"))
    draw(read_table(numbers), read_table(histogram), png, pdf)


def draw(table: pd.DataFrame, histogram: pd.DataFrame, *paths: Path) -> None:
    """Costs of the table (right), and the table of that name beside it (left and middle)."""
    numbers = histogram.groupby("from_percent", as_index=False).mean(numeric_only=True)
    looks = plotting.looks(NAMES)
    with plotting.figure(1, 3, height=3.3) as (drawn, axes):
        draw_counts(axes[0], numbers, looks)
        draw_cost_of_answer(axes[1], numbers)
        draw_costs(axes[2], table, looks)
        plotting.legend(drawn, axes, columns=3)
        plotting.save(drawn, *paths)


def draw_counts(axis: plt.Axes, numbers: pd.DataFrame, looks: dict[str, dict]) -> None:
    """Bars of answers by consensus."""
    middle, width = (numbers["from_percent"] + numbers["to_percent"]) / 2, 100 / len(numbers)
    for step, (role, look) in enumerate(looks.items()):
        shift = (step - (len(looks) - 1) / 2) * 0.28 * width
        axis.bar(middle + shift, numbers[role], 0.26 * width, color=look["color"], label=NAMES[role])
    axis.set(xlabel="teachers that agree, %", ylabel="queries answered (expected)")


def draw_cost_of_answer(axis: plt.Axes, numbers: pd.DataFrame) -> None:
    """The mean cost of one answer by consensus; what is next to nothing lies at the bottom."""
    middle, cost = (numbers["from_percent"] + numbers["to_percent"]) / 2, numbers["cost_of_answer"]
    shown, below = cost >= NEGLIGIBLE, cost < NEGLIGIBLE
    axis.plot(middle[shown], cost[shown], "ko", ms=4, label="cost of one answer")
    if below.any():
        axis.plot(middle[below], np.full(below.sum(), NEGLIGIBLE), "kv", ms=4, label=f"cost below {NEGLIGIBLE:g}")
    axis.set(yscale="log", xlim=(0, 100), xlabel="teachers that agree, %")
    axis.set_ylim(bottom=NEGLIGIBLE / 3)
    axis.yaxis.set_major_locator(LogLocator(numticks=6))
    axis.set_ylabel(f"Rényi cost of an answer, order {numbers['order'].iloc[0]:g}")


def draw_costs(axis: plt.Axes, numbers: pd.DataFrame, looks: dict[str, dict]) -> None:
    """Epsilon against answers, the mean over the draws, and the part that selection takes."""
    for role, look in looks.items():
        line = numbers[numbers["series"] == role].groupby("queries").mean(numeric_only=True)
        axis.plot(line["answered"], line["epsilon"], **look)
        if role == "aggressive":
            label = "part that the checks cost, aggressive"
            axis.fill_between(line["answered"], line["selection_part"], color="0.6", lw=0, zorder=0, label=label)
    axis.set_xlabel("queries answered (expected)")
    axis.set_ylabel(f"{plotting.epsilon_at(numbers['delta'].iloc[0])}, data-dependent")
    axis.set_xlim(left=0)
    axis.set_ylim(bottom=0)
    plotting.counts(axis)


if __name__ == "__main__":
    run(main)
