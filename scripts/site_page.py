"""Write a page of the site: what the committed page of a paper shows, as one file of HTML with all in it."""

from collections.abc import Sequence
from pathlib import Path

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import write_text
from lib.reporting import site
from lib.reporting.material import gather, own_claims
from lib.reporting.pages import page as page_of


@command
def main(
    page: Path,
    paper: str,
    title: str,
    preset: str,
    readings: Path,
    outline: Path,
    results: list,
    links: dict,
    verdicts: Sequence[Path] = (),
    ledger: Sequence[Path] = (),
    tables: dict | None = None,
    columns: dict | None = None,
    figures: dict | None = None,
    numbers: dict | None = None,
    drawn: dict | None = None,
) -> None:
    """Write the page.

    page: the page to write, .html. paper: the paper's key, or leaderboard. title: the page's title. preset: name of the
    preset that the results are of. readings: Markdown, how the paper was interpreted, and caveats. outline: what the
    page shows first, .yaml. results: item, title, caption and tables of each result. links: the pages of the site, by
    title. verdicts: what scripts/claims.py wrote for the preset; none where nothing is claimed. ledger: claims.csv and
    checks.csv. tables: paths of the tables to show, by item. columns: columns to show of an item, else all. figures:
    paths of the figures to show, by item. numbers: paths of the tables behind verdicts, by item. drawn: paths of the
    tables that figures are drawn from, by item, which texts may quote.
    """
    found = own_claims(verdicts, paper)
    every = (tables or {}) | (numbers or {})
    made_of = gather(
        paper, outline, readings, results, every, columns or {}, every, figures or {}, found, ledger, drawn=drawn
    )
    try:
        write_text(page, site.page(page_of(paper, title, preset, made_of), links))
    except FileNotFoundError as error:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror})") from error


if __name__ == "__main__":
    run(main)
