"""A table of residual perturbation: attack, training and test accuracy of some methods on one task."""

import argparse

from lib.attacks.summary import Attacked, only, read_attacked, summary_row
from lib.reporting.records import read_record
from lib.reporting.tables import write_table, yes_no
from scripts import cli

BASELINE = "DP-SGD"
COMPARABLE = 0.006  # by which the paper's tables have areas differ that it calls as good


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", nargs="+", required=True, help="records of attacks; scores and curves beside them")
    parser.add_argument("--control", required=True, help="the record of the attack on what was learned by heart")
    parser.add_argument("--draws", required=True, help="the record of draw_task")
    cli.add_json(parser, "--rows", "the rows: [title of the method, noise coefficient, members]")
    parser.add_argument("--output", required=True, help="the table, .csv")
    parser.add_argument("--privacy", required=True, help="the meaning of its epsilons, .csv")
    return parser.parse_args(argv)


def rows_of(found: list[Attacked], wanted: list[list], control: Attacked, negative: float | None) -> list[dict]:
    """A row for each of `wanted` and each attack, beside the baseline by the same attack.

    `comparable`: whether an area is at most COMPARABLE above the baseline's; empty where there is nothing to compare.
    """
    rows = []
    for title, gamma, members in wanted:
        attacked = only(found, title=title, gamma=gamma)
        for attack in attacked.attacks:
            row = summary_row(attacked, members, attack, control)
            skip = yes_no(attacked.method.get("skip", True))
            rows.append(row | {"skip": skip, "all_negative_accuracy": negative})
    for row in rows:
        beside = [r for r in rows if (r["method"], r["attack"]) == (BASELINE, row["attack"])]
        compared = beside[0] if beside and row["gamma"] > 0 else {}
        for column in ("auc", "auc_spread", "test_accuracy", "test_accuracy_spread", "attacker_works"):
            row[f"baseline_{column}"] = compared.get(column)
        row["comparable"] = yes_no(row["auc"] <= compared["auc"] + COMPARABLE) if compared else None
    return rows


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    arguments = parse_arguments(argv)
    (control,) = read_attacked([arguments.control])
    negative = read_record(arguments.draws)["private_metrics"].get("all_negative_accuracy")
    rows = rows_of(read_attacked(arguments.records), arguments.rows, control, negative)
    write_table(arguments.output, arguments.privacy, rows, key=("dataset", "method", "gamma", "members", "attack"))


if __name__ == "__main__":
    cli.run(main)
