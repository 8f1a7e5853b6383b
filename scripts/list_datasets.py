"""Write the table of the datasets that the configuration registers."""

import argparse
import csv
import io
import json
from pathlib import Path

from lib.core.errors import InputError
from lib.core.files import write_text
from lib.data import registry
from scripts import cli

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


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config-json", required=True, help="the configuration as JSON text; its key datasets is read")
    parser.add_argument("--output", required=True, help="the table to write, .md or .csv")
    return parser.parse_args(argv)


def registered(config_json: str) -> dict[str, dict[str, str]]:
    """The `datasets` of the configuration; raises InputError if it is no JSON or has no such mapping."""
    try:
        config = json.loads(config_json)
    except ValueError as error:
        raise InputError(f"--config-json: not JSON ({error})") from error
    datasets = config.get("datasets") if isinstance(config, dict) else None
    if not isinstance(datasets, dict):
        raise InputError(f"--config-json: needs the key 'datasets', a mapping; found {datasets!r}")
    return datasets


def rows(datasets: dict[str, dict[str, str]]) -> list[tuple[str, ...]]:
    """One row of COLUMNS a dataset, sorted by name."""
    table = []
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


def as_markdown(table: list[tuple[str, ...]]) -> str:
    """The table in Markdown."""
    lines = [COLUMNS, ("---",) * len(COLUMNS), *table]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def as_csv(table: list[tuple[str, ...]]) -> str:
    """The table as comma-separated values."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *table])
    return stream.getvalue()


def main(argv: list[str] | None = None) -> None:
    """Write the table in the format that the output's name asks for."""
    arguments = parse_arguments(argv)
    formats = {".md": as_markdown, ".csv": as_csv}
    suffix = Path(arguments.output).suffix
    if suffix not in formats:
        raise InputError(f"{arguments.output}: unknown kind of table {suffix!r}, allowed: {sorted(formats)}")
    write_text(arguments.output, formats[suffix](rows(registered(arguments.config_json))))


if __name__ == "__main__":
    cli.run(main)
