"""The ledger: verdicts on all claims."""

from collections.abc import Iterable

import pandas as pd

from lib.core.errors import InputError
from lib.reporting.claims.cells import joined
from lib.reporting.claims.controls import Controls, names_of, shipped_controls
from lib.reporting.claims.rows import Claim, Tables
from lib.reporting.claims.rule import BY_CONSTRUCTION, judge
from lib.reporting.claims.wording import paper_value, quantity

COLUMNS = (
    "id,paper,where,quantity,paper_value,measured,spread,seeds,data,judgement,grade,verdict,note"  # all of them texts
).split(",")

_REPEATS = "repeats "
_READS = "another reading of "


def check_controls(claims: Iterable[Claim], controls: Controls) -> None:
    """Raise InputError where a claim names a control that is not set."""
    for claim in claims:
        known = {name for paper, name, _ in controls if paper == claim["paper"]}
        for name in names_of(claim):
            if name not in known:
                allowed = ", ".join(sorted(known)) or "none"
                raise InputError(f"{claim['id']}: column controls: {name!r} is not allowed; allowed: {allowed}")


def judge_all(claims: Iterable[Claim], tables: Tables, controls: Controls | None = None) -> pd.DataFrame:
    """Verdicts on all claims, a row each with COLUMNS, all texts; a repeat takes the verdict of what it repeats.

    controls: those of this repository without it. Raises InputError where a claim names one that is not set.
    """
    claims, controls = list(claims), shipped_controls() if controls is None else controls
    check_controls(claims, controls)
    verdicts = {claim["id"]: judge(claim, tables, controls) for claim in claims if not claim["same_as"]}
    rows = []
    for claim in claims:
        verdict = verdicts[claim["same_as"] or claim["id"]]
        note = joined([_REPEATS + claim["same_as"], claim["note"]]) if claim["same_as"] else verdict.note
        if claim["reading_of"]:
            note = joined([_READS + claim["reading_of"], note])
        stated = {name: claim[name] for name in ("id", "paper", "where")}
        stated |= {"quantity": quantity(claim), "paper_value": paper_value(claim)}
        rows.append(stated | vars(verdict) | {"note": note})
    return pd.DataFrame(rows, columns=COLUMNS)


def divided(verdicts: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Divide the rows of `judge_all` into those on claims of the papers, and those on checks, which are not counted."""
    check = verdicts["grade"] == BY_CONSTRUCTION
    return verdicts[~check], verdicts[check]


def is_repeat(note: str) -> bool:
    """Whether a row of `judge_all` with this note repeats another, and so does not count."""
    return note.startswith(_REPEATS)


def read_otherwise(note: str) -> str:
    """Return the id of the claim that a row of `judge_all` with this note interprets in another way, or ""."""
    return note.removeprefix(_READS).partition(";")[0] if note.startswith(_READS) else ""
