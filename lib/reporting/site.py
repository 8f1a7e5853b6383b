"""Pages as HTML, each whole in one file: style, script and pictures are in it, and nothing is fetched."""

import base64
import io
from collections.abc import Callable
from pathlib import Path

import jinja2
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markupsafe import Markup
from PIL import Image

from lib.core.errors import InputError
from lib.reporting.pages import Page
from lib.reporting.verdicts import LEGEND

DATA_FILES = ("templates/page.html.j2", "templates/style.css", "templates/tables.js")


def page(
    content: Page, links: dict[str, str], read: Callable[[str], bytes] = lambda file: Path(file).read_bytes()
) -> str:
    """Return a page as HTML.

    links: the pages of the site (file by title), and nothing for a page that stands alone. read: the bytes of a
    picture, by the name that its figure gives. Raises InputError for a picture that is damaged.
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
        "inline": inline,
        "blocks": blocks,
        "picture": lambda file: _picture(file, read(file)),
    }
    parts = {name: Markup((folder / file).read_text(encoding="utf-8")) for name, file in PARTS.items()}
    return environment.get_template("page.html.j2").render(page=content, links_of_site=links, legend=LEGEND, **parts)


def inline(text: str) -> Markup:
    """Return a line of Markdown as HTML."""
    return Markup(_MARKDOWN.renderInline(text))


def blocks(text: str) -> Markup:
    """Paragraphs, lists and headings of Markdown as HTML."""
    return Markup(_MARKDOWN.render(text))


def _alone(state: StateCore) -> None:
    """Fit Markdown into a page that stands alone: headings below the page's own, other files of the project as words.

    Only links to the web or within the page stay links; of a picture stays what it is called.
    """
    for token in state.tokens:
        if token.type.startswith("heading_"):
            token.tag = f"h{min(6, int(token.tag[1:]) + 2)}"
        kept = True
        for child in token.children or ():
            if child.type == "link_open":
                kept = str(child.attrs["href"]).startswith(("https://", "http://", "#"))
            if child.type in ("link_open", "link_close"):
                child.hidden = not kept
            if child.type == "image":
                child.type = "text"


_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable("code")
_MARKDOWN.core.ruler.push("alone", _alone)


PARTS = {"style": "style.css", "script": "tables.js"}


_LAST = b"\0\0\0\0IEND\xaeB`\x82"  # the last piece of every PNG, which Pillow does not read to its end


def _picture(file: str, content: bytes) -> str:
    """Return a picture as part of a page; every piece of a PNG has a checksum, which a browser would not look at."""
    try:
        with Image.open(io.BytesIO(content), formats=("PNG",)) as image:
            image.verify()
        if not content.endswith(_LAST):
            raise OSError("truncated PNG file")
    except (OSError, SyntaxError, ValueError) as error:
        raise InputError(f"{file}: not a readable PNG file ({error})") from error
    return f"data:image/png;base64,{base64.b64encode(content).decode('ascii')}"
