"""Cells of tables as texts and numbers, and the way both are printed."""

import math
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from lib.core.errors import InputError
from lib.core.files import reading


def read_table(path: str | Path, dtype: type | None = None) -> pd.DataFrame:
    """Read a result table; empty cells become NaN, and nothing else does. InputError names the file.

    dtype: `str` leaves every cell as it is written; None turns columns of numbers into numbers.
    """
    with reading(path, "CSV"):
        return pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=dtype)


def read_verdicts(path: str | Path, columns: list[str]) -> pd.DataFrame:
    """Return a table of verdicts, all texts; raises InputError if it has other columns."""
    verdicts = read_table(path, dtype=str).fillna("")
    if list(verdicts.columns) != columns:
        raise InputError(f"{path}: has the columns {list(verdicts.columns)}; allowed: {columns}")
    return verdicts


def text(cell: object) -> str:
    """Return a cell as text, "" where it is empty."""
    return "" if cell is None or (isinstance(cell, float) and math.isnan(cell)) else str(cell)


def number(cell: object, where: str) -> float:
    """Return a cell as a number, NaN where it is empty; InputError says where there is text instead."""
    try:
        return float(text(cell) or math.nan)
    except ValueError as error:
        raise InputError(f"{where}: {cell!r} is not allowed; allowed: a number or nothing") from error


def same(cell: object, value: object) -> bool:
    """Equality of cells, by number where both are numbers (1000 is 1000.0)."""
    left, right = text(cell), text(value)
    try:
        return math.isclose(float(left), float(right), rel_tol=1e-9)
    except ValueError:
        return left == right


def printed(value: float) -> str:
    """Six digits, and all digits before the point: rounded again to three, they are the number's own three."""
    return f"{value:.0f}" if 1e6 <= abs(value) < 1e7 else f"{value:.6g}"


def joined(texts: Iterable[str], separator: str = "; ") -> str:
    """Return the texts that are not empty, each once."""
    return separator.join(dict.fromkeys(filter(None, texts)))


def joined_numbers(numbers: Iterable[float]) -> str:
    """As `joined`, unless the numbers differ: then one for each comparison, `?` where a table does not state it."""
    texts = ["?" if math.isnan(value) else printed(value) for value in numbers]
    return texts[0].replace("?", "") if len(set(texts)) == 1 else "; ".join(texts)
