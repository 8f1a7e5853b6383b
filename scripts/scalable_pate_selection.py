"""What the noisy check is worth: which queries it selects, what selecting costs, and students with and without it."""

import argparse

from lib.reporting.results import by_job, data_name, numbers, statement
from lib.reporting.tables import write_table
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    cli.add_json(parser, "--runs", "a list of runs, each with its name and its ensemble's block under ensemble")
    parser.add_argument("--records", nargs="+", required=True, help="records of these runs, of every stage")
    parser.add_argument("--output", required=True, help="the table, .csv")
    parser.add_argument("--privacy", required=True, help="the meaning of its epsilons, .csv")
    return parser.parse_args(argv)


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
    return columns | {
        "seeds": len(inspected),
        "sanitized": False,
        "data": data_name(inspected[0]),
        "stands_for": ensemble.get("stands_for", ensemble["label"]),
        "protocol": ensemble["protocol"],
    }


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    arguments = parse_arguments(argv)
    records = by_job(arguments.records)
    write_table(
        arguments.output, arguments.privacy, [row(run, records) for run in arguments.runs], key=("dataset", "run")
    )


if __name__ == "__main__":
    cli.run(main)
