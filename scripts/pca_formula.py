"""The error formula of principal components under noise, beside errors with noise drawn (both papers of Fay et al.)."""

from pathlib import Path

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting.sweeps import averaged, read_sweeps


@command
def main(sweeps: list[Path], tasks: list, key: list[str], table: Path) -> None:
    """Write the table.

    sweeps: errors of each task and repetition, .csv. tasks: the tasks' blocks of the configuration, one for each of the
    sweeps. key: columns that tell the rows of one sweep apart. table: the table to write, .csv.
    """
    rows = averaged(read_sweeps(sweeps, tasks), key)
    if "below_rank" in rows:
        rows["below_rank"] = rows["below_rank"].map({1.0: "yes"}).fillna("no")  # in every repetition
    with atomic_path(table) as temporary:
        rows.to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    run(main)
