"""Fill the numbers of results into texts, so that no number of a run is typed.

A placeholder stands in braces:

* `{v09}`: what was measured for a claim or a check; `{v09.paper}`: what the paper prints;
* `{table.column where a=b;c=d}`: a cell of a result table, or the least to the most of several (`a=`: empty, `a!=b`);
* `{table.column ± where a=b}`: the cell with its spread over repetitions, `0.944 ± 0.001`;
* `{= 100 * [table.column where a=b] / [v09] - 100}`: computed from cells, of several by `max[]`, `min[]`, `count[]`;
* `| 1` in front of the closing brace asks for so many decimals; without it there are three digits.

An epsilon is rounded up and a lower bound down; `| 0 up` and `| 1 down` say so of what is computed.
"""

import ast
import operator
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any

import pandas as pd

from lib.core.errors import InputError
from lib.reporting.digits import as_read, rounded
from lib.reporting.headlines import measured, numbers_of
from lib.reporting.tables import needs_statement, safe

_BRACES = re.compile(r"\{([^{}]+)\}")
_CELL = re.compile(r"([a-z_0-9]+)(?:\.([a-z_0-9.]+))?( ±)?(?: where (.+))?")
_FORMAT = re.compile(r"(.*?)(?:\s*\|\s*(\d)(?:\s+(up|down))?)?", re.DOTALL)
_OPERAND = re.compile(r"(max|min|count)?\[((?:[^\[\]]|\[[^\[\]]*\])+)\]")
_ITEM = re.compile(r"((?:\* )?)((?:\*\*[^*]+\*\* )?)(.*)")
_SENTENCE = re.compile(r"(?<=[.:])\s+(?=[A-Z*`])(?![^{]*\})")
_OPERATORS: dict[type, Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
}
_LISTS: Mapping[str, Callable] = {"max": max, "min": min, "count": len}
_ROUNDINGS = {"up": ROUND_CEILING, "down": ROUND_FLOOR, None: ROUND_HALF_EVEN}


class _LackingError(Exception):
    """A number that a text quotes is not among the results."""


@dataclass(frozen=True)
class Sources:
    """Where the numbers of a text come from: verdicts on claims and checks of one paper, and result tables by name."""

    verdicts: pd.DataFrame | None
    tables: Mapping[str, pd.DataFrame]

    def verdict(self, name: str) -> Mapping[str, str] | None:
        """Return the verdict on a claim, by the end of its id (v09); None if there is none."""
        if self.verdicts is None:
            return None
        found = self.verdicts[self.verdicts["id"].str.endswith(f".{name}")]
        return found.iloc[0].to_dict() if len(found) else None


def filled(text: str, sources: Sources) -> str:
    """Return the text with its numbers, or "" if one is not there: a sentence without its number says nothing.

    Raises InputError for a placeholder that cannot be read.
    """
    try:
        return _BRACES.sub(lambda match: _written(match[1], sources), text)
    except _LackingError:
        return ""


def filled_by_sentence(text: str, sources: Sources) -> str:
    """Return Markdown with its numbers, without the sentences of which a number is not there.

    A paragraph or an item of a list of which nothing but its bold title is left is left out, too.
    """
    return "\n\n".join(filter(None, (_paragraph(part, sources) for part in re.split(r"\n\s*\n", text))))


def _paragraph(text: str, sources: Sources) -> str:
    if "{" not in text:
        return text.strip("\n")
    items = re.split(r"\n(?=\* )(?![^{]*\})", text.strip("\n"))
    return "\n".join(filter(None, (_item(item, sources) for item in items)))


def _item(text: str, sources: Sources) -> str:
    start, title, text = _groups(_ITEM, text)
    left = " ".join(filter(None, (filled(sentence, sources) for sentence in _SENTENCE.split(text))))
    if not left:
        return ""
    indent = " " * len(start)
    lines = textwrap.wrap(
        start + title + left, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines)


def _groups(pattern: re.Pattern[str], text: str) -> tuple[str | Any, ...]:
    """Return the groups of a pattern that every text matches."""
    match = pattern.fullmatch(" ".join(text.split()))
    assert match is not None
    return match.groups()


def _written(placeholder: str, sources: Sources) -> str:
    """Return the number that a placeholder stands for."""
    what, decimals, way = _groups(_FORMAT, placeholder)  # a line may end in it
    if what.startswith("="):
        value = _computed(what[1:].strip(), sources)
        return rounded(value) if decimals is None else _fixed(value, int(decimals), way)
    name, column, spread, where = _parsed(what)
    verdict = sources.verdict(name)
    if verdict is not None and column in (None, "paper"):
        if not (column or verdict["measured"]):
            raise _LackingError
        return as_read(verdict["paper_value"]) if column else measured(verdict)
    rows = _rows(name, column, where, sources)
    ends = list(dict.fromkeys(_shown(row, column, decimals, bool(spread)) for row in rows))
    return " to ".join(ends)


def _parsed(what: str) -> tuple[str | Any, ...]:
    match = _CELL.fullmatch(what.strip())
    if match is None:
        raise InputError(f"{{{what}}}: allowed is a claim, or TABLE.COLUMN where COLUMN=VALUE;COLUMN=VALUE")
    return match.groups()


def _rows(name: str, column: str | None, where: str | None, sources: Sources) -> list[Mapping[str, Any]]:
    """Return the rows with the least and the most of a column among those that the placeholder chooses."""
    frame = _chosen(name, column, where, sources).sort_values(column)
    return [frame.iloc[0].to_dict(), frame.iloc[-1].to_dict()]


def _chosen(name: str, column: str | None, where: str | None, sources: Sources) -> pd.DataFrame:
    frame = sources.tables.get(name)
    if frame is None or column not in frame:
        raise _LackingError
    for part in where.split(";") if where else ():
        key, _, value = part.partition("=")
        cells = frame.get(key.removesuffix("!"))
        if cells is None:
            raise _LackingError
        same = cells.isna() if not value else (cells.astype(str) == value) | (_numbers(cells) == _number(value))
        frame = frame[~same if key.endswith("!") else same]
    frame = frame[frame[column].notna()]
    if frame.empty:
        raise _LackingError
    return frame


def _shown(row: Mapping[str, Any], column: str, decimals: str | None, with_spread: bool) -> str:
    value = row[column]
    if isinstance(value, str):
        return value
    if decimals is None:
        text = rounded(safe(value, column, 3))
    else:
        way = "up" if needs_statement(column) else "down" if column.startswith("lower_bound") else None
        text = _fixed(value, int(decimals), way)
    spread = row.get(f"{column}_spread")
    if with_spread and spread is not None and pd.notna(spread) and spread > 0:
        text += f" ± {rounded(spread, 1)}"
    return text


def _fixed(value: float, decimals: int, way: str | None) -> str:
    """Return a number with so many decimals, rounded up, down, or to the nearest."""
    nearest = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), rounding=_ROUNDINGS[way])
    return f"{nearest + 0:,}"


def _computed(expression: str, sources: Sources) -> float:
    """Return the value of an arithmetic expression, whose operands stand in brackets."""
    values: list[float] = []

    def operand(match: re.Match) -> str:
        found = list(_operands(match[2], sources))
        if match[1]:
            values.append(_LISTS[match[1]](found))
        elif len(set(found)) > 1:
            raise InputError(f"[{match[2]}]: chooses {len(found)} numbers; allowed is one, or max[...] or min[...]")
        else:
            values.append(found[0])
        return f" _{len(values) - 1} "

    written = _OPERAND.sub(operand, expression).strip()
    try:
        return float(_value(ast.parse(written, mode="eval").body, values))
    except (SyntaxError, KeyError) as error:
        raise InputError(f"{{= {expression}}}: allowed are numbers, [operands], + - * / and parentheses") from error


def _operands(what: str, sources: Sources) -> Iterator[float]:
    name, column, _, where = _parsed(what)
    verdict = sources.verdict(name)
    if verdict is None or column not in (None, "paper"):
        cells = _chosen(name, column, where, sources)[column]
        yield from cells.astype(float) if pd.api.types.is_numeric_dtype(cells) else cells
    elif column:
        yield float(verdict["paper_value"])
    else:
        found = numbers_of(verdict)
        if not found:
            raise _LackingError
        yield from found


def _value(node: ast.AST, values: Sequence[float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.Name):
        return values[int(node.id[1:])]
    if isinstance(node, ast.BinOp):
        return _OPERATORS[type(node.op)](_value(node.left, values), _value(node.right, values))
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_value(node.operand, values))
    raise KeyError(type(node).__name__)


def _numbers(cells: pd.Series) -> pd.Series:
    return pd.to_numeric(cells, errors="coerce")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
