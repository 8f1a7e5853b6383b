"""Pages as HTML, each whole in one file: style, script and pictures are in it, and nothing is fetched."""

import base64
import io
from collections.abc import Callable
from pathlib import Path

import jinja2
from markupsafe import Markup
from PIL import Image

from lib.core.errors import InputError
from lib.reporting.hypertext import blocks, inline
from lib.reporting.pages import Page
from lib.reporting.verdicts import LEGEND, LEGEND_OF_PAPERS

DATA_FILES = ("templates/page.html.j2", "templates/style.css", "templates/tables.js")


def page(
    content: Page, links: dict[str, str], read: Callable[[str], bytes] = lambda file: Path(file).read_bytes()
) -> str:
    """A page as HTML.

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
        "inline": lambda text: Markup(inline(text)),
        "blocks": lambda text: Markup(blocks(text)),
        "picture": lambda file: _picture(file, read(file)),
    }
    parts = {name: Markup((folder / file).read_text(encoding="utf-8")) for name, file in PARTS.items()}
    legend = LEGEND_OF_PAPERS if content.name == "index" else LEGEND
    return environment.get_template("page.html.j2").render(page=content, links_of_site=links, legend=legend, **parts)


PARTS = {"style": "style.css", "script": "tables.js"}


_LAST = b"\0\0\0\0IEND\xaeB`\x82"  # the last piece of every PNG, which Pillow does not read to its end


def _picture(file: str, content: bytes) -> str:
    """A picture as part of a page; every piece of a PNG has a checksum, which a browser would not look at."""
    try:
        with Image.open(io.BytesIO(content), formats=("PNG",)) as image:
            image.verify()
        if not content.endswith(_LAST):
            raise OSError("truncated PNG file")
    except (OSError, SyntaxError, ValueError) as error:
        raise InputError(f"{file}: not a readable PNG file ({error})") from error
    return f"data:image/png;base64,{base64.b64encode(content).decode('ascii')}"
