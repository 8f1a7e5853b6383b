"""Count the claims of each paper by evidence and verdict: python -m scripts.show_verdicts CLAIMS.csv"""

import argparse
from pathlib import Path

from lib.core.command import run
from lib.core.errors import InputError
from lib.reporting.claims.cells import read_table
from lib.reporting.claims.ledger import COLUMNS
from lib.reporting.verdicts import headline


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("claims", type=Path, help="claims.csv of a preset")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Print the counts of each paper's claims, and of all, a line each."""
    path = parse_arguments(argv).claims
    found = read_table(path, dtype=str).fillna("")
    if lacking := [name for name in COLUMNS if name not in found]:
        raise InputError(f"{path}: lacks the columns {lacking}; allowed is a claims.csv of a preset")
    for paper, rows in found.groupby("paper"):
        print(f"{paper}: {headline(rows)}")
    print(f"All claims: {headline(found)}")


if __name__ == "__main__":
    run(main)
