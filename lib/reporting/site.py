"""Pages as HTML, each whole in one file: style, script and pictures are in it, and nothing is fetched."""

import base64
from collections.abc import Callable
from pathlib import Path

import jinja2
from markupsafe import Markup

from lib.reporting.hypertext import blocks, inline
from lib.reporting.pages import Page
from lib.reporting.verdicts import LEGEND, LEGEND_OF_PAPERS

DATA_FILES = ("templates/page.html.j2", "templates/style.css", "templates/tables.js")


def page(
    content: Page, links: dict[str, str], read: Callable[[str], bytes] = lambda file: Path(file).read_bytes()
) -> str:
    """A page as HTML.

    links: the pages of the site (file by title), and nothing for a page that stands alone. read: the bytes of a
    picture, by the name that its figure gives.
    """
    folder = Path(__file__).parent / "templates"
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "inline": lambda text: Markup(inline(text)),
        "blocks": lambda text: Markup(blocks(text)),
        "picture": lambda file: f"data:image/png;base64,{base64.b64encode(read(file)).decode('ascii')}",
    }
    parts = {name: Markup((folder / file).read_text(encoding="utf-8")) for name, file in PARTS.items()}
    legend = LEGEND_OF_PAPERS if content.name == "index" else LEGEND
    return environment.get_template("page.html.j2").render(page=content, links_of_site=links, legend=legend, **parts)


PARTS = {"style": "style.css", "script": "tables.js"}
