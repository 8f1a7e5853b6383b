"""Verdicts in words and counts. `counts` is the one function that counts: README, index, pages and terminal use it."""

from collections.abc import Mapping

import pandas as pd

from lib.reporting.claims.ledger import divided, is_repeat, read_otherwise
from lib.reporting.claims.rows import GRADES
from lib.reporting.claims.rule import BY_CONSTRUCTION, DEPENDS, FAILS, HOLDS, JUDGEMENTS, MORE, NEVER, NOT_JUDGED

MEANINGS = {
    HOLDS: "the paper's number is met within its tolerance, or its ordering holds, beyond chance",
    FAILS: "it is contradicted beyond chance; where both sides are equal in truth, at most 5 % of claims fail so",
    MORE: "the spread is too large for so few repetitions; how many are needed if mean and spread stay as they are",
    NEVER: "the error of a single run, or of few test samples, is as large as the tolerance; no repetition lowers it",
    DEPENDS: "it holds by one interpretation of what the paper leaves open, and fails by another",
    NOT_JUDGED: "not run, a sanity check failed, or a number of the paper measured on less or other data",
}
GRADE_MEANINGS = {
    "paper": "the paper's data and protocol",
    "reduced": "its data, less of them, or another training",
    "substitute data": "other data; they can support or contradict an ordering, but no number of the paper",
    BY_CONSTRUCTION: "true by definition, or about our own variants; not counted",
}
PLACES = {
    "paper": "on the paper's data and protocol",
    "reduced": "on less of its data",
    "substitute data": "on substitute data",
}
MARKS = {HOLDS: "✓", FAILS: "✗", MORE: "…", NEVER: "≈", DEPENDS: "?", NOT_JUDGED: "–"}
PLURALS = {
    HOLDS: "hold",
    FAILS: "fail",
    MORE: "need more repetitions",
    NEVER: "not decidable at their tolerance",
    DEPENDS: "depend on how the paper is read",
}
SIGNS = {"paper": "", "reduced": "ʳ", "substitute data": "ˢ", "": ""}
LEGEND = (
    ", ".join(f"{mark} {judgement}" for judgement, mark in MARKS.items())
    + "; ʳ on less of the paper's data or with a shorter training, ˢ on substitute data; without a mark: a check (a "
    "setting, true by definition, or a variant of ours), not counted"
)


def originals(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the rows on claims of the papers that repeat no other claim."""
    claims, _ = divided(verdicts)
    return claims[~claims["note"].map(is_repeat).astype(bool)]


def counted(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that count: no checks, no repeats, and one row for all interpretations of a claim.

    That row says what the interpretations say together.
    """
    rows = originals(verdicts)
    about = _about(rows)
    found = [_verdict_of_readings(rows[about == name]) for name in about.unique()]
    return pd.DataFrame(found, columns=verdicts.columns)


def _about(rows: pd.DataFrame) -> pd.Series:
    """Return the claim that a row is about: itself, or that of which it is another reading."""
    other = rows["note"].map(read_otherwise)
    return other.where(other != "", rows["id"])


def over_all_readings(rows: pd.DataFrame, verdicts: pd.DataFrame) -> str:
    """Say as what some rows of one judgement count, where they count as another one; empty where they do not."""
    whole = counted(verdicts)
    counts = _about(rows).map(whole.set_index(_about(whole))["judgement"])
    others = counts[counts != rows["judgement"]]
    share = "" if len(others) == len(rows) else f"{len(others)} of them "
    return f"{share}by all interpretations: {' or '.join(others.unique())}" if len(others) else ""


def _verdict_of_readings(readings: pd.DataFrame) -> pd.Series:
    """Return what interpretations say together: those that were judged on the best data, if they agree.

    If one holds and another fails, it depends on how the paper is read. Else one of them is not decided yet.
    """
    judged = readings[readings["judgement"] != NOT_JUDGED]
    if judged.empty or len(readings) == 1:
        return readings.iloc[0]
    best = judged[judged["grade"] == min(judged["grade"], key=GRADES.index)]
    first = best.iloc[0].copy()
    said = set(best["judgement"])
    if len(said) > 1:
        apart = {HOLDS, FAILS} <= said or DEPENDS in said
        first["judgement"] = DEPENDS if apart else MORE if MORE in said else NEVER
    return first


def counts(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Count the claims: a row for each grade of evidence ("" for none), a column for each judgement.

    verdicts: of `judge_all`, on any papers. Checks and repeats are not counted, and interpretations of one claim once.
    """
    rows = counted(verdicts)
    table = pd.crosstab(rows["grade"], rows["judgement"])
    return table.reindex(index=[*GRADES, ""], columns=list(JUDGEMENTS), fill_value=0)


def interpretations(verdicts: pd.DataFrame, notes: Mapping[str, str]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: each claim that depends on how the paper is read, its interpretations side by side.

    notes: of the claims by id, which tell rows of the same quantity apart.
    """
    rows = originals(verdicts)
    about, whole = _about(rows), counted(verdicts)
    open_claims = whole[whole["judgement"] == DEPENDS]
    found = []
    for name in _about(open_claims):
        own = rows[about == name]
        alike = own["quantity"].nunique() == 1
        sides = []
        for row in own.to_dict("records"):
            if len(own) == 1:
                words = _alone(row["note"], notes.get(row["id"], ""))
            else:
                words = notes[row["id"]] if alike else row["quantity"]
            sides.append(f"{words}: {_first(row['measured'])}; {row['verdict']}")
        first = own.iloc[0]
        found.append([f"{name.partition('.')[2]}, {first['where']}", first["paper_value"], *sides])
    most = max(map(len, found), default=2)
    header = ["claim", "the paper", *(f"interpretation {number}" for number in range(1, most - 1))]
    return header, [[*row, *[""] * (most - len(row))] for row in found]


def _alone(noted: str, note: str) -> str:
    """Return a verdict's note without what was not compared and does not count, which has names of many rows."""
    said, apart, _ = noted.partition("; not compared: ")
    return "; ".join(filter(None, (said, note))) if apart else noted


def _first(measured: str) -> str:
    """Return the first two of some comparisons, and how many more there are."""
    parts = measured.split("; ")
    return "; ".join(parts[:2]) + (f" and {len(parts) - 2} more" if len(parts) > 2 else "")


def headline(verdicts: pd.DataFrame) -> str:
    """Return the counts in a line, those on the paper's data first; hold and fail always, other verdicts if any."""
    table = counts(verdicts)
    parts = []
    for grade, place in PLACES.items():
        judged = table.loc[grade].drop(NOT_JUDGED)
        numbers = [f"{judged[name]} {PLURALS[name]}" for name in judged.index if judged[name] or name in (HOLDS, FAILS)]
        parts += [f"{place}: {', '.join(numbers)}"] if judged.any() else []
    return "; ".join([*parts, f"not judged: {table[NOT_JUDGED].sum()}"]) + "."


def matrix(verdicts: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: how many claims got which judgement, by grade of evidence, if it has any."""
    found = []
    for grade, row in counts(verdicts).iterrows():
        if row.any():
            said = f"{grade}: {GRADE_MEANINGS[grade]}" if grade else "none: not measured"
            found.append([said, *map(str, row)])
    header = ["evidence", *(f"{judgement} {MARKS[judgement]}" for judgement in JUDGEMENTS)]
    return header, found


def table_of_counts(verdicts: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Return header and rows: how many claims got which judgement, by the data that decide them."""
    rows = [
        [PLACES.get(grade, "not measured"), *map(str, row)] for grade, row in counts(verdicts).iterrows() if row.any()
    ]
    return ["Claims", *(PLURALS.get(judgement, judgement) for judgement in JUDGEMENTS)], rows


def left_out(verdicts: pd.DataFrame) -> str:
    """Say which rows are not counted."""
    claims, checks = divided(verdicts)
    rows = originals(verdicts)
    readings = int((rows["note"].map(read_otherwise) != "").sum())
    numbers = {"duplicate": len(claims) - len(rows), "check": len(checks)}
    repeated, tried = (f"{number} {word}{'s' * (number != 1)}" for word, number in numbers.items())
    said = f"Not counted: {repeated}, and {tried} (in a table of their own)."
    if readings:
        said += (
            f" {readings} interpret{'s' * (readings == 1)} a statement of the paper in another way. Such a "
            "statement counts once: it holds or fails if it does by every interpretation that was judged on the best "
            "data."
        )
    return said


def answer(verdicts: pd.DataFrame, whose: str) -> str:
    """Return the first line of a page: the counts, and that nothing was judged on the paper's data if so."""
    if counts(verdicts).loc["paper"].drop(NOT_JUDGED).any():
        return f"Of {whose} {counts(verdicts).to_numpy().sum()} claims, {headline(verdicts)}"
    return f"None of {whose} claims could be judged on its own data and protocol; {headline(verdicts)}"
