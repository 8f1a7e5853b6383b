"""The outline of a page (`report/PAGE.yaml`): which claims it names first, the paper's own tables, figures, reasons.

It says in which order and under which names a page shows what was measured, and why something may fail; that it holds
or fails is in the verdicts alone.
"""

from pathlib import Path

import jsonschema
import yaml

from lib.core.errors import InputError

DATA_FILES = ("../../schemas/outline.schema.yaml",)


def load_outline(path: str | Path) -> dict:
    """Read and check an outline; every key is there, empty where the file has none. InputError names file and key."""
    try:
        outline = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror})") from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not YAML ({' '.join(str(error).split())})") from error
    schema = yaml.safe_load((Path(__file__).parent / DATA_FILES[0]).read_text(encoding="utf-8"))
    for fault in jsonschema.Draft202012Validator(schema).iter_errors(outline):
        place = ".".join(map(str, fault.absolute_path)) or "the file"
        raise InputError(f"{path}: {place}: {fault.message}")
    for number, table in enumerate(outline.get("tables", [])):
        if wrong := [row for row in table.get("rows", []) if len(row) != len(table["header"])]:
            raise InputError(
                f"{path}: tables.{number}: {wrong[0]} has {len(wrong[0])} cells; {len(table['header'])} allowed"
            )
    lists = ("headlines", "overview", "tables", "figures", "reasons")
    return {"answer": {}, "cites": "", "promise": ""} | {key: [] for key in lists} | outline
