"""Figure 1 of Scalable PATE: accuracy of students, epsilon against answers, and the consensus behind the answers."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import load_arrays
from lib.pate.queries import read_queries
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.reporting.comparisons import comparison_rows, equal_answers
from lib.reporting.records import read_record
from lib.reporting.results import by_job, data_name, numbers, statement
from lib.reporting.spread import held_out_error
from lib.reporting.tables import write_numbers, write_table
from pate_accountant import consensus

# what the paper prints of the left panel and of the middle one
DATA_FILES = ("../published/scalable_pate_fig1_left.csv", "../published/scalable_pate_fig1_comparison.csv")
FEW = 20  # points of a curve that are marked, because what lies between them is not computed
NAMES = {"lnmax": "LNMax", "confident_gnmax": "Confident-GNMax"}
STUDENTS = {
    "random_forest": ("random forest", "o"),
    "vat": ("VAT", "^"),
    "vat_dense": ("fully connected VAT", "v"),
    "gan": ("GAN", "s"),
}


def student_row(run: dict, records: dict) -> dict:
    """One point of the left panel."""
    name, ensemble = run["name"], run["ensemble"]
    accounts, students = records["account", name], records["train_student", name]
    answered, answered_spread = numbers(records["aggregate", name], "queries_answered")
    accuracy, accuracy_spread = numbers(students, "student_accuracy")
    epsilon, epsilon_spread = statement(accounts, "epsilon")
    return {
        "dataset": ensemble["label"],
        "aggregator": run["aggregator"],
        "student": run["student_kind"],
        "queries_made": numbers(accounts, "queries_made")[0],
        "queries_answered": answered,
        "queries_answered_spread": answered_spread,
        "student_accuracy": accuracy,
        "student_accuracy_spread": accuracy_spread,
        "student_accuracy_held_out_error": held_out_error(accuracy, ensemble.get("test")),
        "label_accuracy": numbers(students, "label_accuracy")[0],
        "seeds": len(students),
        "epsilon": epsilon,
        "epsilon_spread": epsilon_spread,
        "epsilon_seeds": len(accounts) if len(accounts) > 1 else 0,
        "delta": run["delta"],
        "data": data_name(accounts[0]),
        "run": name,
        "stands_for": ensemble.get("stands_for", ensemble["label"]),
        "protocol": run.get("student_protocol", ensemble["protocol"]),
    }


def read_curves(records: list[Path], curves: list[Path]) -> pd.DataFrame:
    """Middle panel: epsilon against expected answers, with what it means, of each mechanism and draw."""
    parts = []
    for record_path, curve_path in zip(records, curves, strict=True):
        record, curve = read_record(record_path), load_arrays(curve_path, "queries", "answered", "epsilon")
        meaning = record["privacy"]["epsilon"].as_dict()
        del meaning["epsilon"]
        columns = {"aggregator": record["parameters"]["aggregator"], "votes": int(record["job"][-1]), **curve}
        parts.append(pd.DataFrame(columns | meaning | {"data": data_name(record)}))
    return pd.concat(parts, ignore_index=True)


def read_histogram(path: Path, teachers: int, settings: dict) -> tuple[pd.DataFrame, dict]:
    """Right panel: queries and expected answers by consensus; and the comparison of those without one."""
    run = settings["selection"]
    votes, _, _ = read_queries(path, teachers, run | {"queries": settings["queries"]})
    edges = np.linspace(0, 100, settings["bins"] + 1)
    columns = {"from_percent": edges[:-1], "to_percent": edges[1:]}
    columns["lnmax"] = consensus.histogram(votes, np.ones(len(votes)), settings["bins"])
    columns["confident_gnmax"] = consensus.histogram(votes, consensus.answer_chances(votes, run), settings["bins"])
    low: dict[str, Any] = {"comparison": "confident_and_lnmax_low_consensus"}
    low |= {"at": f"answers with a plurality below {consensus.LOW_CONSENSUS} %"}
    low |= {
        "value": consensus.low_consensus_answered(votes, run),
        "other_value": consensus.low_consensus_answered(votes, {"aggregator": "lnmax"}),
    }
    return pd.DataFrame(columns), low


def compare(curves: pd.DataFrame) -> list[dict]:
    """Epsilon of both mechanisms at equal numbers of answers, for one draw; value: the one as a part of the other."""
    lines = {name: curves[curves["aggregator"] == name] for name in ("confident_gnmax", "lnmax")}
    at, (own, other) = equal_answers([(line["answered"], line["epsilon"]) for line in lines.values()], 6)
    return [
        {"comparison": "confident_and_lnmax", "at": f"{i + 1} of {len(at)} parts of the answers", "answers": answers}
        | {"epsilon": own[i], "other_epsilon": other[i], "value": own[i] / other[i]}
        | {"statement": lines["confident_gnmax"].iloc[0], "other_statement": lines["lnmax"].iloc[0]}
        for i, answers in enumerate(at)
    ]


@command
def main(
    runs: list,
    records: list[Path],
    curve_records: list[Path],
    curves: list[Path],
    votes: list[Path],
    figure: dict,
    numbers: Path,
    privacy: Path,
    epsilon: Path,
    histogram: Path,
    comparison: Path,
    comparison_privacy: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the figure, its numbers, and what its claims compare.

    runs: the blocks of the runs with students, each with its name and its ensemble's block under ensemble. records:
    records of these runs: account, aggregate, student. curve_records: records of account of the two curves. curves: the
    curves, in the same order. votes: vote histograms of count_votes, a file a draw. figure: the figure's block, with
    the run of the right panel in place of its name. numbers: the numbers
    behind the left panel, .csv. privacy: the meaning of their epsilons, .csv. epsilon: the numbers behind the
    middle panel, .csv. histogram: the numbers behind the right panel, .csv. comparison: what its claims compare, .csv.
    comparison_privacy: the meaning of the epsilons compared, .csv. png: the figure. pdf: the figure.
    """
    found = by_job(records)
    rows = [student_row(run, found) for run in runs]
    write_table(numbers, privacy, rows, key=("dataset", "aggregator", "student", "queries_made"))
    lines = read_curves(curve_records, curves)
    ensemble = runs[0]["ensemble"]
    bars, compared = [], []
    for number, path in enumerate(votes, start=1):
        bar, low = read_histogram(path, ensemble["teachers"], figure)
        bars.append(bar.assign(votes=number))
        compared.append([low, *compare(lines[lines["votes"] == np.unique(lines["votes"])[number - 1]])])
    compared_rows = comparison_rows(compared, ensemble, rows[0]["data"])
    write_table(comparison, comparison_privacy, compared_rows, key=("dataset", "comparison", "at"))
    histograms = pd.concat(bars, ignore_index=True).assign(data=rows[0]["data"], sanitized=False)
    for path, frame in ((epsilon, lines), (histogram, histograms)):
        write_numbers(path, frame)
    draw(read_table(numbers), read_table(epsilon), read_table(histogram), png, pdf)


def draw(table: pd.DataFrame, epsilon: pd.DataFrame, histogram: pd.DataFrame, *paths: Path) -> None:
    """Students of the table, and the tables of that name beside it; a panel each."""
    with plotting.figure(1, 3, height=3.8) as (drawn, axes):
        draw_students(axes[0], table)
        draw_epsilon(axes[1], epsilon, table["stands_for"].iloc[0])
        draw_consensus(axes[2], histogram.groupby("from_percent", as_index=False).mean(numeric_only=True))
        plotting.legend(drawn, axes, columns=2)
        plotting.save(drawn, *paths)


def draw_students(axis: plt.Axes, students: pd.DataFrame) -> None:
    """Students by mechanism (colour) and kind (marker) with their spread; nothing joins them; the paper's points."""
    for name, looks in plotting.looks(NAMES).items():
        own = students[students["aggregator"] == name]
        for kind, (label, marker) in STUDENTS.items():
            line = own[own["student"] == kind]
            if len(line):
                axis.errorbar(
                    line["queries_answered"],
                    line["student_accuracy"],
                    yerr=line["student_accuracy_spread"].fillna(0.0),
                    marker=marker,
                    ms=5,
                    capsize=2,
                    label=f"{NAMES[name]}, {label} students",
                    **(looks | {"linestyle": "none"}),
                )
    of = students["stands_for"].iloc[0]
    points = read_table(Path(__file__).parent / DATA_FILES[0])
    points = points[points["dataset"] == of]
    for name, looks in plotting.looks(NAMES).items():
        line = points[points["series"] == NAMES[name]]
        if len(line):
            x, y = line["queries_answered"], line["student_test_accuracy_percent"]
            axis.plot(x, y, lw=1, label=f"{NAMES[name]}, the paper on {of}", **looks)
    axis.set(title=f"{students['dataset'].iloc[0]}: students", xlabel="queries answered", ylabel="test accuracy, %")
    axis.set_xlim(left=0)
    plotting.counts(axis)


def draw_epsilon(axis: plt.Axes, curves: pd.DataFrame, of: str) -> None:
    """Epsilon against answers, the mean over the draws; and what the paper prints of the dataset `of`."""
    for name, looks in plotting.looks(NAMES).items():
        line = curves[curves["aggregator"] == name].groupby("queries")[["answered", "epsilon"]].mean()
        label = f"{NAMES[name]}, $\\varepsilon$ here"
        axis.plot(line["answered"], line["epsilon"], marker="." if len(line) < FEW else "", label=label, **looks)
    printed = read_table(Path(__file__).parent / DATA_FILES[1])
    for row in printed[printed["dataset"] == of].to_dict("records"):
        answers = [float(row["at"].split()[0])]
        for name, column in zip(NAMES, ("other_epsilon", "epsilon"), strict=True):
            label = f"{NAMES[name]}, $\\varepsilon$ in the paper on {of}"
            plotting.paper(axis, answers, [row[column]], label, color=plotting.looks(NAMES)[name]["color"])
    axis.set(title="privacy", xlabel="queries answered (expected)")
    axis.set_ylabel(f"{plotting.epsilon_at(curves['delta'].iloc[0])}, data-dependent")
    axis.set_xlim(left=0)
    axis.set_ylim(bottom=0)
    plotting.counts(axis)


def draw_consensus(axis: plt.Axes, numbers_by_bin: pd.DataFrame) -> None:
    """Bars of answers by the teachers' consensus."""
    middle = (numbers_by_bin["from_percent"] + numbers_by_bin["to_percent"]) / 2
    width = 100 / len(middle)
    for step, (name, looks) in enumerate(plotting.looks(NAMES).items()):
        place, look = middle + (step - 0.5) * 0.42 * width, {"color": looks["color"]}
        axis.bar(place, numbers_by_bin[name], 0.4 * width, label=f"{NAMES[name]}, answers by consensus", **look)
    axis.set(title="answers by consensus", xlabel="teachers that agree, %", ylabel="queries answered (expected)")


if __name__ == "__main__":
    run(main)
