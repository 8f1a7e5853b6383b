"""The rows of result tables that a claim is about, and the pairs of them that it compares."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from lib.reporting.claims.cells import joined, number, same, text

GRADES = ("paper", "reduced", "substitute data")

Claim = Mapping[str, str]
Tables = Mapping[tuple[str, str], pd.DataFrame]


class MissingError(Exception):
    """The results lack something that is needed; the message says what."""


@dataclass(frozen=True)
class Number:
    """One measured number, with what its table says of it; error: a standard error that its repetitions share."""

    value: float
    spread: float
    seeds: float
    dataset: str
    data: str
    stands_for: str
    protocol: str
    error: float = 0.0

    @property
    def grade(self) -> str:
        """How strong the evidence is: the paper's data and protocol, less of its data, or other data."""
        return "substitute data" if self.stands_for else "paper" if self.protocol == "paper" else "reduced"


@dataclass(frozen=True)
class Pair:
    """A selected row beside the row that it is compared with: none for a constant, itself for another column."""

    row: dict
    other: dict | None
    label: str

    @property
    def sides(self) -> list[dict]:
        """The rows that are compared, each once."""
        return [self.row] if self.other is None or self.other is self.row else [self.row, self.other]

    @property
    def dataset(self) -> str:
        """The paper's dataset: that of the row, or what it stands for."""
        return text(self.row.get("stands_for")) or text(self.row.get("dataset"))


@dataclass
class Selected:
    """The pairs of a claim, and in words what was missing or did not pass its gate."""

    pairs: list[Pair]
    absent: list[str] = field(default_factory=list)
    shut_out: int = 0


def parsed(filters: str) -> dict[str, str]:
    """Parse `column=value;column=value`."""
    return dict(part.split("=") for part in filters.split(";")) if filters else {}


def written(wanted: Mapping[str, str]) -> str:
    """Return a filter in words."""
    return " and ".join(f"{column} is {'any' if value == '*' else value}" for column, value in wanted.items())


def select_pairs(claim: Claim, tables: Tables) -> Selected:
    """Each selected row that passes the claim's gate, beside the rows that it is compared with.

    Raises MissingError where nothing is left; a gate that lets none through leaves no pairs and raises nothing. `*` in
    a gate is anything but nothing.
    """
    records, absent = _records(claim, tables)
    here, there = parsed(claim["row"]), parsed(claim["than_row"])
    rows = select(records, here, claim["table"])
    found = Selected([], absent)
    gate = parsed(claim["gate"])
    for column in gate:
        if not any(column in row for row in rows):
            raise MissingError(f"{claim['table']} has no column {column}")
    passed = [row for row in rows if _passes(row, gate)]
    found.shut_out = len(rows) - len(passed)
    if not there:
        others = [[row if claim["than_column"] else None] for row in passed]
    else:
        candidates = select(records, there, claim["table"])
        shared = ({"dataset"} | set(here)) - set(there)
        others = [[o for o in candidates if all(same(o.get(n), row.get(n)) for n in shared)] for row in passed]
    for row, beside in zip(passed, others, strict=True):
        found.pairs += [Pair(row, other, _label((row, here), (other or row, here | there))) for other in beside]
        if not beside:
            found.absent.append(f"no row where {written(there)} beside {_label((row, here))}")
    if passed and not found.pairs:
        raise MissingError("; ".join(found.absent))
    return found


def _records(claim: Claim, tables: Tables) -> tuple[list[dict], list[str]]:
    """All rows of the claim's tables, and which of these tables are absent."""
    if not claim["table"]:
        raise MissingError("no target measures this yet")
    items = claim["table"].split(";")
    present = [item for item in items if (claim["paper"], item) in tables]
    absent = [f"target {claim['paper']}_{item} is not there" for item in items if item not in present]
    if not present:
        raise MissingError("; ".join(absent))
    if not claim["column"]:
        raise MissingError(f"the claim names no column of {' and '.join(present)} yet")
    return [row for item in present for row in tables[claim["paper"], item].to_dict("records")], absent


def select(records: list[dict], wanted: Mapping[str, str], name: str) -> list[dict]:
    """Return the rows that match a filter, of the dataset or else of its substitute; MissingError where none do."""
    rows = records
    for column, value in wanted.items():
        if not any(column in row for row in records):
            raise MissingError(f"{name} has no column {column}")
        if column != "dataset" and value != "*":
            rows = [row for row in rows if same(row.get(column), value)]
    dataset = wanted.get("dataset", "*")
    if dataset != "*":
        # Substitutes count only where the data themselves are absent, so that they never blur the real comparison.
        itself = [row for row in rows if text(row.get("dataset")) == dataset]
        rows = itself or [row for row in rows if text(row.get("stands_for")) == dataset]
    if not rows:
        raise MissingError(f"{name} has no row" + (f" where {written(wanted)}" if wanted else ""))
    return rows


def _passes(row: dict, gate: Mapping[str, str]) -> bool:
    return all(
        text(row.get(column)) if value == "*" else same(row.get(column), value) for column, value in gate.items()
    )


def _label(*sides: tuple[dict, Mapping[str, str]]) -> str:
    """Tell a comparison from the others of its claim: the dataset, and what the filter of each row leaves open."""
    parts = [text(sides[0][0].get("dataset"))]
    for row, wanted in sides:
        parts += [
            f"{name} {text(row.get(name))}" for name, value in wanted.items() if value == "*" and name != "dataset"
        ]
    return ", ".join(dict.fromkeys(filter(None, parts)))


def read_pair(claim: Claim, pair: Pair) -> tuple[Number, ...]:
    """Return the one or two numbers of a pair; raises MissingError, naming the cell, where one is absent or empty."""
    sides = [(pair.row, claim["column"])]
    if pair.other is not None:
        sides.append((pair.other, claim["than_column"] or claim["column"]))
    absent = [_absence(side, column, claim["table"]) for side, column in sides if not text(side.get(column))]
    if absent:
        raise MissingError(joined(absent))
    return tuple(read_number(side, column, claim["table"]) for side, column in sides)


def _absence(row: dict, column: str, name: str) -> str:
    """Say which cell is absent or empty; a row's first cells tell it from the others."""
    if column not in row:
        return f"{name} has no column {column}"
    return f"{name} has an empty {column} for {joined(map(text, list(row.values())[:3]), ' ')}"


def read_number(row: dict, column: str, name: str) -> Number:
    """Read a cell that is not empty, with its spread, seeds, data and protocol."""

    def facet(which: str) -> object:
        own = row.get(f"{column}_{which}")
        return own if text(own) else row.get(which)

    dataset, data, stands_for = (text(row.get(key)) for key in ("dataset", "data", "stands_for"))
    seeds = number(facet("seeds"), f"{name}: column seeds")
    error = number(row.get(f"{column}_held_out_error"), f"{name}: column {column}_held_out_error")
    return Number(
        value=number(row[column], f"{name}: column {column}"),
        spread=0.0 if seeds == 0 else number(row.get(f"{column}_spread"), f"{name}: column {column}_spread"),
        seeds=seeds,
        dataset=dataset,
        data=f"{dataset} ({data})" if dataset and data and data != dataset else dataset or data,
        stands_for="" if stands_for == dataset else stands_for,
        protocol=text(facet("protocol")) or "not stated in the table",
        error=0.0 if math.isnan(error) else error,
    )
