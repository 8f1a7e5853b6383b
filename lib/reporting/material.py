"""Reading what a page is made of: outline, readings, tables, verdicts and claims of one paper."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from lib.core.errors import InputError
from lib.reporting.claims.cells import read_table, read_verdicts
from lib.reporting.claims.controls import Controls, shipped_controls
from lib.reporting.claims.ledger import COLUMNS
from lib.reporting.claims.loading import load_claims
from lib.reporting.outline import load_outline
from lib.reporting.pages import Material


def gather(
    paper: str,
    outline: Path,
    readings: Path,
    results: list[dict],
    tables: Mapping[str, str | Path],
    columns: Mapping[str, list[str]],
    files: Mapping[str, str],
    figures: Mapping[str, str],
    verdicts: pd.DataFrame | None = None,
    ledger: Sequence[Path] = (),
    origins: Sequence[Sequence[str]] = (),
    drawn: Mapping[str, str | Path] | None = None,
) -> Material:
    """Read it; `verdicts` and `ledger` are of all papers, or none where nothing is claimed. Else as `Material`.

    drawn: tables that figures are drawn from, which texts may quote.
    Raises InputError for a file that cannot be read and for columns that a table does not have.
    """
    frames = {item: chosen(read_table(path), item, columns.get(item)) for item, path in tables.items()}
    try:
        text = readings.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror})") from error
    claims = [claim for claim in load_claims(*ledger) if claim["paper"] == paper]
    return Material(
        outline=load_outline(outline),
        readings=text,
        results=results,
        tables=frames,
        columns=columns,
        files=files,
        figures=figures,
        ledger=claims,
        verdicts=verdicts,
        controls={} if verdicts is None else own_controls(paper),
        origins=origins,
        quoted={item: read_table(path) for item, path in (drawn or {}).items()},
    )


def own_controls(paper: str) -> Controls:
    """Return the controls of one paper."""
    return {key: row for key, row in shipped_controls().items() if key[0] == paper}


def own_claims(verdicts: Sequence[Path], paper: str) -> pd.DataFrame | None:
    """Read the verdicts on one paper's claims and checks; None without files.

    Raises InputError where the files have none of this paper.
    """
    if not verdicts:
        return None
    found = pd.concat([read_verdicts(path, COLUMNS) for path in verdicts])
    found = found[found["paper"] == paper]
    if found.empty:
        raise InputError(f"{' and '.join(map(str, verdicts))}: has no claims of {paper!r}")
    return found


def chosen(table: pd.DataFrame, item: str, names: list[str] | None) -> pd.DataFrame:
    """Return the table; raises InputError where it lacks a column that is to be shown."""
    if unknown := [name for name in names or [] if name not in table.columns]:
        raise InputError(f"--columns: {item} has no columns {unknown}; it has {list(table.columns)}")
    return table
