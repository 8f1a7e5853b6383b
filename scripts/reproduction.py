"""Join the claims of all papers that lie in the folder of pages into one table."""

from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.files import write_text
from lib.reporting.claims.cells import read_verdicts
from lib.reporting.claims.ledger import COLUMNS


@command
def main(papers: list[Path], claims: Path) -> None:
    """Write the joined table, paper after paper as they are given.

    papers: each paper's verdicts, as `reproduction_page` wrote them. claims: the joined table to write, .csv.
    """
    joined = pd.concat(read_verdicts(path, [*COLUMNS, "preset"]) for path in papers)
    write_text(claims, joined.to_csv(index=False, lineterminator="\n"))


if __name__ == "__main__":
    run(main)
