"""Where the committed tables and figures come from, and whether today's code would make the same."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from lib.core.code_inputs import digest
from lib.core.errors import InputError
from lib.core.files import write_text
from lib.reporting.claims.cells import read_table

COLUMNS = ("file", "preset", "commit", "data", "code")
SAME, CHANGED, UNKNOWN = "same", "changed", "not known"
BEFORE = "committed without a record of commit and code"


def row_of(file: str, preset: str, commit: str, data: str, code: Mapping[str, str] | None) -> dict[str, str]:
    """Return a row of the table of origins.

    file: relative to the folder of pages. data: names and fingerprints of datasets, as tables have them. code: digests
    by files, of the job that made it and of all before it; None where that is not known.
    """
    told = "; ".join(f"{files} {found}" for files, found in sorted((code or {}).items()))
    return dict(zip(COLUMNS, (file, preset, commit, data, told), strict=True))


def data_of(table: Path | None) -> str:
    """Names and fingerprints of the datasets in a result table."""
    if table is None:
        return ""
    found = read_table(table)
    return "; ".join(dict.fromkeys(found["data"].dropna().astype(str))) if "data" in found else ""


def write_origins(path: Path, rows: Iterable[Mapping[str, str]]) -> None:
    """Write the table of origins, .csv, by file."""
    table = pd.DataFrame(sorted(rows, key=lambda row: row["file"]), columns=list(COLUMNS))
    write_text(path, table.to_csv(index=False, lineterminator="\n"))


def read_origins(path: Path) -> dict[str, dict[str, str]]:
    """Return the rows of a table of origins, by file; none where there is no table."""
    if not path.is_file():
        return {}
    table = read_table(path, dtype=str).fillna("")
    if list(table.columns) != list(COLUMNS):
        raise InputError(f"{path}: columns {', '.join(table.columns)}; allowed are {', '.join(COLUMNS)}")
    return {row["file"]: row for row in table.to_dict("records")}


def of_today(row: Mapping[str, str] | None) -> tuple[str, list[str]]:
    """Whether today's code would make a file as it was made, and the scripts whose code changed."""
    if row is None or not row["code"]:
        return UNKNOWN, []
    changed = []
    for part in row["code"].split("; "):
        *files, found = part.split()
        try:
            same = digest(*files) == found
        except FileNotFoundError:  # the script, or what it imports, is gone
            same = False
        changed += [] if same else files[:1]
    return (CHANGED if changed else SAME), changed


def cells(files: Sequence[str], origins: Mapping[str, Mapping[str, str]]) -> list[list[str]]:
    """Return a row for each file: its name, the commit that made it, and whether today's code for it is the same."""
    rows = []
    for file in files:
        status, changed = of_today(origins.get(file))
        more = f": {', '.join(changed)}" if changed else ""
        told = status + more if status != UNKNOWN else f"{UNKNOWN}, {BEFORE}"
        rows.append([file.partition("/")[2], origins.get(file, {}).get("commit") or "unknown", told])
    return rows
