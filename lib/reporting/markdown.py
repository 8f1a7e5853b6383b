"""Pages as Markdown for the repository, by templates."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import jinja2

from lib.core.errors import InputError
from lib.reporting.pages import Page, Table
from lib.reporting.verdicts import LEGEND

DATA_FILES = (
    "templates/page.md.j2",
    "templates/details.md.j2",
    "templates/macros.md.j2",
    "templates/index.md.j2",
    "templates/papers.md.j2",
)
MARKS = ("<!-- verdicts -->", "<!-- end of verdicts -->")  # on the first page, around what is computed


def page(content: Page) -> str:
    """Write the answers of a page of one paper, or of results of no paper."""
    return _rendered("page.md.j2", page=content, legend=LEGEND)


def details(content: Page) -> str:
    """Return the details of the same page, to stand beside it as NAME_details.md."""
    return _rendered("details.md.j2", page=content)


def index(content: Page, links: dict[str, str]) -> str:
    """Return the page of all papers; links: where the page of each lies, by its name."""
    return _rendered("index.md.j2", page=content, links=links)


def papers(content: Page, links: dict[str, str]) -> str:
    """Return the table of all papers alone, a row each."""
    return _rendered("papers.md.j2", page=content, links=links)


def between_marks(text: str, block: str) -> str:
    """Replace what stands between the two marks of a text by the block; raises InputError without the marks."""
    before, first, rest = text.partition(MARKS[0])
    _, second, after = rest.partition(MARKS[1])
    if not (first and second):
        raise InputError(f"the first page: has not the marks {MARKS[0]} and {MARKS[1]}, in this order")
    return f"{before}{first}\n{block}{second}{after}"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table whose cells are shown as they are, whatever signs are in them."""
    lines = [header, ["---"] * len(header), *([_escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def failed(controls: Table) -> Table:
    """Return the sanity checks that failed, without what they guard and when they were set."""
    rows = [row[:5] for row in controls.rows if "failed" in row[4]]
    return replace(controls, header=controls.header[:5], rows=rows)


def _escaped(cell: object) -> str:
    text = re.sub(r"[ \t\r\n]+", " ", str(cell)).strip()  # spaces at which no line is broken stay
    for sign in ("\\", "|", "*", "<", "`"):
        text = text.replace(sign, "\\" + sign)
    return text


def _rendered(template: str, **content: object) -> str:
    folder = Path(__file__).parent / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder), trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["table"] = lambda shown: table(shown.header, shown.rows)
    environment.filters["failed"] = failed
    text = environment.get_template(template).render(content)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
