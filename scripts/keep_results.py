"""Take results of a run into docs/reproduction, with the commit and the code that made them."""

import shutil
from contextlib import chdir
from pathlib import Path

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import atomic_path
from lib.plan.config import ROOT, load, register
from lib.plan.plan import Plan
from lib.plan.results import TITLES
from lib.reporting.provenance import read_origins, write_origins
from scripts.reproduction_page import origins_of


@command
def main(
    made_in: Path,
    overlays: list[Path],
    page: str,
    items: list[str] | None = None,
    folder: str | None = None,
    pages: Path = ROOT / "docs" / "reproduction",
) -> None:
    """Copy files of a page that a run made, and write where they come from; `make redraw` then makes the pages anew.

    made_in: the folder that the run was started in, whose records of Snakemake say what made each file. overlays: the
    run's configuration files. page: a paper's key, or leaderboard. items: names of tables and figures, without their
    ends; by default all that the run made. folder: below that of the pages; by default named as the page.
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
    rows = []
    for found in kinds:
        places = {name: f"{folder or page}/{name}{Path(path).suffix}" for name, path in found.items()}
        with chdir(made_in):  # paths in its records are relative to it
            rows += origins_of(found, places, settings["preset"], tables)
        for name, place in places.items():
            with atomic_path(pages / place) as temporary:
                shutil.copyfile(made_in / found[name], temporary)
    origins = read_origins(pages / "provenance.csv") | {row["file"]: row for row in rows}
    write_origins(pages / "provenance.csv", origins.values())
    for row in rows:
        print(f"{row['file']}: commit {row['commit']}")


if __name__ == "__main__":
    run(main)
