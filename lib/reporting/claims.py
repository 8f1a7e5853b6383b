"""What each paper claims, and the verdict on it, computed from the result tables and never typed in.

A claim is one row of `claims.csv` (`schemas/claims.schema.yaml`); its `row`, `column` and `table` say what is measured.

Which rows. `row` and `than_row` are filters, `column=value` joined by `;`, `*` for any value. Rows of `dataset` are
taken; where there is none, rows that `stands_for` it, and then the data are a substitute. A filter may select several
rows: the claim must hold on each. `than_row` says only what differs: each selected row is compared with the rows that
match `than_row` and equal it in `dataset` and in every other column that `row` names. Without `than_row` the other
side is `than_column` of the same row, or the constant in `value`.

What a table says of a number in `column`: `column_spread` is its standard deviation over seeds, `seeds` their number (0
where nothing is random), `protocol` is `paper` where images, epochs and the like are the paper's own, and the text of
what was reduced otherwise. `column_seeds` and `column_protocol` go before `seeds` and `protocol`, since one
row may hold a published number beside a trained one.

Value claims, on the paper's data and protocol (else `substitute data` or `reduced`): `reproduced` within the tolerance,
`undecided` where only tolerance plus spread reaches the paper's number, else `not reproduced`.

Order claims, on any data and protocol: `reproduced` where the relation holds. The spread of a difference is the root of
the sum of the squares of both sides' spreads; the claim is `undecided` where the difference is not larger than that, or
where either side has one or two seeds, or seeds but no stated spread. Where nothing is random the numbers are compared
as they are.

One row that contradicts a claim outweighs rows that leave it open, and these outweigh rows that support it. Rows that
cannot be judged are named in the note; where none can, the claim is `not run`, and the note says what was missing.
"""

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pandas as pd
import yaml

from lib.core.errors import InputError
from lib.core.files import reading

DATA_FILES = ("../../schemas/claims.schema.yaml",)
VERDICTS = ("reproduced", "not reproduced", "undecided", "reduced", "substitute data", "not run")
COLUMNS = ["id", "paper", "where", "quantity", "paper_value", "measured", "spread", "seeds", "data", "verdict", "note"]

_SEVERITY = ("reproduced", "undecided", "not reproduced")
_ENOUGH_SEEDS = 3
_REPEATS = "repeats "

Claim = Mapping[str, str]
Tables = Mapping[tuple[str, str], pd.DataFrame]


@dataclass(frozen=True)
class Verdict:
    """A verdict out of VERDICTS with what it rests on, as text for a table."""

    verdict: str
    measured: str = ""
    spread: str = ""
    seeds: str = ""
    data: str = ""
    note: str = ""


class _MissingError(Exception):
    """The results lack something that the claim needs; the message says what."""


@dataclass(frozen=True)
class _Number:
    """One measured number, with what its table says of it."""

    value: float
    spread: float
    seeds: float
    dataset: str
    data: str
    stands_for: str
    protocol: str


@dataclass(frozen=True)
class _Finding:
    """One selected row, judged."""

    outcome: str
    text: str
    spread: float
    seeds: float
    reason: str
    numbers: tuple[_Number, ...]


def load_claims(path: str | Path) -> list[dict[str, str]]:
    """Read and check the ledger, a dict of texts a claim.

    Raises InputError, one line with the claim's id, the column, its value and what is allowed.
    """
    try:
        with open(path, newline="", encoding="utf-8") as stream:
            claims = list(csv.DictReader(stream, restkey="(cells beyond the header)"))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: not a readable CSV file ({error})") from error
    if not claims:
        raise InputError(f"{path}: has no claims")
    validator = jsonschema.Draft202012Validator(_schema())
    for line, claim in enumerate(claims, start=1):
        for error in validator.iter_errors(claim):
            raise InputError(f"{path}: {claim.get('id') or f'claim {line}'}: {_complaint(error)}")
    _check_ids(path, claims)
    return claims


def _schema() -> dict:
    return yaml.safe_load((Path(__file__).parent / DATA_FILES[0]).read_text(encoding="utf-8"))


def _complaint(error: jsonschema.ValidationError) -> str:
    """Say in one line what the schema refuses."""
    if error.validator == "required":
        absent = [name for name in error.validator_value if name not in error.instance]
        return f"lacks the columns {absent}"
    if error.validator == "additionalProperties":
        unknown = [name for name in error.instance if name not in error.schema["properties"]]
        return f"has the unknown columns {unknown}; allowed: {', '.join(error.schema['properties'])}"
    allowed = error.schema.get("description") or ", ".join(value or "empty" for value in error.schema["enum"])
    return f"column {error.absolute_path[-1]}: {error.instance!r} is not allowed; allowed: {allowed}"


def _check_ids(path: str | Path, claims: list[dict[str, str]]) -> None:
    """Refuse what no row alone shows: ids that occur twice, repeats of nothing, of repeats, of another paper."""
    originals = {(claim["paper"], claim["id"]) for claim in claims if not claim["same_as"]}
    seen: set[str] = set()
    for claim in claims:
        faults = {
            "id": (claim["id"] in seen, "each id once"),
            "paper": (not claim["id"].startswith(claim["paper"] + "."), "the paper that the id names"),
            "same_as": (
                claim["same_as"] and (claim["paper"], claim["same_as"]) not in originals,
                "the id of a claim of the same paper that is no repeat itself",
            ),
        }
        for column, (wrong, allowed) in faults.items():
            if wrong:
                value = claim[column]
                raise InputError(
                    f"{path}: {claim['id']}: column {column}: {value!r} is not allowed; allowed: {allowed}"
                )
        seen.add(claim["id"])


def read_table(path: str | Path, dtype: type | None = None) -> pd.DataFrame:
    """Read a result table; empty cells become NaN, and nothing else does. InputError names the file.

    dtype: `str` leaves every cell as it is written; None turns columns of numbers into numbers.
    """
    with reading(path, "CSV"):
        return pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=dtype)


def read_verdicts(path: str | Path, columns: list[str]) -> pd.DataFrame:
    """A table of verdicts, all texts; raises InputError if it has other columns."""
    verdicts = read_table(path, dtype=str).fillna("")
    if list(verdicts.columns) != columns:
        raise InputError(f"{path}: has the columns {list(verdicts.columns)}; allowed: {columns}")
    return verdicts


def judge_all(claims: Iterable[Claim], tables: Tables) -> pd.DataFrame:
    """Verdicts on all claims, a row each with COLUMNS, all texts; a repeat takes the verdict of what it repeats."""
    claims = list(claims)
    verdicts = {claim["id"]: judge(claim, tables) for claim in claims if not claim["same_as"]}
    rows = []
    for claim in claims:
        verdict = verdicts[claim["same_as"] or claim["id"]]
        note = _joined([_REPEATS + claim["same_as"], claim["note"]]) if claim["same_as"] else verdict.note
        stated = {name: claim[name] for name in ("id", "paper", "where")}
        stated |= {"quantity": _quantity(claim), "paper_value": _paper_value(claim)}
        rows.append(stated | vars(verdict) | {"note": note})
    return pd.DataFrame(rows, columns=COLUMNS)


def is_repeat(note: str) -> bool:
    """Whether a row of `judge_all` with this note repeats another, and so does not count."""
    return note.startswith(_REPEATS)


def judge(claim: Claim, tables: Tables) -> Verdict:
    """The verdict on one claim that is no repeat; `tables` maps (paper, item) to the result table.

    Raises InputError where a table has text in the place of a number.
    """
    try:
        records, absent = _records(claim, tables)
        pairs, unpaired = _pairs(claim, records)
        findings, empty = _findings(claim, pairs)
    except _MissingError as missing:
        return Verdict("not run", note=_joined([str(missing), claim["note"]]))
    numbers = [number for finding in findings for number in finding.numbers]
    substitutes = [f"{n.dataset} stands for {n.stands_for}" for n in numbers if n.stands_for]
    protocols = [f"protocol: {n.protocol}" for n in numbers if n.protocol != "paper"]
    verdict = max((finding.outcome for finding in findings), key=_SEVERITY.index)
    reasons = [finding.reason for finding in findings]
    if claim["kind"] == "value" and (substitutes or protocols):
        verdict = "substitute data" if substitutes else "reduced"
        reasons = []
    missing = _joined(absent + unpaired + empty, ", ")
    return Verdict(
        verdict,
        measured="; ".join(finding.text for finding in findings),
        spread=_joined_numbers(finding.spread for finding in findings),
        seeds=_joined_numbers(finding.seeds for finding in findings),
        data=_joined(n.data for n in numbers),
        note=_joined([*substitutes, *protocols, *reasons, missing and f"not compared: {missing}", claim["note"]]),
    )


def _records(claim: Claim, tables: Tables) -> tuple[list[dict], list[str]]:
    """All rows of the claim's tables, and which of these tables are absent."""
    if not claim["table"]:
        raise _MissingError("no target measures this yet")
    items = claim["table"].split(";")
    present = [item for item in items if (claim["paper"], item) in tables]
    absent = [f"target {claim['paper']}_{item} is not there" for item in items if item not in present]
    if not present:
        raise _MissingError("; ".join(absent))
    if not claim["column"]:
        raise _MissingError(f"the claim names no column of {' and '.join(present)} yet")
    return [row for item in present for row in tables[claim["paper"], item].to_dict("records")], absent


def _pairs(claim: Claim, records: list[dict]) -> tuple[list[tuple[dict, dict | None]], list[str]]:
    """Each selected row with the row that it is compared with (none for a number), and the rows without one."""
    here, there = _filter(claim["row"]), _filter(claim["than_row"])
    rows = _select(records, here, claim["table"])
    if not there:
        return [(row, row if claim["than_column"] else None) for row in rows], []
    candidates = _select(records, there, claim["table"])
    shared = ({"dataset"} | set(here)) - set(there)
    pairs, unpaired = [], []
    for row in rows:
        others = [other for other in candidates if all(_same(other.get(name), row.get(name)) for name in shared)]
        pairs += [(row, other) for other in others]
        if not others:
            unpaired.append(f"no row where {_written(there)} beside {_label([row], here)}")
    if not pairs:
        raise _MissingError("; ".join(unpaired))
    return pairs, unpaired


def _filter(text: str) -> dict[str, str]:
    """Parse `column=value;column=value`."""
    return dict(part.split("=") for part in text.split(";")) if text else {}


def _select(records: list[dict], wanted: dict[str, str], name: str) -> list[dict]:
    """The rows that match, of the dataset itself or else of what stands for it."""
    rows = records
    for column, value in wanted.items():
        if not any(column in row for row in records):
            raise _MissingError(f"{name} has no column {column}")
        if column != "dataset" and value != "*":
            rows = [row for row in rows if _same(row.get(column), value)]
    dataset = wanted.get("dataset", "*")
    if dataset != "*":
        # Substitutes count only where the data themselves are absent, so that they never blur the real comparison.
        itself = [row for row in rows if _text(row.get("dataset")) == dataset]
        rows = itself or [row for row in rows if _text(row.get("stands_for")) == dataset]
    if not rows:
        raise _MissingError(f"{name} has no row" + (f" where {_written(wanted)}" if wanted else ""))
    return rows


def _findings(claim: Claim, pairs: list[tuple[dict, dict | None]]) -> tuple[list[_Finding], list[str]]:
    """Judge each pair of rows; the second list names the cells that are absent or empty."""
    here, there = _filter(claim["row"]), _filter(claim["than_row"])
    compare = _compare_value if claim["kind"] == "value" else _compare_order
    # A lone number needs no label; the sides of an order are told apart from others even where there are no others.
    many = claim["kind"] == "order" or len(pairs) > 1
    findings, empty = [], []
    for row, other in pairs:
        label = _label([row, other or row], here | there) if many else ""
        sides = [(row, claim["column"])]
        if other is not None:
            sides.append((other, claim["than_column"] or claim["column"]))
        absent = [_absence(side, column, claim["table"]) for side, column in sides if not _text(side.get(column))]
        if absent:
            empty += absent
            continue
        numbers = tuple(_number(side, column, claim["table"]) for side, column in sides)
        findings.append(compare(claim, numbers, label))
    if not findings:
        raise _MissingError(_joined(empty))
    return findings, empty


def _absence(row: dict, column: str, name: str) -> str:
    """Say which cell is absent or empty; a row's first cells tell it from the others."""
    if column not in row:
        return f"{name} has no column {column}"
    return f"{name} has an empty {column} for {_joined(map(_text, list(row.values())[:3]), ' ')}"


def _label(rows: list[dict], wanted: dict[str, str]) -> str:
    """Tell a comparison from the others of its claim: the dataset, and the values that the filters leave open."""
    parts = [_text(rows[0].get("dataset"))]
    for column in (name for name, value in wanted.items() if value == "*"):
        parts += [f"{column} {_text(row.get(column))}" for row in rows]
    return ", ".join(dict.fromkeys(filter(None, parts)))


def _number(row: dict, column: str, name: str) -> _Number:
    """Read a cell that is not empty, with its spread, seeds, data and protocol."""

    def facet(which: str) -> object:
        own = row.get(f"{column}_{which}")
        return own if _text(own) else row.get(which)

    dataset, data, stands_for = (_text(row.get(key)) for key in ("dataset", "data", "stands_for"))
    seeds = _float(facet("seeds"), f"{name}: column seeds")
    return _Number(
        value=_float(row[column], f"{name}: column {column}"),
        spread=0.0 if seeds == 0 else _float(row.get(f"{column}_spread"), f"{name}: column {column}_spread"),
        seeds=seeds,
        dataset=dataset,
        data=f"{dataset} ({data})" if dataset and data and data != dataset else dataset or data,
        stands_for="" if stands_for == dataset else stands_for,
        protocol=_text(facet("protocol")) or "not stated in the table",
    )


def _compare_value(claim: Claim, numbers: tuple[_Number, ...], label: str) -> _Finding:
    """A number against the paper's."""
    (number,) = numbers
    target, slack = float(claim["value"]), _slack(claim["tolerance"], float(claim["value"]))
    spread = 0.0 if math.isnan(number.spread) else number.spread
    allowance = f"the tolerance ({claim['tolerance'] or 'none'})"
    if _holds(number.value, claim["relation"], target, slack):
        outcome, reason = "reproduced", ""
    elif _holds(number.value, claim["relation"], target, slack + spread):
        outcome, reason = "undecided", f"outside {allowance}, but not by more than the spread"
    else:
        outcome, reason = "not reproduced", f"outside {allowance}"
    return _Finding(outcome, _with_label(_printed(number.value), label), number.spread, number.seeds, reason, numbers)


def _compare_order(claim: Claim, numbers: tuple[_Number, ...], label: str) -> _Finding:
    """A number against another, or against a constant."""
    left, relation, tolerance = numbers[0], claim["relation"], claim["tolerance"]
    right = numbers[1].value if len(numbers) > 1 else float(claim["value"])
    factor = float(tolerance[1:]) if tolerance.startswith("x") else 1.0
    shift = float(tolerance) if tolerance[:1] in ("+", "-") else 0.0
    slack = _slack(tolerance, right) if relation == "=" else 0.0
    bound = factor * right + shift
    spreads = [left.spread, *(factor * number.spread for number in numbers[1:])]
    spread = math.hypot(*spreads)
    counts = [number.seeds for number in numbers]
    holds = _holds(left.value, relation, bound, slack)
    where = f": {label}" if label else ""
    if not all(math.isfinite(count) for count in counts):
        outcome, reason = "undecided", "the table does not state the number of seeds" + where
    elif any(0 < count < _ENOUGH_SEEDS for count in counts):
        outcome, reason = "undecided", f"needs {_ENOUGH_SEEDS} seeds" + where
    elif math.isnan(spread):
        outcome, reason = "undecided", "the table does not state the spread" + where
    elif _within_spread(left.value, relation, bound, slack, spread):
        outcome, reason = "undecided", "the difference is not larger than the spread" + where
    else:
        outcome, reason = ("reproduced" if holds else "not reproduced"), ""
    symbol = relation if holds else f"not {relation}"
    text = f"{_printed(left.value)} {symbol} {_moved(_printed(right), tolerance if relation != '=' else '')}"
    seeds = min((count for count in counts if count), default=0.0)
    return _Finding(outcome, _with_label(text, label), spread, seeds, reason, numbers)


def _within_spread(left: float, relation: str, bound: float, slack: float, spread: float) -> bool:
    """Whether chance could turn the comparison round."""
    if spread == 0:
        return False
    if relation == "=":
        return not _holds(left, relation, bound, slack) and _holds(left, relation, bound, slack + spread)
    return abs(left - bound) <= spread


def _holds(left: float, relation: str, right: float, slack: float) -> bool:
    """`left relation right`, where `slack` >= 0 moves `right` in the claim's favour."""
    if relation == "=":
        # 0.91 - 0.90 exceeds 0.01 in binary, but the tolerance is meant in decimals.
        return abs(left - right) <= slack * (1 + 1e-9)
    if relation in ("<", "<="):
        return left < right + slack or (relation == "<=" and left == right + slack)
    return left > right - slack or (relation == ">=" and left == right - slack)


def _slack(tolerance: str, target: float) -> float:
    """The absolute distance that `2%` or `0.05` allows."""
    return float(tolerance[:-1]) / 100 * abs(target) if tolerance.endswith("%") else float(tolerance or 0)


def _quantity(claim: Claim) -> str:
    """The sentence of an order claim; a value claim's quantity with its unit and circumstances."""
    if claim["kind"] == "order":
        return claim["quantity"]
    # "AUC [AUC]" says nothing twice.
    unit = "" if claim["unit"] in claim["quantity"] else f" [{claim['unit']}]"
    circumstances = _joined((claim[name] for name in ("dataset", "method", "setting")), ", ")
    return claim["quantity"] + unit + (f" ({circumstances})" if circumstances else "")


def _paper_value(claim: Claim) -> str:
    """The paper's number; for an order claim that can be judged its relation in words."""
    if claim["kind"] == "value":
        return claim["value"] if claim["relation"] in ("", "=") else f"{claim['relation']} {claim['value']}"
    if not claim["column"]:
        return ""
    if not claim["than_row"] and not claim["than_column"]:
        return f"{claim['column']} {claim['relation']} {_moved(claim['value'], claim['tolerance'])}"
    shift = "" if claim["relation"] == "=" else claim["tolerance"]
    right = _moved(claim["than_column"] or claim["column"], shift)
    where = f" where {_written(_filter(claim['than_row']))}" if claim["than_row"] else ""
    return f"{claim['column']} {claim['relation']} {right}{where}"


def _moved(right: str, tolerance: str) -> str:
    """The right side of an order as `0.25 x right` or `right + 3`."""
    if tolerance.startswith("x"):
        return f"{tolerance[1:]} x {right}"
    return f"{right} {tolerance[0]} {tolerance[1:]}" if tolerance else right


def _written(wanted: dict[str, str]) -> str:
    return " and ".join(f"{column} is {'any' if value == '*' else value}" for column, value in wanted.items())


def _with_label(text: str, label: str) -> str:
    return f"{text} ({label})" if label else text


def _printed(number: float) -> str:
    """Four digits, and all digits before the point."""
    return f"{number:.0f}" if 1e3 <= abs(number) < 1e7 else f"{number:.4g}"


def _joined(texts: Iterable[str], separator: str = "; ") -> str:
    """The texts that are not empty, each once."""
    return separator.join(dict.fromkeys(filter(None, texts)))


def _joined_numbers(numbers: Iterable[float]) -> str:
    """As `_joined`, unless the numbers differ: then one for each comparison, `?` where a table does not state it."""
    texts = ["?" if math.isnan(number) else _printed(number) for number in numbers]
    return texts[0].replace("?", "") if len(set(texts)) == 1 else "; ".join(texts)


def _text(cell: object) -> str:
    """A cell as text, "" where it is empty."""
    return "" if cell is None or (isinstance(cell, float) and math.isnan(cell)) else str(cell)


def _float(cell: object, where: str) -> float:
    """A cell as a number, NaN where it is empty."""
    try:
        return float(_text(cell) or math.nan)
    except ValueError as error:
        raise InputError(f"{where}: {cell!r} is not allowed; allowed: a number or nothing") from error


def _same(cell: object, value: object) -> bool:
    """Equality of cells, by number where both are numbers (1000 is 1000.0)."""
    left, right = _text(cell), _text(value)
    try:
        return math.isclose(float(left), float(right), rel_tol=1e-9)
    except ValueError:
        return left == right
