"""Two tables of one result, before and after a setting was changed: the numbers that differ."""

from pathlib import Path

import pandas as pd

from lib.core.errors import InputError
from lib.reporting.digits import rounded
from lib.reporting.tables import safe

COLUMNS = ["row", "column", "before", "after"]
_MOST = 20  # numbers in the picture and on the screen
_OF_OTHERS = ("_spread", "_std", "_error")  # ends of columns that say how certain others are
_KEYS = 3  # texts that name a row, at most


def changes(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Return COLUMNS: each number of a table that is another one in the second, in the order of the table.

    A row is named by the first columns of text that tell rows apart. Raises InputError where the tables do not have as
    many rows, or rows of other names: then no number has another beside it.
    """
    texts = [name for name in before.select_dtypes(exclude="number") if name in after]
    names, others = _names(before, texts), _names(after, texts)
    if names != others:
        raise InputError(
            f"the setting changes which rows there are: {len(names)} before, {len(others)} after; compare them yourself"
        )
    found = [
        {"row": row, "column": name, "before": one, "after": other}
        for place, row in enumerate(names)
        for name in before.select_dtypes("number")
        if name in after
        for one, other in [(before[name].iloc[place], pd.to_numeric(after[name], errors="coerce").iloc[place])]
        if one != other and not (pd.isna(one) and pd.isna(other))
    ]
    return pd.DataFrame(found, columns=COLUMNS)


def first(found: pd.DataFrame) -> pd.DataFrame:
    """Return those of `changes` that a person sees: the first that are no spreads."""
    return found[~found["column"].str.endswith(_OF_OTHERS).astype(bool)].head(_MOST)


def written(row: pd.Series) -> tuple[str, str]:
    """Write the two numbers of a row of `changes` to three digits, an epsilon rounded up and a lower bound down."""
    before, after = (rounded(safe(value, row["column"], 3)) for value in (row["before"], row["after"]))
    return before, after


def draw(found: pd.DataFrame, *paths: Path) -> None:
    """Draw the `first` of `changes`: after over before, on a logarithmic axis; those not positive have none."""
    from lib.reporting.plotting import figure, save  # here, so that a comparison alone waits for no matplotlib

    shown = first(found[(found["before"] > 0) & (found["after"] > 0)])
    with figure(width=8.3, height=1.1 + 0.26 * len(shown)) as (drawn, (axis,)):
        axis.plot(shown["after"] / shown["before"], range(len(shown)), "o", color="#0072B2")
        axis.axvline(1, color="0.3", lw=1)
        axis.set_xscale("log")
        labels = [f"{row['row']}: {row['column']}  {' → '.join(written(row))}" for _, row in shown.iterrows()]
        axis.set_yticks(range(len(shown)), labels)
        axis.invert_yaxis()
        axis.set_xlabel("after divided by before")
        save(drawn, *paths)


def _names(table: pd.DataFrame, texts: list[str]) -> list[str]:
    """Name each row by the fewest of its first texts that tell all rows apart, or by all of these and its number."""
    varied = [name for name in texts if table[name].nunique(dropna=False) > 1] or texts[:1]
    for count in range(1, min(_KEYS, len(varied)) + 1):
        names = [" ".join(map(str, row)) for row in table[varied[:count]].itertuples(index=False)]
        if len(set(names)) == len(names):
            return names
    names = [" ".join(map(str, row)) for row in table[varied[:_KEYS]].itertuples(index=False)]
    return [f"{name} ({number})".strip() for number, name in enumerate(names, 1)]
