"""Print how many claims of each paper hold, by what they were tried on: python -m scripts.show_verdicts CLAIMS.csv"""

import argparse
import csv
from collections import Counter
from pathlib import Path

from lib.core.command import run
from lib.core.files import reading


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("claims", type=Path, help="claims.csv of a preset")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Print a row a paper and grade of evidence; what is not testable is left out."""
    path = parse_arguments(argv).claims
    with reading(path, "CSV"), path.open(encoding="utf-8", newline="") as stream:
        found = [row for row in csv.DictReader(stream) if row["grade"] != "not testable"]
    judgements = ("holds", "fails", "undecided", "not judged")
    counts = Counter((row["paper"], row["grade"] or "none", row["judgement"]) for row in found)
    print(f"{'paper':<22} {'evidence':<10} " + " ".join(f"{name:>10}" for name in judgements))
    for paper, grade in dict.fromkeys(key[:2] for key in sorted(counts)):
        print(f"{paper:<22} {grade:<10} " + " ".join(f"{counts[paper, grade, name]:>10}" for name in judgements))


if __name__ == "__main__":
    run(main)
