"""Verdicts in words and counts: what a page says first. Nothing here is said of a claim but what its verdict says."""

import pandas as pd

from lib.reporting.claims.ledger import is_repeat, read_otherwise
from lib.reporting.claims.rows import GRADES
from lib.reporting.claims.rule import BY_CONSTRUCTION, JUDGEMENTS

MEANINGS = {
    "holds": "the paper's number is met within its tolerance, or its ordering holds, beyond chance",
    "fails": "it is contradicted beyond chance; at most 5 % of claims would be where the truth is equality",
    "undecided": "neither: the spread is too large, the seeds are too few, or the paper leaves too much open",
    "not judged": "no signal (a control failed), not run, or a number of the paper's measured on less or other data",
}
GRADE_MEANINGS = {
    "paper": "the paper's data and protocol",
    "reduced": "its data, less of them, or another training",
    "stand-in": "other data: can support or contradict an ordering, and says so",
    BY_CONSTRUCTION: "settings, identities, and what is ours and not the paper's: in no total",
}
PLACES = {"paper": "on the paper's data and protocol", "reduced": "on less of its data", "stand-in": "on stand-ins"}
MARKS = {"holds": "✓", "fails": "✗", "undecided": "?", "not judged": "–"}
SIGNS = {"paper": "", "reduced": "ʳ", "stand-in": "ˢ", "": ""}
REASONS = {  # why nothing is judged, as a verdict names it
    "no signal": "a control failed",
    "reduced": "on less data or training",
    "stand-in": "on other data",
}
LEGEND = (
    "✓ holds, ✗ fails, ? undecided, – not judged; ʳ on less of the paper's data or a shorter training, ˢ on other data "
    "that stand in for it; without a mark, what is in no total: a setting, what can only come out so, or a mixture of "
    "ours"
)
LEGEND_OF_PAPERS = (
    "✓ holds, ✗ fails, ? undecided: on the paper's data and protocol, and then on other data that stand in for them; "
    "– not judged: a control failed, not run, or a number of the paper's on less or other data"
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
    """What some rows of one judgement count as where that is another one, in words; empty where it is none."""
    whole = counted(verdicts)
    counts = _about(rows).map(whole.set_index(_about(whole))["judgement"])
    others = counts[counts != rows["judgement"]]
    share = "" if len(others) == len(rows) else f"{len(others)} of them "
    return f"{share}{' or '.join(others.unique())} over all readings" if len(others) else ""


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
    """The counts in a line, the grade `paper` first, and nothing by construction."""
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
    """What no count holds."""
    rows = originals(verdicts)
    built = int((rows["grade"] == BY_CONSTRUCTION).sum())
    repeated = len(verdicts) - len(rows)
    readings = int((rows["note"].map(read_otherwise) != "").sum())
    once = (
        f" {readings} {'is another reading' if readings == 1 else 'are other readings'} of a claim that counts once: "
        "it holds or fails where all readings do that were judged on the best data, and is undecided where they differ."
    )
    return (
        f"In no total: {built} {'row' if built == 1 else 'rows'} by construction, and {repeated} "
        f"{'row that repeats' if repeated == 1 else 'rows that repeat'} another claim." + (once if readings else "")
    )


def matrix_of_papers(verdicts: pd.DataFrame, names: dict[str, str]) -> tuple[list[str], list[list[str]]]:
    """Header and rows: a paper, and its counts on its own data, on less of them where anything is judged so, on others.

    verdicts: of all papers. names: what a paper is called, by key, in the order of the rows.
    """
    rows = counted(verdicts)
    judged = JUDGEMENTS[:-1]
    grades = [g for g in GRADES if g != "reduced" or ((rows["grade"] == g) & rows["judgement"].isin(judged)).any()]
    on = {"reduced": "on less data", "stand-in": "on stand-ins"}
    header = ["", *(f"{MARKS[j]} {on.get(grade, j)}" for grade in grades for j in judged), "– not judged"]
    found = []
    for paper, name in names.items():
        own = rows[(rows["paper"] == paper) & (rows["grade"] != BY_CONSTRUCTION)]
        numbers = [((own["grade"] == grade) & (own["judgement"] == j)).sum() for grade in grades for j in judged]
        found.append([name, *map(str, numbers), str((own["judgement"] == "not judged").sum())])
    return header, found


def named(entries: list[dict], verdicts: pd.DataFrame) -> dict[str, list[str]]:
    """What became of the claims that an outline names, by judgement, in the order of the outline.

    entries: each with `says`, the claim in a few words, and `of`, the ids of its rows without the paper's name. Where
    the rows of an entry differ, it says how many of them. verdicts: of one paper.
    """
    rows = verdicts.set_index(verdicts["id"].str.partition(".")[2])
    found: dict[str, list[str]] = {}
    for entry in entries:
        own = rows.loc[entry["of"]]
        for judgement in JUDGEMENTS:
            part = own[own["judgement"] == judgement]
            if len(part):
                share = [f"{len(part)} of {len(own)}"] if len(part) < len(own) else []
                whole = "" if judgement == "not judged" else over_all_readings(part, verdicts)
                beside = ", ".join(filter(None, [*share, *_places(part, judgement), whole]))
                found.setdefault(judgement, []).append(entry["says"] + (f" ({beside})" if beside else ""))
    return found


def _places(rows: pd.DataFrame, judgement: str) -> list[str]:
    """On what data, or why not: nothing for the paper's own."""
    if judgement == "not judged":
        # what was measured and is not judged as not run lacks a control
        reasons = [
            "a control has not run" if reason == "not run" and measured else REASONS.get(reason, reason)
            for reason, measured in zip(rows["verdict"].str.partition(": ")[2], rows["measured"], strict=True)
        ]
        return [reason for reason in dict.fromkeys(reasons) if reason]
    return [PLACES[grade] for grade in PLACES if grade != "paper" and (rows["grade"] == grade).any()]


def answer(verdicts: pd.DataFrame, whose: str) -> str:
    """The first line of a page: the counts, and that nothing was judged on the paper's data where nothing was."""
    rows = counted(verdicts)
    if ((rows["grade"] == "paper") & (rows["judgement"] != "not judged")).any():
        return f"Of {whose} claims, {headline(verdicts)}"
    return f"None of {whose} claims could be judged on its own data and protocol; {headline(verdicts)}"


def sentence(entries: list[dict], verdicts: pd.DataFrame) -> str:
    """What holds, fails and cannot be judged of the named claims, two of each at most, in a line."""
    words = {"holds": "Holds", "fails": "Fails", "undecided": "Undecided", "not judged": "Not judged"}
    found = named(entries, verdicts)
    return " ".join(f"{words[j]}: {'; '.join(found[j][:2])}." for j in JUDGEMENTS if j in found)
