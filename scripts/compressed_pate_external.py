"""Students of compressed PATE on volumes of another collection: means over repetitions."""

import argparse

from lib.core.files import atomic_path
from lib.reporting.sweeps import averaged, read_sweeps
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweeps", nargs="+", required=True, help="a table of each repetition, .csv")
    parser.add_argument("--volumes", required=True, help="name of the other volumes")
    parser.add_argument("--stands-for", required=True, help="name of the paper's dataset")
    parser.add_argument("--output", required=True, help="the table, .csv")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    arguments = parse_arguments(argv)
    task = {"label": arguments.volumes, "stands_for": arguments.stands_for, "volumes": arguments.volumes}
    task["protocol"] = "reduced"
    table = averaged(read_sweeps(arguments.sweeps, [task] * len(arguments.sweeps)), ["what"])
    with atomic_path(arguments.output) as temporary:
        table.to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    cli.run(main)
