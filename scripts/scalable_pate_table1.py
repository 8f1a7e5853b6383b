"""Table 1 of Scalable PATE: queries, epsilon and accuracy of each aggregator on each dataset."""

from pathlib import Path

import numpy as np

from lib.core.command import command, run
from lib.reporting.claims.loading import load_claims
from lib.reporting.results import by_job, data_name, numbers, statement
from lib.reporting.spread import held_out_error, joint_spread, mean_and_spread
from lib.reporting.tables import write_table
from pate_accountant.announced import announced


def row(run: dict, records: dict, papers: dict[str, float], epsilon_name: str, aggregator: str) -> dict:
    """One row; `epsilon_name` is the statement that the paper's column holds."""
    name, ensemble = run["name"], run["ensemble"]
    accounts, realised = records["account", name], records["aggregate", name]
    students = records.get(("train_student", name), [])
    baselines = records.get(("train_baseline", ensemble["name"], run["baseline"]), [])
    answered, answered_spread = numbers(accounts, "queries_answered", private=True)
    epsilon, epsilon_spread = statement(accounts, epsilon_name)
    student, student_spread = numbers(students, "student_accuracy")
    baseline, baseline_spread = numbers(baselines, "baseline_accuracy", private=True)
    asked, asked_spread = numbers(realised, "queries_answered")
    labelled, labelled_spread = mean_and_spread(
        [record["metrics"]["queries_answered"] + record["metrics"]["queries_reinforced"] for record in realised]
    )
    spent, spent_spread = statement(realised, "dependent")
    independent, independent_spread = statement(accounts, "epsilon_data_independent")
    paper = {key: papers[identifier] for key, identifier in run["claims"].items()}
    made = float(np.mean([account["metrics"]["queries_made"] for account in accounts]))
    by_orders = epsilon_name == "epsilon"
    spreads = student_spread, baseline_spread
    errors = [held_out_error(student, ensemble.get("test")), held_out_error(baseline, run.get("baseline_test"))]
    protocols = [
        block.get(f"{who}_protocol", ensemble["protocol"]) for who, block in (("student", run), ("baseline", ensemble))
    ]
    weaker = next((protocol for protocol in protocols if protocol != "paper"), "paper")
    return {
        "dataset": ensemble["label"],
        "aggregator": aggregator,
        "queries_made": made,
        "queries_answered": answered,
        "epsilon": epsilon,
        "delta": run["delta"],
        "student_accuracy": student,
        "baseline_accuracy": baseline,
        "data": data_name(accounts[0]),
        "paper_queries_answered": paper.get("queries_answered"),
        "paper_epsilon": paper.get("epsilon"),
        "paper_student_accuracy": paper.get("student_accuracy"),
        # what makes the row readable, and comparable with the paper's
        "run": name,
        "stands_for": ensemble.get("stands_for", ensemble["label"]),
        "protocol": ensemble["protocol"],
        "seeds": len(accounts) if len(accounts) > 1 else 0,  # one set of votes: nothing in the accounting is random
        "queries_answered_spread": answered_spread,
        "queries_not_answered": None if answered is None else made - answered,
        "queries_not_answered_spread": answered_spread,
        "epsilon_spread": epsilon_spread,
        "student_accuracy_spread": student_spread,
        "student_accuracy_held_out_error": errors[0],
        "student_accuracy_seeds": len(students),
        "student_accuracy_protocol": protocols[0],
        "baseline_accuracy_spread": baseline_spread,
        "baseline_accuracy_held_out_error": errors[1],
        "baseline_accuracy_seeds": len(baselines),
        "baseline_accuracy_protocol": protocols[1],
        "accuracy_gap": None if student is None or baseline is None else baseline - student,
        "accuracy_gap_spread": joint_spread(spreads),
        "accuracy_gap_held_out_error": joint_spread(errors),
        "accuracy_gap_seeds": min(len(students), len(baselines)),
        "accuracy_gap_protocol": weaker,
        "laplace_scale": run.get("laplace_scale"),
        "order": numbers(accounts, "order_epsilon", private=True)[0] if by_orders else None,
        # other readings of the same run
        "epsilon_tight": statement(accounts, "epsilon_tight")[0] if by_orders else None,
        "epsilon_data_independent": independent,
        "epsilon_data_independent_spread": independent_spread,
        "epsilon_two_sided": statement(accounts, "epsilon_two_sided")[0],
        "epsilon_labels_scale": statement(accounts, "epsilon_labels_scale")[0] if by_orders else None,
        # proved bounds, and guarantees
        "epsilon_joint": statement(accounts, "epsilon_joint")[0],
        "epsilon_charge_all": statement(accounts, "epsilon_charge_all")[0],
        "epsilon_charge_all_two_sided": statement(accounts, "epsilon_charge_all_two_sided")[0],
        "epsilon_caps": statement(accounts, "epsilon_caps")[0],
        "epsilon_advanced_composition": statement(accounts, "epsilon_advanced_composition")[0],
        # an account is of all queries that the run may ask, a public number; a real run may stop before
        "epsilon_announced": announced(run, int(made)),
        "max_answered": run.get("max_answered"),
        # real runs, one a repetition
        "queries_answered_realised": asked,
        "queries_answered_realised_spread": asked_spread,
        "queries_reinforced": numbers(realised, "queries_reinforced")[0],
        "queries_labelled": labelled,
        "queries_labelled_spread": labelled_spread,
        "queries_labelled_seeds": len(realised),
        "epsilon_realised": spent,
        "epsilon_realised_spread": spent_spread,
        "epsilon_realised_data_independent": statement(realised, "independent")[0],
        "label_accuracy": numbers(students, "label_accuracy")[0],
        "realised_runs": len(realised),
    }


@command
def main(runs: list, records: list[Path], claims: list[Path], table: Path, privacy: Path) -> None:
    """Write the table; LNMax has a row by the paper's moments and one over all orders.

    runs: the blocks of the runs, each with its name and its ensemble's block under ensemble, and, unless the paper
    reports on the same, the number of samples that test its baseline under baseline_test. records: records of these
    runs, of every stage. claims: claims.csv and checks.csv, for the paper's numbers. table: the table, .csv. privacy:
    the meaning of its epsilons, .csv.
    """
    found = by_job(records)
    papers = {claim["id"]: float(claim["value"]) for claim in load_claims(*claims) if _is_number(claim)}
    rows = []
    for block in runs:
        if block["aggregator"] == "lnmax":
            rows.append(row(block, found, papers, "epsilon_moments", f"lnmax_{block['moments']}_moments"))
        rows.append(row(block, found, papers, "epsilon", block["aggregator"]))
    write_table(table, privacy, rows, key=("dataset", "aggregator", "queries_made"))


def _is_number(claim: dict[str, str]) -> bool:
    try:
        float(claim["value"])
    except ValueError:
        return False
    return True


if __name__ == "__main__":
    run(main)
