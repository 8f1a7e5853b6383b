"""Give MkDocs its pages: those of the repository at their paths, and a page of all settings."""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from lib.plan.config import load_schema
from lib.plan.reference import settings_page

# beside those in docs/
PAGES = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    *("results/README.md", "lib/release/README.md", "pate_accountant/README.md"),
)
LOOKS = ("documentation/site.css", "documentation/iframe-worker.js")
WIDE = {  # hidden beside their tables
    "README.md": ["navigation", "toc"],
    "docs/reproduction/README.md": ["toc"],
    "docs/paper_preset.md": ["toc"],
}
SETTINGS = "docs/configuration.md"
CATALOGUE = "catalogue"  # a link to it leads to the page of settings
LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^()\s#]+)(#[^()\s]*)?\)")
BADGE = re.compile(r"^\[!\[.*\n", re.MULTILINE)  # pictures of another server


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Return the pages, what lies beside them in docs/, each file of the repository that they link to, the theme's."""
    root = Path(config.config_file_path).parent
    beside = [f"docs/{file.src_uri}" for file in files if file.src_dir == config.docs_dir]
    pages = {path for path in (*PAGES, *LOOKS, *beside) if not path.endswith(".py")}
    linked = {path for page in pages if page.endswith(".md") for path in _linked(root, page)}
    found = [File.generated(config, path, abs_src_path=str(root / path)) for path in sorted(pages | linked)]
    found.append(File.generated(config, SETTINGS, content=settings_page(load_schema())))
    return Files([*found, *(file for file in files if file.src_dir != config.docs_dir)])


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead links to the catalogue to the page of settings, unlink folders, and leave out pictures of other servers.

    Pages with wide tables have nothing beside them.
    """
    root, folder = Path(config.config_file_path).parent, PurePosixPath(page.file.src_uri).parent
    page.meta |= {"hide": WIDE[page.file.src_uri]} if page.file.src_uri in WIDE else {}

    def led(link: re.Match) -> str:
        path = _inside(root, folder, link[2])
        if path is None or not (root / path).is_dir():
            return link[0]
        up = "../" * len(folder.parts)
        return f"[{link[1]}]({up}{SETTINGS})" if path == CATALOGUE else link[1]

    # GitHub's Markdown takes a backslash before this sign, and Python's shows it
    return LINK.sub(led, BADGE.sub("", markdown)).replace("\\<", "&lt;")


def _linked(root: Path, page: str) -> Iterator[str]:
    """Find the files, by their paths from the root of the repository, that a page links to."""
    for link in LINK.finditer((root / page).read_text(encoding="utf-8")):
        path = _inside(root, PurePosixPath(page).parent, link[2])
        if path and (root / path).is_file():
            yield path


def _inside(root: Path, folder: PurePosixPath, target: str) -> str | None:
    """Resolve a link on a page in that folder to a path from the repository's root; None for one that leads out."""
    path = (root / folder / target).resolve()
    return path.relative_to(root).as_posix() if ":" not in target and path.is_relative_to(root) else None
