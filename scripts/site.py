"""Write the first page of the site: every paper's counts, and what holds and fails in a sentence each."""

from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.files import write_text
from lib.reporting import site
from lib.reporting.claims.cells import read_verdicts
from lib.reporting.claims.ledger import COLUMNS
from lib.reporting.outline import load_outline
from lib.reporting.pages import index as index_of


@command
def main(verdicts: list[Path], outlines: list[Path], preset: str, links: dict, index: Path) -> None:
    """Write the page.

    verdicts: what scripts/claims.py wrote for the preset, on claims and on checks. outlines: of the papers, PAPER.yaml,
    in the order to show. preset: its name. links: the pages of the site, by title. index: the page to write, .html.
    """
    found = pd.concat([read_verdicts(path, COLUMNS) for path in verdicts])
    papers = {path.stem: load_outline(path) for path in outlines}
    write_text(index, site.page(index_of(found, papers, preset), links))


if __name__ == "__main__":
    run(main)
