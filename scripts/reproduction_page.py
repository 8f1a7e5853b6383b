"""Write the committed page of what was reproduced of one paper, with its figures, tables and claims."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import atomic_path, write_text
from lib.plan.snakemake_records import origin
from lib.reporting import markdown
from lib.reporting.claims.ledger import divided
from lib.reporting.material import gather, own_claims
from lib.reporting.pages import page as page_of
from lib.reporting.provenance import cells, data_of, of_run, row_of, write_origins


@command
def main(
    page: Path,
    details: Path,
    files: Path,
    paper: str,
    title: str,
    preset: str,
    readings: Path,
    outline: Path,
    results: list,
    origins: Path,
    verdicts: Sequence[Path] = (),
    ledger: Sequence[Path] = (),
    claims: Path | None = None,
    checks: Path | None = None,
    tables: dict | None = None,
    columns: dict | None = None,
    figures: dict | None = None,
    numbers: dict | None = None,
    drawn: dict | None = None,
) -> None:
    """Write the page, its claims as a table, and a folder of figures and numbers beside it.

    page, details: the page to write and its details, .md. files: the folder to write for its figures and tables. paper:
    the paper's key. title: the page's title. preset: name of the preset that the results are of. readings: Markdown,
    how the paper was interpreted, and caveats. outline: what the page shows first, .yaml. results: item, title, caption
    and tables of each result. origins: the table to write of where all files come from, .csv. verdicts: what
    scripts/claims.py wrote for the preset; none where nothing is claimed. ledger: claims.csv and checks.csv. claims,
    checks: the verdicts to write beside the page, .csv. tables: paths of the tables to show, by item. columns: columns
    to show of an item, else all. figures: paths of the figures to show, by item. numbers: paths of the tables behind
    verdicts, by item. drawn: paths of the tables that figures are drawn from, by item; they are linked, and not shown.
    """
    found = own_claims(verdicts, paper)
    every = (tables or {}) | (numbers or {})
    try:
        links, pictures = (copied(paths, files, page.parent) for paths in (every | (drawn or {}), figures or {}))
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror})") from error
    numbered = every | (drawn or {})
    rows = origins_of(numbered, links, preset, numbered) + origins_of(figures or {}, pictures, preset, numbered)
    write_origins(origins, rows)
    told = cells([row["file"] for row in rows], {row["file"]: row for row in rows}, of_run)
    shown = (results, every, columns or {}, links, pictures, found, ledger, told, drawn)
    made_of = gather(paper, outline, readings, *shown)
    named = f"{paper}.csv" if found is not None else ""
    content = page_of(paper, title, preset, made_of, named)
    write_text(page, markdown.page(content))
    write_text(details, markdown.details(content))
    if found is not None:
        assert claims and checks
        for path, rows in zip((claims, checks), divided(found.assign(preset=preset)), strict=True):
            write_text(path, rows.to_csv(index=False, lineterminator="\n"))


def copied(paths: dict[str, str], folder: Path, page: Path) -> dict[str, str]:
    """Copy the files of items to FOLDER/ITEM.*; returns their places relative to the page's folder."""
    places = {}
    for item, source in paths.items():
        place = folder / f"{item}{Path(source).suffix}"
        with atomic_path(place) as temporary:
            shutil.copyfile(source, temporary)
        places[item] = place.relative_to(page).as_posix()
    return places


def origins_of(
    paths: dict[str, str], places: dict[str, str], preset: str, numbers: dict[str, str]
) -> list[dict[str, str]]:
    """Where the files of items come from, by Snakemake's records of the folder that the job runs in.

    numbers: tables by item, which say what data they are of.
    """
    rows: list[dict[str, str]] = []
    known: dict[str, dict | None] = {}
    for item, source in paths.items():
        made, table = origin(source, known=known), numbers.get(item)
        data = data_of(Path(table) if table else None)
        rows.append(row_of(places[item], preset, made.commit, data, made.code))
    return rows


if __name__ == "__main__":
    run(main)
