"""Verdicts in words and counts: what a page says first. Nothing here is said of a claim but what its verdict says."""

import pandas as pd

from lib.reporting.claims.ledger import is_repeat, read_otherwise
from lib.reporting.claims.rows import GRADES
from lib.reporting.claims.rule import BY_CONSTRUCTION, JUDGEMENTS

MEANINGS = {
    "holds": "the paper's number is met within its tolerance, or its ordering holds, beyond chance",
    "fails": "it is contradicted beyond chance; at most 5 % of claims would be where the truth is equality",
    "undecided": "neither: the spread is too large, the seeds are too few, or the paper leaves too much open",
    "not judged": "not run, a sanity check failed, or a number of the paper measured on less or other data",
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
MARKS = {"holds": "✓", "fails": "✗", "undecided": "?", "not judged": "–"}
SIGNS = {"paper": "", "reduced": "ʳ", "substitute data": "ˢ", "": ""}
LEGEND = (
    "✓ holds, ✗ fails, ? undecided, – not judged; ʳ on less of the paper's data or with a shorter training, ˢ on "
    "substitute data; without a mark: not testable (a setting, true by definition, or a variant of ours)"
)


def originals(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The rows that repeat no other claim."""
    return verdicts[~verdicts["note"].map(is_repeat).astype(bool)]


def counted(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The rows that count: no repeats, and one for all readings of a number or sentence: what they say together."""
    rows = originals(verdicts)
    about = _about(rows)
    found = [_verdict_of_readings(rows[about == name]) for name in about.unique()]
    return pd.DataFrame(found, columns=verdicts.columns)


def _about(rows: pd.DataFrame) -> pd.Series:
    """The claim that a row is about: itself, or that of which it is another reading."""
    other = rows["note"].map(read_otherwise)
    return other.where(other != "", rows["id"])


def over_all_readings(rows: pd.DataFrame, verdicts: pd.DataFrame) -> str:
    """Say as what some rows of one judgement count, where they count as another one; empty where they do not."""
    whole = counted(verdicts)
    counts = _about(rows).map(whole.set_index(_about(whole))["judgement"])
    others = counts[counts != rows["judgement"]]
    share = "" if len(others) == len(rows) else f"{len(others)} of them "
    return (
        f"{share}counted as {' or '.join(others.unique())}: it depends on how the paper is read" if len(others) else ""
    )


def _verdict_of_readings(readings: pd.DataFrame) -> pd.Series:
    """Of those that were judged the best grade decides: what they all say, or else nothing is decided."""
    judged = readings[readings["judgement"] != "not judged"]
    if judged.empty or len(readings) == 1:
        return readings.iloc[0]
    best = judged[judged["grade"] == min(judged["grade"], key=GRADES.index)]
    first = best.iloc[0].copy()
    if best["judgement"].nunique() > 1:
        first["judgement"] = "undecided"
    return first


def headline(verdicts: pd.DataFrame) -> str:
    """The counts in a line, the grade `paper` first, and nothing that is not testable."""
    rows = counted(verdicts)
    parts = []
    for grade, place in PLACES.items():
        judged = rows[rows["grade"] == grade]["judgement"]
        numbers = [f"{(judged == judgement).sum()} {judgement.removesuffix('s')}" for judgement in JUDGEMENTS[:-1]]
        parts += [f"{place}: {', '.join(numbers)}"] if (judged != "not judged").any() else []
    others = (rows["grade"] != BY_CONSTRUCTION) & (rows["judgement"] == "not judged")
    return "; ".join([*parts, f"not judged: {others.sum()}"]) + "."


def matrix(verdicts: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Header and rows: how many claims got which judgement, by grade of evidence; what has no evidence has none."""
    rows = counted(verdicts)
    found = []
    for grade in (*GRADES, ""):
        judged = rows[rows["grade"] == grade]["judgement"]
        if len(judged):
            numbers = [str((judged == judgement).sum()) for judgement in JUDGEMENTS]
            found.append([f"{grade}: {GRADE_MEANINGS[grade]}" if grade else "none: not measured", *numbers])
    header = ["evidence", *(f"{judgement} {MARKS[judgement]}" for judgement in JUDGEMENTS)]
    return header, found


def left_out(verdicts: pd.DataFrame) -> str:
    """Say which rows are not counted."""
    rows = originals(verdicts)
    built = int((rows["grade"] == BY_CONSTRUCTION).sum())
    readings = int((rows["note"].map(read_otherwise) != "").sum())
    said = f"Not counted: {built} not testable, {len(verdicts) - len(rows)} duplicates."
    if readings:
        said += (
            f" {readings} interpret a statement of the paper in another way. Such a statement counts once: it holds or "
            "fails if it does by every interpretation that was judged on the best data, and is undecided otherwise."
        )
    return said


def answer(verdicts: pd.DataFrame, whose: str) -> str:
    """The first line of a page: the counts, and that nothing was judged on the paper's data where nothing was."""
    rows = counted(verdicts)
    if ((rows["grade"] == "paper") & (rows["judgement"] != "not judged")).any():
        return f"Of {whose} claims, {headline(verdicts)}"
    return f"None of {whose} claims could be judged on its own data and protocol; {headline(verdicts)}"
