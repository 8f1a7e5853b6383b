"""Make docs/paper_preset.md anew: each setting of the papers beside what the preset `paper` has; no data are needed."""

import json
from pathlib import Path

from lib.core.command import command, run
from lib.core.files import write_text
from lib.plan.config import ROOT, load
from lib.plan.paper_settings import CODE, DIFFERS, Setting, find, settings
from lib.plan.results import PAPERS
from lib.reporting import markdown

PRESET = ROOT / "presets" / "paper.yaml"
PAGE = ROOT / "docs" / "paper_preset.md"
TITLE = """# The preset `paper`, setting by setting

Made by `python -m scripts.paper_settings` from [published/settings.csv](../published/settings.csv), which says where
each setting stands, and from [presets/paper.yaml](../presets/paper.yaml) laid over the catalogue. In any configuration
a block that says `protocol: paper` is refused where one of its settings is not the one that is stated, also where a
method of residual perturbation changes it, and where its networks take fewer updates.
"""


@command
def main(page: Path = PAGE) -> None:
    """Write the page.

    page: where to.
    """
    write_text(page, written())


def written() -> str:
    """The page."""
    config, rows = load([PRESET]), settings()
    parts = [TITLE, markdown.table(*_counts(rows))]
    for paper, title in PAPERS.items():
        own = [row for row in rows if row.paper == paper]
        parts.append(f"## {title}")
        parts.append("### What differs from the paper")
        parts.append(
            markdown.table(
                ("experiment", "setting", "the paper", "here", "where", "why"),
                [
                    (*_first(row), row.value, _here(row, config), row.where, row.note.removeprefix(DIFFERS).strip())
                    for row in own
                    if row.differs
                ],
            )
        )
        parts.append("### What the paper leaves open, and is ours")
        ours = [row for row in own if not row.stated]
        parts.append(
            markdown.table(
                ("experiment", "setting", "here", "why"),
                [(*_first(row), _here(row, config), row.note) for row in ours],
            )
        )
        parts.append("### As stated")
        kept = [row for row in own if row.stated and not row.differs]
        parts.append(
            markdown.table(
                ("experiment", "setting", "value", "where", "note"),
                [(*_first(row), row.value, row.where, row.note) for row in kept],
            )
        )
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _counts(rows: list[Setting]) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """How many settings of each paper are kept, differ, or are ours."""
    header = ("paper", "as the paper states", "as code of its authors, or that it builds on", "differ", "ours")
    table = []
    for paper, title in PAPERS.items():
        own = [row for row in rows if row.paper == paper]
        kept = [row for row in own if row.stated and not row.differs]
        of_code = sum(row.where.startswith(CODE) for row in kept)
        differ, ours = sum(row.differs for row in own), sum(not row.stated for row in own)
        table.append((title, len(kept) - of_code, of_code, differ, ours))
    return header, table


def _first(row: Setting) -> tuple[str, str]:
    return row.experiment, row.setting


def _here(row: Setting, config: dict) -> str:
    """What the preset has, in one line; empty where nothing of the configuration corresponds."""
    value = find(config, row.key).value if row.key else ""
    return value if isinstance(value, str) else json.dumps(value)


if __name__ == "__main__":
    run(main)
