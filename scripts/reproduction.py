"""Write the committed pages of what was reproduced: one paper's, or the table of all papers' claims joined."""

import argparse
import shutil
from pathlib import Path

import pandas as pd

from lib.core.errors import InputError
from lib.core.files import atomic_path, write_text
from lib.reporting.claims.cells import read_table
from lib.reporting.claims.ledger import COLUMNS
from lib.reporting.pages import paper_page
from scripts import cli

JOINED = "claims.csv"


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line: with --paper a paper's page, with --join the joined table, with both one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", required=True, type=Path, help="where the pages lie, as docs/reproduction")
    parser.add_argument("--join", action="store_true", help=f"join the papers' claims of the folder into {JOINED}")
    paper = parser.add_argument_group("a paper's page")
    paper.add_argument("--paper", help="the paper's key")
    paper.add_argument("--title", help="the page's title")
    paper.add_argument("--preset", help="name of the preset that the results are of")
    paper.add_argument(
        "--verdicts", help="what scripts/claims.py wrote for the preset, .csv; none where nothing is claimed"
    )
    paper.add_argument("--readings", type=Path, help="Markdown: the readings chosen, and caveats")
    paper.add_argument("--tables", nargs="*", default=[], metavar="ITEM:PATH", help="result tables to show, .csv")
    paper.add_argument(
        "--columns", nargs="*", default=[], metavar="ITEM:NAME,NAME", help="columns of a table to show, else all"
    )
    paper.add_argument("--figures", nargs="*", default=[], metavar="ITEM:PATH", help="figures to show, .png")
    paper.add_argument("--numbers", nargs="*", default=[], metavar="ITEM:PATH", help="the numbers of figures, .csv")
    arguments = parser.parse_args(argv)
    if not arguments.paper and not arguments.join:
        parser.error("needs --paper or --join")
    absent = [name for name in ("title", "preset", "readings") if not getattr(arguments, name)]
    if arguments.paper and absent:
        parser.error(f"--paper needs --{' --'.join(absent)}")
    return arguments


def by_item(option: str, texts: list[str]) -> dict[str, str]:
    """Parse what an option has as ITEM:REST; raises InputError for anything else."""
    for text in texts:
        if not all(text.partition(":")):
            raise InputError(f"{option}: {text!r} is not allowed; allowed: an item, a colon, and what belongs to it")
    return dict(text.split(":", 1) for text in texts)


def chosen(table: pd.DataFrame, item: str, names: str | None) -> pd.DataFrame:
    """The named columns with their spreads, or all."""
    if names is None:
        return table
    wanted = names.split(",")
    unknown = [name for name in wanted if name not in table.columns]
    if unknown:
        raise InputError(f"--columns: {item} has no columns {unknown}; it has {list(table.columns)}")
    return table[[name for column in wanted for name in (column, f"{column}_spread") if name in table.columns]]


def copied(files: dict[str, str], paper: str, folder: Path) -> dict[str, str]:
    """Copy the files of items to FOLDER/PAPER/ITEM.*; returns their places relative to the folder."""
    places = {}
    for item, source in files.items():
        place = f"{paper}/{item}{Path(source).suffix}"
        with atomic_path(folder / place) as temporary:
            shutil.copyfile(source, temporary)
        places[item] = place
    return places


def write_paper(arguments: argparse.Namespace) -> None:
    """Write PAPER.md, PAPER.csv and the folder PAPER with figures and numbers."""
    paper, folder = arguments.paper, arguments.folder
    verdicts = None
    if arguments.verdicts:
        verdicts = read_verdicts(arguments.verdicts, COLUMNS)
        verdicts = verdicts[verdicts["paper"] == paper]
        if verdicts.empty:
            raise InputError(f"{arguments.verdicts}: has no claims of {paper!r}")
    files, columns = by_item("--tables", arguments.tables), by_item("--columns", arguments.columns)
    tables = {item: chosen(read_table(path), item, columns.get(item)) for item, path in files.items()}
    try:
        readings = arguments.readings.read_text(encoding="utf-8")
        links = copied(files | by_item("--numbers", arguments.numbers), paper, folder)
        figures = copied(by_item("--figures", arguments.figures), paper, folder)
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror})") from error
    page = paper_page(paper, arguments.title, arguments.preset, verdicts, readings, tables, links, figures)
    write_text(folder / f"{paper}.md", page)
    if verdicts is not None:
        write_text(folder / f"{paper}.csv", as_csv(verdicts.assign(preset=arguments.preset)))


def join(folder: Path) -> None:
    """Write the claims of all papers that have a table in the folder, in the order of the papers' keys."""
    paths = sorted(path for path in folder.glob("*.csv") if path.name != JOINED)
    if not paths:
        raise InputError(f"{folder}: has no papers' claims to join")
    write_text(folder / JOINED, as_csv(pd.concat(read_verdicts(path, [*COLUMNS, "preset"]) for path in paths)))


def read_verdicts(path: str | Path, columns: list[str]) -> pd.DataFrame:
    """A table of verdicts, all texts; raises InputError if it has other columns."""
    verdicts = read_table(path, dtype=str).fillna("")
    if list(verdicts.columns) != columns:
        raise InputError(f"{path}: has the columns {list(verdicts.columns)}; allowed: {columns}")
    return verdicts


def as_csv(verdicts: pd.DataFrame) -> str:
    """CSV with the same line ends everywhere."""
    return verdicts.to_csv(index=False, lineterminator="\n")


def main(argv: list[str] | None = None) -> None:
    """Write what the command line asks for."""
    arguments = parse_arguments(argv)
    if arguments.paper:
        write_paper(arguments)
    if arguments.join:
        join(arguments.folder)


if __name__ == "__main__":
    cli.run(main)
