"""A table of residual perturbation: attack, training and test accuracy of some methods on one task."""

from pathlib import Path

from lib.attacks.summary import Attacked, only, read_attacked, summary_row
from lib.core.command import command, run
from lib.reporting.records import read_record
from lib.reporting.tables import write_table, yes_no

BASELINE = "DP-SGD"
COMPARABLE = 0.006  # by which the paper's tables have areas differ that it calls as good


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


@command
def main(
    records: list[Path],
    control: Path,
    draws: Path,
    tasks: dict,
    methods: dict,
    rows: list,
    table: Path,
    privacy: Path,
) -> None:
    """Write the table.

    records: records of attacks; scores and curves lie beside them. control: record of the attack on what was learned by
    heart. draws: record of draw_task. tasks, methods: what is said of each, by name. rows: title of the method, noise
    coefficient and members of each. table: the .csv to write. privacy: the .csv of what its epsilons mean to write.
    """
    (learned,) = read_attacked([control], tasks, methods)
    negative = read_record(draws)["private_metrics"].get("all_negative_accuracy")
    shown = rows_of(read_attacked(records, tasks, methods), rows, learned, negative)
    write_table(table, privacy, shown, key=("dataset", "method", "gamma", "members", "attack"))


if __name__ == "__main__":
    run(main)
