"""The error formula of principal components under noise, beside errors with noise drawn (both papers of Fay et al.)."""

import argparse

from lib.core.files import atomic_path
from lib.reporting.sweeps import averaged, read_sweeps
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweeps", nargs="+", required=True, help="errors of each task and repetition, .csv")
    cli.add_json(parser, "--tasks", "the tasks' blocks of the configuration, one for each of --sweeps")
    parser.add_argument("--key", nargs="+", required=True, help="columns that tell the rows of one sweep apart")
    parser.add_argument("--output", required=True, help="the table, .csv")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    arguments = parse_arguments(argv)
    table = averaged(read_sweeps(arguments.sweeps, arguments.tasks), arguments.key)
    if "below_rank" in table:
        table["below_rank"] = table["below_rank"].map({1.0: "yes"}).fillna("no")  # in every repetition
    with atomic_path(arguments.output) as temporary:
        table.to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    cli.run(main)
