"""Students of compressed PATE on volumes of another collection: means over repetitions."""

from pathlib import Path

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting.sweeps import averaged, read_sweeps


@command
def main(sweeps: list[Path], volumes: str, stands_for: str, table: Path) -> None:
    """Write the table.

    sweeps: a table of each repetition, .csv. volumes: name of the other volumes. stands_for: name of the paper's
    dataset. table: the table to write, .csv.
    """
    task = {"label": volumes, "stands_for": stands_for, "volumes": volumes}
    task["protocol"] = "reduced"
    rows = averaged(read_sweeps(sweeps, [task] * len(sweeps)), ["what"])
    with atomic_path(table) as temporary:
        rows.to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    run(main)
