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

    page: the page to write, .html. links: the pages of the site, by title. Else as
    `reproduction_page`.
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
