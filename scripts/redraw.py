"""Make the committed pages anew from the tables and figures that are committed with them; no data are needed.

What a page says of a result may change without a run: claims, outlines, readings, captions, templates, how a
figure is drawn. The verdicts are computed again from the committed tables, and the figures whose numbers are committed
are drawn again from these.
"""

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import get_args

import pandas as pd
import yaml

from lib.core.command import command, run
from lib.core.files import write_text
from lib.plan.config import LEDGER, ROOT, load, register
from lib.plan.plan import Plan
from lib.plan.results import PAPERS, TITLES, Results
from lib.plan.rule_texts import script_of
from lib.reporting import markdown, site
from lib.reporting.claims.cells import read_table
from lib.reporting.claims.ledger import divided, judge_all
from lib.reporting.claims.loading import load_claims
from lib.reporting.material import gather
from lib.reporting.outline import load_outline
from lib.reporting.overview import draw, points
from lib.reporting.pages import Page
from lib.reporting.pages import index as index_of
from lib.reporting.pages import page as page_of
from lib.reporting.provenance import cells, read_origins

DOCS = ROOT / "docs" / "reproduction"
ROOMS = {"leaderboard": ["leaderboard", "leaderboard_mnist"]}  # results that are committed of two presets


@command
def main(overlay: Path = ROOT / "presets" / "real.yaml", html: Path | None = None) -> None:
    """Write docs/reproduction/*.md, the verdicts and figures beside them, and the table of papers in README.md.

    overlay: the preset that the committed results are of. html: a folder; then the site of the committed results is
    written there, and nothing else.
    """
    plan, found = Plan(load([overlay], {"data_root": "."}), register()), verdicts()
    pages = {name: page(name, plan.results.page_of(name), found) for name in TITLES}
    outlines = {paper: load_outline(ROOT / "report" / f"{paper}.yaml") for paper in PAPERS}
    index = index_of(found, outlines, plan.layout.preset)
    if html is not None:
        for name, content in (pages | {"index": index}).items():
            text = site.page(content, plan.results.links(), lambda file: (DOCS / file).read_bytes())
            write_text(html / f"{name}.html", text)
        return
    draw_figures(plan.results)
    for name, content in pages.items():
        write_text(DOCS / f"{name}.md", markdown.page(content))
        write_text(DOCS / f"{name}_details.md", markdown.details(content))
    by_paper = found.assign(preset=plan.layout.preset).sort_values("paper", kind="stable")
    for name, rows in zip(("claims", "checks"), divided(by_paper), strict=True):
        write_text(DOCS / f"{name}.csv", rows.to_csv(index=False, lineterminator="\n"))
    links = {outline["name"]: f"{paper}.md" for paper, outline in outlines.items()}
    write_text(DOCS / "README.md", markdown.index(index, links))
    draw(points(found, outlines), list(links), DOCS / "overview.png")
    first, links = ROOT / "README.md", {name: f"docs/reproduction/{file}" for name, file in links.items()}
    write_text(first, markdown.between_marks(first.read_text(encoding="utf-8"), markdown.papers(index, links)))


def draw_figures(results: Results) -> None:
    """Draw every committed figure again whose numbers are committed, too; a line for each that stays as it is."""
    for name, row in results.rows.items():
        paper, item = results.paper(name), results.item(name)
        folders = [DOCS / room for room in ROOMS.get(name, ["leaderboard" if paper == "audit" else paper])]
        for folder in folders if row["shows"] == "figure" else ():
            if (folder / f"{item}.png").is_file() and (reason := not_drawn(drawn_by(name), folder / item)):
                print(f"{folder.name}/{item}.png stays as it is: {reason}")


def not_drawn(draw: Callable[..., None] | None, place: Path) -> str:
    """Draw the figure place.png from the tables beside it; returns why it was not drawn, or nothing."""
    if draw is None:
        return "it shows data themselves"
    first, *others = list(inspect.signature(draw).parameters.values())[:-1]
    tables = [Path(f"{place}{end}.csv") for end in ("", *(f"_{other.name}" for other in others))]
    lacking = [table.name for table in tables if not table.is_file()]
    if NoneType in get_args(first.annotation) and lacking == [tables[0].name]:
        draw(None, *map(read_table, tables[1:]), Path(f"{place}.png"))
        return ""
    if lacking:
        return f"there is no {' and no '.join(lacking)}"
    try:
        draw(*map(read_table, tables), Path(f"{place}.png"))
    except KeyError as error:  # a column that tables of an earlier run do not have
        return f"there is no {error} in {place.name}.csv"
    return ""


def drawn_by(name: str) -> Callable[..., None] | None:
    """`draw` of the script that a figure's rule runs; None where it shows data themselves, of which no table tells.

    Its first parameter is the table ITEM.csv, the last stands for the pictures to write, and any between these for the
    table ITEM_PARAMETER.csv. The first may be None where the figure can do without the table ITEM.csv.
    """
    return getattr(import_module(f"scripts.{script_of(name)}"), "draw", None)


def verdicts() -> pd.DataFrame:
    """The verdicts on all claims by the committed tables."""
    return judge_all(load_claims(*LEDGER), tables())


@cache
def tables() -> dict[tuple[str, str], pd.DataFrame]:
    """Return all committed tables by folder and name."""
    return {(path.parent.name, path.stem): read_table(path) for path in sorted(DOCS.glob("*/*.csv"))}


def page(name: str, settings: dict, found: pd.DataFrame) -> Page:
    """The content of one page, of the files of its settings that are committed."""
    own = found[found["paper"] == name] if name in PAPERS else None
    links = {table: f"{name}/{table}.csv" for kind in ("tables", "numbers", "drawn") for table in settings[kind]}
    links = {table: place for table, place in links.items() if (DOCS / place).is_file()}
    every = {table: DOCS / place for table, place in links.items() if table not in settings["drawn"]}
    pictures = {item: f"{name}/{item}.png" for item in settings["figures"]}
    pictures = {item: place for item, place in pictures.items() if (DOCS / place).is_file()}
    # a table of an earlier run may lack a column
    columns = {
        table: [column for column in columns if column in read_table(every[table]).columns]
        for table, columns in settings["columns"].items()
        if table in every
    }
    outline, readings = (ROOT / "report" / f"{name}{end}" for end in (".yaml", "_readings.md"))
    results = noted(settings["results"], name)
    told = cells([*links.values(), *pictures.values()], read_origins(DOCS / "provenance.csv"))
    made_of = gather(name, outline, readings, results, every, columns, links, pictures, own, LEDGER, told)
    beside = {table: frame for (folder, table), frame in tables().items() if folder == name}
    made_of = replace(made_of, quoted=quoted() | beside)
    return page_of(name, settings["title"], settings["preset"], made_of, "claims.csv" if own is not None else "")


def quoted() -> dict[str, pd.DataFrame]:
    """Return all committed tables as FOLDER_TABLE, which any page may quote."""
    return {f"{folder}_{table}": frame for (folder, table), frame in tables().items()}


def noted(results: list[dict], name: str) -> list[dict]:
    """The results of a page, with what notes.yaml says of the committed ones at the end of each first paragraph."""
    notes = yaml.safe_load((DOCS / "notes.yaml").read_text(encoding="utf-8")).get(name, {})
    found = []
    for result in results:
        first, *others = result["caption"].strip().split("\n\n")
        first = f"{first.strip()} {notes.get(result['item'], '')}".strip()
        found.append(result | {"caption": "\n\n".join([first, *others])})
    return found


if __name__ == "__main__":
    run(main)
