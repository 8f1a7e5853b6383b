"""Tabulate the noisy check: which queries it selects, what selecting costs, and students with and without it."""

from pathlib import Path

from lib.core.command import command, run
from lib.reporting.results import by_job, data_name, numbers, statement
from lib.reporting.spread import held_out_error, joint_spread
from lib.reporting.tables import write_table


def row(run: dict, records: dict) -> dict:
    """One row; the accuracies are of the plurality on each query, and of students in percent."""
    name, ensemble = run["name"], run["ensemble"]
    inspected, accounts = records["inspect_selection", name], records["account", name]
    epsilon, epsilon_spread = statement(accounts, "epsilon")
    columns = {
        "dataset": ensemble["label"],
        "run": name,
        "aggregator": run["aggregator"],
        "queries_made": numbers(inspected, "queries_made")[0],
        "queries_of_last_round": run["queries"],
        "epsilon": epsilon,
        "epsilon_spread": epsilon_spread,
        "delta": run["delta"],
    }
    measures = [(inspected, "queries_answered", False)]
    measures += [
        (inspected, measure, True)
        for measure in (
            "selection_share",
            "selection_alone_share",
            "first_round_share",
            "plurality_accuracy_answered",
            "plurality_accuracy_unanswered",
        )
    ]
    for found, measure, private in measures:
        columns[measure], columns[f"{measure}_spread"] = numbers(found, measure, private)
    students, controls = (records.get((job, name), []) for job in ("train_student", "train_noiseless_student"))
    for column, found in (("student_accuracy", students), ("student_accuracy_noiseless", controls)):
        private = found is controls
        columns[column], columns[f"{column}_spread"] = numbers(found, "student_accuracy", private)
        columns[f"{column}_held_out_error"] = held_out_error(columns[column], ensemble.get("test"))
        columns[f"{column}_seeds"] = len(found)
        columns[f"{column}_protocol"] = run.get("student_protocol", ensemble["protocol"])
    # of two rounds, what each costs by itself, and both by adding these up
    for column in ("epsilon_first_round", "epsilon_last_round", "epsilon_rounds_added"):
        columns[column], columns[f"{column}_spread"] = statement(accounts, column)
    return columns | {
        "seeds": len(inspected),
        "sanitized": False,
        "data": data_name(inspected[0]),
        "stands_for": ensemble.get("stands_for", ensemble["label"]),
        "protocol": ensemble["protocol"],
    }


def gain(both: dict, first: dict | None) -> dict:
    """By how much a student of two rounds is more accurate than that of the first alone; empty where one is missing."""
    name = "student_accuracy"
    if first is None or first.get(name) is None or both.get(name) is None:
        return {"second_round_gain": None, "second_round_gain_spread": None, "second_round_gain_seeds": 0}
    return {
        "second_round_gain": both[name] - first[name],
        "second_round_gain_spread": joint_spread([each.get(f"{name}_spread") for each in (both, first)]),
        "second_round_gain_seeds": min(each[f"{name}_seeds"] for each in (both, first)),
    }


@command
def main(runs: list, records: list[Path], table: Path, privacy: Path) -> None:
    """Write the table.

    runs: the blocks of the runs, each with its name and its ensemble's block under ensemble. records: records of these
    runs, of every stage. table: the table, .csv. privacy: the meaning of its epsilons, .csv.
    """
    found = by_job(records)
    rows = {block["name"]: row(block, found) for block in runs}
    firsts = [rows.get(block.get("first_round")) for block in runs]
    whole = [both | gain(both, first) for both, first in zip(rows.values(), firsts, strict=True)]
    write_table(table, privacy, whole, key=("dataset", "run"))


if __name__ == "__main__":
    run(main)
