"""Join the claims of all papers that lie in the folder of pages into one table, and write the page of all papers."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.files import write_text
from lib.reporting import markdown
from lib.reporting.claims.cells import read_verdicts
from lib.reporting.claims.ledger import COLUMNS
from lib.reporting.outline import load_outline
from lib.reporting.overview import draw, points
from lib.reporting.pages import index as index_of
from lib.reporting.provenance import read_origins, write_origins


@command
def main(
    papers: list[Path],
    checks: list[Path],
    outlines: list[Path],
    claims: Path,
    index: Path,
    overview: Path,
    origins: Sequence[Path] = (),
    provenance: Path | None = None,
) -> None:
    """Write the joined tables, paper after paper as they are given, the page, and the figure of all papers.

    papers, checks: each paper's verdicts on claims and checks, as `reproduction_page` wrote them. outlines: of the
    papers, PAPER.yaml, in the order to show. claims: the joined table to write, .csv. index: the page to write, .md.
    overview: the figure, .png. origins: of the files of each page, as `reproduction_page` wrote them; `provenance`: all
    of them, to write.
    """
    joined, beside = (
        pd.concat(read_verdicts(path, [*COLUMNS, "preset"]) for path in paths) for paths in (papers, checks)
    )
    write_text(claims, joined.to_csv(index=False, lineterminator="\n"))
    if provenance is not None:
        write_origins(provenance, [row for path in origins for row in read_origins(path).values()])
    shown = {path.stem: load_outline(path) for path in outlines}
    every = pd.concat([joined, beside])
    content = index_of(every, shown, ", ".join(dict.fromkeys(joined["preset"])))
    draw(points(every, shown), [outline["name"] for outline in shown.values()], overview)
    write_text(index, markdown.index(content, {outline["name"]: f"{paper}.md" for paper, outline in shown.items()}))


if __name__ == "__main__":
    run(main)
