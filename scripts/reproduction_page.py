"""Write the committed page of what was reproduced of one paper, with its figures, tables and claims."""

import shutil
from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import atomic_path, write_text
from lib.reporting.claims.cells import read_table, read_verdicts
from lib.reporting.claims.ledger import COLUMNS
from lib.reporting.pages import paper_page


@command
def main(
    page: Path,
    files: Path,
    paper: str,
    title: str,
    preset: str,
    readings: Path,
    verdicts: Path | None = None,
    claims: Path | None = None,
    tables: dict | None = None,
    columns: dict | None = None,
    figures: dict | None = None,
    numbers: dict | None = None,
) -> None:
    """Write the page, its claims as a table, and a folder of figures and numbers beside it.

    page: the page to write, .md. files: the folder to write for its figures and tables. paper: the paper's key. title:
    the page's title. preset: name of the preset that the results are of. readings: Markdown, the readings chosen, and
    caveats. verdicts: what scripts/claims.py wrote for the preset; none where nothing is claimed. claims: the verdicts
    to write beside the page, .csv. tables: paths of the tables to show, by item. columns: columns to show of an item,
    else all. figures: paths of the figures to show, by item. numbers: paths of numbers behind figures, by item.
    """
    found = None if verdicts is None else own_claims(verdicts, paper)
    shown = {item: chosen(read_table(path), item, (columns or {}).get(item)) for item, path in (tables or {}).items()}
    try:
        text = readings.read_text(encoding="utf-8")
        links = copied((tables or {}) | (numbers or {}), files, page.parent)
        pictures = copied(figures or {}, files, page.parent)
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror})") from error
    write_text(page, paper_page(paper, title, preset, found, text, shown, links, pictures))
    if found is not None:
        write_text(claims, found.assign(preset=preset).to_csv(index=False, lineterminator="\n"))


def own_claims(verdicts: Path, paper: str) -> pd.DataFrame:
    """The verdicts on one paper's claims; raises InputError where there are none."""
    found = read_verdicts(verdicts, COLUMNS)
    found = found[found["paper"] == paper]
    if found.empty:
        raise InputError(f"{verdicts}: has no claims of {paper!r}")
    return found


def chosen(table: pd.DataFrame, item: str, names: list[str] | None) -> pd.DataFrame:
    """The named columns with their spreads, or all; raises InputError for a column that is not there."""
    if names is None:
        return table
    if unknown := [name for name in names if name not in table.columns]:
        raise InputError(f"--columns: {item} has no columns {unknown}; it has {list(table.columns)}")
    return table[[name for column in names for name in (column, f"{column}_spread") if name in table.columns]]


def copied(paths: dict[str, str], folder: Path, page: Path) -> dict[str, str]:
    """Copy the files of items to FOLDER/ITEM.*; returns their places relative to the page's folder."""
    places = {}
    for item, source in paths.items():
        place = folder / f"{item}{Path(source).suffix}"
        with atomic_path(place) as temporary:
            shutil.copyfile(source, temporary)
        places[item] = place.relative_to(page).as_posix()
    return places


if __name__ == "__main__":
    run(main)
