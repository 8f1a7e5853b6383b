"""Write the table of the datasets that the configuration registers."""

from pathlib import Path

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import write_text
from lib.data import registry

# A generated dataset has no files: its fingerprint follows from its settings and fonts, and stands in its results.
GENERATED = (
    "glyphs rendered from computer fonts, 150 classes",
    "generated",
    "as many images of 28 x 28 as are asked for",
    "of its settings and fonts, in every result",
    "that of the fonts (docs/open_glyph.md)",
    "nothing to obtain",
)
COLUMNS = ("name", "what", "source", "samples", "fingerprint", "licence", "how to obtain by hand")


@command
def main(datasets: dict, page: Path) -> None:
    """Write the table.

    datasets: the configuration's block of that name. page: the table to write, .md.
    """
    lines = [COLUMNS, ("---",) * len(COLUMNS), *rows(datasets)]
    shown = (" | ".join(cell.replace("|", "\\|") for cell in line) for line in lines)
    write_text(page, "".join(f"| {line} |\n" for line in shown))


def rows(datasets: dict[str, dict[str, str]]) -> list[tuple[str, ...]]:
    """One row of COLUMNS a dataset, sorted by name."""
    table: list[tuple[str, ...]] = []
    for name, entry in sorted(datasets.items()):
        if not isinstance(entry, dict) or not {"module", "source"} <= set(entry):
            raise InputError(f"configuration, datasets.{name}: needs the keys 'module' and 'source', found {entry!r}")
        if entry["source"] == "generated":
            table.append((name, *GENERATED))
            continue
        spec = registry.supporting(entry["module"], name, entry["source"])
        obtain = f"{spec.obtain} (about it: {spec.homepage})"
        known = spec.fingerprint or spec.known_by
        table.append((name, spec.title, entry["source"], spec.samples, known, spec.licence, obtain))
    return table


if __name__ == "__main__":
    run(main)
