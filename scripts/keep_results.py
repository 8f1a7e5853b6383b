"""Take results of a run into docs/reproduction, with the commit and the code that made them."""

import shutil
from contextlib import chdir
from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import atomic_path, write_text
from lib.plan.config import ROOT, load, register
from lib.plan.plan import Plan
from lib.plan.results import TITLES
from lib.plan.snakemake_records import origin
from lib.reporting.claims.cells import read_table
from lib.reporting.provenance import data_of, read_origins, row_of, write_origins


def origins_of(
    paths: dict[str, str], places: dict[str, str], preset: str, numbers: dict[str, str]
) -> list[dict[str, str]]:
    """Return where the files of items come from, by Snakemake's records in the working folder.

    numbers: tables by item, which say what data they are of.
    """
    rows: list[dict[str, str]] = []
    known: dict[str, dict | None] = {}
    for item, source in paths.items():
        made, table = origin(source, known=known), numbers.get(item)
        data = data_of(Path(table) if table else None)
        rows.append(row_of(places[item], preset, made.commit, data, made.code))
    return rows


def with_rows_of(kept: Path, new: Path, by: list[str]) -> pd.DataFrame:
    """Return the kept table with the rows of the new one in place of those that agree with them in the columns `by`.

    Cells are text, so that none changes its digits. Raises InputError unless both have the same columns, `by` among
    them, and each new row has one kept row to replace.
    """
    tables = [read_table(path, dtype=str).fillna("") for path in (kept, new)]
    if list(tables[0].columns) != list(tables[1].columns):
        raise InputError(f"{new}: columns {', '.join(tables[1].columns)}; those of {kept} are needed")
    if unknown := set(by) - set(tables[0].columns):
        raise InputError(
            f"--rows-by {', '.join(sorted(unknown))}: columns of {kept} are {', '.join(tables[0].columns)}"
        )
    places = [table.set_index(by).index for table in tables]
    for place in places[1]:
        if (count := (places[0] == place).sum()) != 1:
            raise InputError(f"{new}: {count} rows of {kept} have {', '.join(by)} = {place}; one is needed")
    rows = dict(zip(places[1], tables[1].to_dict("records"), strict=True))
    old = zip(places[0], tables[0].to_dict("records"), strict=True)
    return pd.DataFrame([rows.get(place, row) for place, row in old], columns=tables[0].columns)


@command
def main(
    made_in: Path,
    overlays: list[Path],
    page: str,
    items: list[str] | None = None,
    folder: str | None = None,
    rows_by: list[str] | None = None,
    pages: Path = ROOT / "docs" / "reproduction",
) -> None:
    """Copy files of a page that a run made, and write where they come from; `make redraw` then makes the pages anew.

    made_in: the folder that the run was started in, whose records of Snakemake say what made each file. overlays: the
    run's configuration files. page: a paper's key, or leaderboard. items: names of tables and figures, without their
    ends; by default all that the run made. folder: below that of the pages; by default named as the page. rows_by:
    columns that identify a row of a table; then the rows of the run replace these rows alone, pictures stay as they are
    and the tables have no origin, since no single commit made them: say in notes.yaml which rows are of which run.
    pages: the folder of pages, with the table of origins.
    """
    if page not in TITLES:
        raise InputError(f"--page {page}: allowed are {', '.join(TITLES)}")
    settings = Plan(load(overlays, {"data_root": "."}), register()).results.page_of(page)
    tables = settings["tables"] | settings["numbers"] | settings["drawn"]
    kinds = [
        {name: path for name, path in paths.items() if (items is None or name in items) and (made_in / path).is_file()}
        for paths in (tables, settings["figures"])
    ]
    if missing := sorted({*(items or ())}.difference(*kinds)):
        known = ", ".join({**tables, **settings["figures"]})
        raise InputError(f"--items {', '.join(missing)}: {made_in} has none; results of {page} are {known}")
    rows, merged = [], dict[str, pd.DataFrame]()
    for found in kinds:
        places = {name: f"{folder or page}/{name}{Path(path).suffix}" for name, path in found.items()}
        if rows_by:
            tables_of = {place: made_in / found[name] for name, place in places.items() if place.endswith(".csv")}
            merged |= {place: with_rows_of(pages / place, new, rows_by) for place, new in tables_of.items()}
            continue
        with chdir(made_in):  # paths in its records are relative to it
            rows += origins_of(found, places, settings["preset"], tables)
        for name, place in places.items():
            with atomic_path(pages / place) as temporary:
                shutil.copyfile(made_in / found[name], temporary)
    for place, table in merged.items():
        write_text(pages / place, table.to_csv(index=False, lineterminator="\n"))
        print(f"{place}: rows by {', '.join(rows_by or [])}")
    origins = read_origins(pages / "provenance.csv") | {row["file"]: row for row in rows}
    origins = {file: row for file, row in origins.items() if file not in merged}
    write_origins(pages / "provenance.csv", origins.values())
    for row in rows:
        print(f"{row['file']}: commit {row['commit']}")


if __name__ == "__main__":
    run(main)
