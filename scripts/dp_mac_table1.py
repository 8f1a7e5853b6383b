"""Table 1 of DP-MAC: accuracy of classifiers (a), or error of autoencoders (b), with what each training cost."""

import argparse

from lib.dp_mac.curves import Level, below_first_thresholds, level_row, read_levels
from lib.reporting.records import read_record
from lib.reporting.results import data_name
from lib.reporting.tables import write_table
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", nargs="+", required=True, help="records of the curves, their .csv beside them")
    parser.add_argument("--references", nargs="*", default=[], help="records of reference_lines")
    parser.add_argument("--output", required=True, help="the table, .csv")
    parser.add_argument("--privacy", required=True, help="the meaning of its epsilons, .csv")
    return parser.parse_args(argv)


def row_of(level: Level) -> dict:
    """One row."""
    test, test_spread = level.final(f"test_{level.measure}")
    train, train_spread = level.final(f"train_{level.measure}")
    row = level_row(level) | {
        "epochs": level.points["epoch"].max(),
        f"test_{level.measure}": test,
        f"test_{level.measure}_spread": test_spread,
        f"train_{level.measure}": train,
        f"train_{level.measure}_spread": train_spread,
    }
    if level.measure == "error":
        row["test_error_half"] = test / 2  # the scale of eq. (1)
    return row | {
        "learned_below_first": below_first_thresholds(level) if level.thresholds else None,
        "seeds": level.repetitions,
        "stands_for": level.series["stands_for"],
        "protocol": level.series["protocol"],
        "data": level.data,
        "run": level.name,
        "sanitized": False,
    }


def reference_rows(path: str, like: dict) -> list[dict]:
    """Rows of the mean image and of principal components, with the columns of `like`."""
    record = read_record(path)
    series, metrics = record["parameters"]["series"], record["private_metrics"]
    names = {"mean image": "mean_image_error", f"PCA {record['parameters']['components']}": "pca_error"}
    return [
        dict.fromkeys(like)
        | {name: series[name] for name in ("stands_for", "protocol")}
        | {"dataset": series["label"], "method": method, "variant": "main", "noise": "none", "run": "reference_lines"}
        | {"test_error": metrics[name], "test_error_half": metrics[name] / 2, "seeds": 0, "data": data_name(record)}
        | {"sanitized": False}
        for method, name in names.items()
    ]


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    arguments = parse_arguments(argv)
    rows = [row_of(level) for level in read_levels(arguments.records)]
    rows += [row for path in arguments.references for row in reference_rows(path, rows[0])]
    write_table(
        arguments.output,
        arguments.privacy,
        rows,
        key=("dataset", "method", "variant", "noise", "paper_epsilon"),
    )


if __name__ == "__main__":
    cli.run(main)
