"""Table 1 of DP-MAC: accuracy of classifiers (a), or error of autoencoders (b), with what each training cost."""

from pathlib import Path

from lib.core.command import command, run
from lib.dp_mac.curves import Level, below_first_thresholds, level_row, read_levels
from lib.reporting.records import read_record
from lib.reporting.results import data_name
from lib.reporting.tables import write_table


def row_of(level: Level) -> dict:
    """One row."""
    test, test_spread = level.final(f"test_{level.measure}")
    train, train_spread = level.final(f"train_{level.measure}")
    row = level_row(level) | {
        "epsilon_seeds": 0,
        "paper_epsilon_seeds": 0,
        "epochs": level.points["epoch"].max(),
        f"test_{level.measure}": test,
        f"test_{level.measure}_spread": test_spread,
        f"train_{level.measure}": train,
        f"train_{level.measure}_spread": train_spread,
    }
    if level.measure == "error" and test is not None:
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


def reference_rows(path: Path, series: dict, like: dict) -> list[dict]:
    """Rows of the mean image and of principal components, with the columns of `like`."""
    record = read_record(path)
    said, metrics = series[record["job"][1]], record["private_metrics"]
    names = {"mean image": "mean_image_error", f"PCA {record['parameters']['components']}": "pca_error"}
    return [
        dict.fromkeys(like)
        | {name: said[name] for name in ("stands_for", "protocol")}
        | {"dataset": said["label"], "method": method, "variant": "main", "noise": "none", "run": "reference_lines"}
        | {"test_error": metrics[name], "test_error_half": metrics[name] / 2, "seeds": 0, "data": data_name(record)}
        | {"sanitized": False}
        for method, name in names.items()
    ]


@command
def main(records: list[Path], series: dict, table: Path, privacy: Path, references: Path | None = None) -> None:
    """Write the table.

    records: records of the curves, whose errors or accuracies by epoch lie beside them. series: what is said of each
    series, by name: label, title, variant, stands_for and protocol. table: the CSV to write. privacy: the meaning of
    its epsilons. references: the record of reference_lines, for autoencoders.
    """
    rows = [row_of(level) for level in read_levels(records, series)]
    if references:
        rows += reference_rows(references, series, rows[0])
    write_table(table, privacy, rows, key=("dataset", "method", "variant", "noise", "paper_epsilon"))


if __name__ == "__main__":
    run(main)
