"""Print the epsilons of Scalable PATE's Table 1 beside a run's: python -m scripts.show_epsilons results/PRESET"""

import argparse
import math
from pathlib import Path

import pandas as pd

from lib.core.command import run
from lib.reporting.claims.cells import read_table
from lib.reporting.digits import padded
from pate_accountant.rounding import shown

NAMES = {"lnmax_8_moments": "LNMax", "confident_gnmax": "Confident-GNMax"}  # rows with the paper's accounting
PRINTED = "0.00"  # as the paper prints an epsilon
HEADER = ("dataset", "aggregator", "answers", "paper's ε", "ε here", "guaranteed")


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="folder of a preset's results")
    return parser.parse_args(argv)


def rows(table: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return the rows of Table 1 for which the paper prints an epsilon, as texts under HEADER; ours are rounded up."""
    printed = table[table["aggregator"].isin(list(NAMES)) & table["paper_epsilon"].notna()]
    return [
        (
            row.dataset,
            NAMES[row.aggregator],
            f"{row.queries_answered:,.0f}",
            padded(shown(row.paper_epsilon), PRINTED),
            padded(shown(row.epsilon), PRINTED),
            shown(row.epsilon_announced) if math.isfinite(row.epsilon_announced) else "",
        )
        for row in printed.itertuples()
    ]


def main(argv: list[str] | None = None) -> None:
    """Print them, what they mean, and the page to open."""
    results = parse_arguments(argv).results
    found = [HEADER, *rows(read_table(results / "scalable_pate" / "table1.csv"))]
    widths = [max(map(len, column)) for column in zip(*found, strict=True)]
    for row in found:
        texts = [text.ljust(width) for text, width in zip(row[:2], widths[:2], strict=True)]
        print("  ".join([*texts, *(text.rjust(width) for text, width in zip(row[2:], widths[2:], strict=True))]))
    print(
        "ε here: the paper's accounting of these votes, no guarantee. guaranteed: for any votes, and known before them."
    )
    print(f"Open {results / 'site' / 'scalable_pate.html'}")


if __name__ == "__main__":
    run(main)
