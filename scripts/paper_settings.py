"""Write docs/paper_preset.md: settings in which the preset `paper` differs from the papers, or that they leave open."""

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
TITLE = """# How the preset `paper` differs from the papers

[published/settings.csv](../published/settings.csv) lists every setting of the papers, with the place where it stands.
This page shows those that [presets/paper.yaml](../presets/paper.yaml) changes, and those that the papers do not state.
All others are as stated, and a test compares each that has a key. `python -m scripts.paper_settings` writes the page.

A block that says `protocol: paper`, in any configuration, is refused if it changes a stated setting or takes fewer
updates.
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
        differ = [
            (
                row.experiment,
                row.setting,
                row.value,
                _here(row, config),
                row.where,
                row.note.removeprefix(DIFFERS).strip(),
            )
            for row in own
            if row.differs
        ]
        if differ:
            header = ("experiment", "setting", "the paper", "here", "where", "why")
            parts += ["### Settings that differ", markdown.table(header, differ)]
        ours = [(row.experiment, row.setting, _here(row, config), row.note) for row in own if not row.stated]
        parts += ["### Settings that the paper does not state"]
        parts += [markdown.table(("experiment", "setting", "here", "why"), ours)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _counts(rows: list[Setting]) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """How many settings of each paper are kept, differ, or are ours."""
    header = ("paper", "as the paper states", "as code of its authors, or that it builds on", "differ", "ours")
    table: list[tuple[object, ...]] = []
    for paper, title in PAPERS.items():
        own = [row for row in rows if row.paper == paper]
        kept = [row for row in own if row.stated and not row.differs]
        of_code = sum(row.where.startswith(CODE) for row in kept)
        differ, ours = sum(row.differs for row in own), sum(not row.stated for row in own)
        table.append((title, len(kept) - of_code, of_code, differ, ours))
    return header, table


def _here(row: Setting, config: dict) -> str:
    """What the preset has, in one line; empty where nothing of the configuration corresponds."""
    value = find(config, row.key).value if row.key else ""
    return value if isinstance(value, str) else json.dumps(value)


if __name__ == "__main__":
    run(main)
