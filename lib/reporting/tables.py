"""Result tables: a CSV, and beside it the meaning of every epsilon in it."""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from lib.core.files import atomic_path
from pate_accountant.rounding import rounded_down, rounded_up
from pate_accountant.statement import PrivacyStatement

# A column whose name has the word epsilon holds privacy statements, except quotations, spreads
# and what is said of a column in another.
_EPSILON = re.compile(r"(^|_)epsilon(_|$)")
_PLAIN = re.compile(r"^paper_|_(spread|std|seeds|protocol)$")
DIGITS = 6


def needs_statement(column: str) -> bool:
    """Return whether the cells of this column must be privacy statements."""
    return bool(_EPSILON.search(column)) and not _PLAIN.search(column)


def safe(value: float, column: str, digits: int = DIGITS) -> float:
    """Round a bound to so many digits: an epsilon up, as bits at most, a lower bound down; others stay as they are.

    >>> safe(0.12341, "epsilon", 3), safe(0.12349, "lower_bound", 3), safe(0.0, "lower_bound_mean", 3)
    (0.124, 0.123, 0.0)
    """
    if needs_statement(column) or column in ("bits", "bits_all"):
        return rounded_up(value, digits)
    return rounded_down(value, digits) if column.startswith("lower_bound") else value


def yes_no(value: bool) -> str:
    """How tables say it."""
    return "yes" if value else "no"


def write_table(path: str | Path, privacy_path: str | Path, rows: list[dict], key: Sequence[str]) -> None:
    """Write `rows` (equal keys, in column order) to `path`, and every statement in them to `privacy_path`.

    A cell of an epsilon column must be a PrivacyStatement or None: a bare number raises TypeError. `key` names the
    columns that identify a row; `privacy_path` has one line a statement: key, column, and the statement's values.
    Numbers have DIGITS significant digits: an epsilon's are never below, a lower bound's never above what it is. None
    becomes an empty cell. Raises ValueError if there are no rows.
    """
    if not rows:
        raise ValueError(f"{Path(path).name}: no rows; a table that no run is chosen for is not made")
    statements, plain = [], []
    for row in rows:
        for column, cell in row.items():
            if needs_statement(column) and not (cell is None or isinstance(cell, PrivacyStatement)):
                raise TypeError(f"{Path(path).name}, column {column}: a bare epsilon ({cell!r}), not a statement")
        made = {name: _written(cell) for name, cell in row.items() if isinstance(cell, PrivacyStatement)}
        statements += [{name: row[name] for name in key} | {"column": name} | cell for name, cell in made.items()]
        bounds = {name: safe(cell, name) for name, cell in row.items() if isinstance(cell, float)}
        plain.append(row | bounds | {name: cell["epsilon"] for name, cell in made.items()})
    fields = [*key, "column", *PrivacyStatement.__dataclass_fields__, "guarantee"]
    for target, content, columns in ((path, plain, list(rows[0])), (privacy_path, statements, fields)):
        _write(target, pd.DataFrame(content, columns=columns))


def write_numbers(path: str | Path, frame: pd.DataFrame) -> None:
    """Write the numbers behind a figure, which say what their epsilons mean in columns of their own, as a table's."""
    bounds = {name: frame[name].map(partial(safe, column=name)) for name in frame.select_dtypes("float")}
    _write(path, frame.assign(**bounds))


def _write(path: str | Path, frame: pd.DataFrame) -> None:
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False, float_format=f"%.{DIGITS}g")


def _written(statement: PrivacyStatement) -> dict:
    return statement.as_dict() | {"epsilon": rounded_up(statement.epsilon, DIGITS)}
