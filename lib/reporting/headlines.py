"""Headline claims of a paper: what its abstract and contributions promise, and one of four answers to each.

A headline names the rows of the ledger that decide it; nothing here is judged anew. `answer_of` is the rule:

* confirmed: every row holds, and so do the checks that could refute the headline (`needs`);
* partly confirmed: some rows hold and others do not, or a check that could refute the headline does not hold;
* contradicted: at least one row fails and none holds;
* cannot be judged here: no row holds or fails.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from lib.reporting.claims.rows import GRADES
from lib.reporting.claims.rule import BY_CONSTRUCTION
from lib.reporting.digits import as_read, padded, rounded
from pate_accountant.rounding import rounded_down, rounded_up

CONFIRMED, PARTLY, CONTRADICTED, OPEN = ANSWERS = (
    "confirmed",
    "partly confirmed",
    "contradicted",
    "cannot be judged here",
)
MARKS = {CONFIRMED: "✓", PARTLY: "◐", CONTRADICTED: "✗", OPEN: "–"}
LEGEND = ", ".join(f"{mark} {answer}" for answer, mark in MARKS.items())
EVIDENCE = {
    "paper": "the paper's data and protocol",
    "reduced": "less of the paper's data or training",
    "substitute data": "substitute data",
    BY_CONSTRUCTION: "the paper's own formulas",
}
_ORDER = (*GRADES, BY_CONSTRUCTION)


@dataclass(frozen=True)
class Headline:
    """A headline claim with its answer.

    pair: the paper's number beside ours, or the two sides of an ordering, if they say it. evidence: the weakest that
    decides it, or what is missing to judge it. why: Markdown, with placeholders for numbers (`quoting.py`);
    empty where the outline has none for this answer. short: its name in the table of papers.
    """

    says: str
    where: str
    answer: str
    evidence: str
    pair: str
    why: str
    short: str = ""

    @property
    def mark(self) -> str:
        """The sign of the answer."""
        return MARKS[self.answer]


def answer_of(judgements: Iterable[str], needed: Iterable[str] = ()) -> str:
    """Return the answer that judgements of rows give; needed: those of checks that could refute the headline."""
    found = set(judgements)
    holds, fails = ("holds" in found, "fails" in found)
    if holds:
        return CONFIRMED if found | set(needed) == {"holds"} else PARTLY
    return CONTRADICTED if fails else OPEN


def headlines(entries: list[dict], verdicts: pd.DataFrame) -> dict[str, Headline]:
    """Return the headlines of an outline by key, judged by the verdicts on one paper's claims."""
    rows = {row["id"].partition(".")[2]: row for row in verdicts.to_dict("records")}
    return {entry["key"]: _headline(entry, rows) for entry in entries}


def _headline(entry: dict, rows: Mapping[str, dict]) -> Headline:
    own, needed = ([rows[name] for name in entry.get(key, [])] for key in ("of", "needs"))
    answer = answer_of(*([row["judgement"] for row in each] for each in (own, needed)))
    decided = [row["grade"] for row in own if row["judgement"] in ("holds", "fails")]
    measured_on = [grade for grade in decided if grade != BY_CONSTRUCTION] or decided
    evidence = EVIDENCE[max(measured_on, key=_ORDER.index)] if decided else _missing(entry, own)
    why, short = entry.get("why", {}).get(answer, ""), entry.get("short", "")
    return Headline(entry["says"], entry["where"], answer, evidence, _pair(entry, rows), why, short)


def _pair(entry: dict, rows: Mapping[str, dict]) -> str:
    """Return the paper's number and ours, or of an ordering both its sides; empty where nothing was measured.

    Of several comparisons of an ordering the first is shown, with the data that it is about.
    """
    shown = rows.get(entry.get("shows", ""))
    if not (shown and shown["measured"]):
        return ""
    if entry["shows"].startswith("v"):
        return f"{as_read(shown['paper_value'])} → {measured(shown)}"
    first, *others = shown["measured"].split("; ")
    here = _compared(*(rounded(number) for number in _sides(first, shown)))
    if others:
        here += f" ({first.partition('(')[2].rstrip(')').partition(',')[0]})"
    printed = [as_read(rows[name]["paper_value"]) for name in entry.get("paper", ())]
    return f"{_compared(*printed)} → {here}" if printed else f"here {here}"


def _compared(left: str, right: str) -> str:
    """Write two numbers as they are read, with the sign of their order."""
    difference = float(left.replace(",", "")) - float(right.replace(",", ""))
    return f"{left}\u00a0{'>' if difference > 0 else '<' if difference else '='}\u00a0{right}"


def _sides(comparison: str, verdict: Mapping[str, str]) -> tuple[float, float]:
    """Return what an ordering compares, rounded safely; of a bound with a tolerance, `1.26 <= 1.01 x 8`, without it."""
    left, *_, right = _DECIMAL.findall(comparison.partition(" (")[0])
    return _safe(float(left), verdict), _safe(float(right), verdict)


def _missing(entry: dict, rows: Iterable[Mapping[str, str]]) -> str:
    """Return what is missing to judge a headline; of repetitions, how many the row that needs most has to have."""
    missing = entry.get("missing", "")
    if missing != "more repetitions":
        return missing
    needed = [re.search(r"\((?:at least|over) ([\d,]+)\)", row["verdict"]) for row in rows]
    most = max(filter(None, needed), key=lambda found: int(found[1].replace(",", "")), default=None)
    return f"{missing} {most[0]}" if most else missing


# as a quantity; where it is a setting, its value follows, or such a word is before it
_EPSILON = re.compile(r"(?<!with )(?<!as )(?<!every )(?<!at the same )\beps(ilons?)?\b(?! ?=)")


def numbers_of(verdict: Mapping[str, str]) -> list[float]:
    """Return the numbers that were measured for a claim, one for each comparison."""
    return [float(part.split(" ")[0]) for part in verdict["measured"].split("; ") if part]


def _safe(number: float, verdict: Mapping[str, str]) -> float:
    """Round an epsilon up and a lower bound on one down, to three digits; other numbers stay."""
    if _EPSILON.search(re.sub(r"\([^()]*\)", "", verdict["quantity"])):  # without what was set, in brackets
        return rounded_down(number, 3) if "lower bound" in verdict["quantity"] else rounded_up(number, 3)
    return number


def measured(verdict: Mapping[str, str]) -> str:
    """Write what was measured for a claim, to three digits: the least and the most of several numbers.

    An epsilon is rounded up, and a lower bound on one down.
    """
    numbers = [_safe(number, verdict) for number in numbers_of(verdict)]
    paper = as_read(verdict["paper_value"])
    ends = [padded(rounded(value), paper) for value in (min(numbers), max(numbers))] if numbers else []
    return " to ".join(dict.fromkeys(ends))


def summary(outline: dict, verdicts: pd.DataFrame) -> str:
    """Return the answer for a whole paper, in a sentence.

    The first of the outline's sentences whose answers its headlines have; else the counts.
    """
    found = headlines(outline["headlines"], verdicts)
    sentences = [outline["answer"], *outline["answer"].get("or", ())] if outline["answer"] else []
    for sentence in sentences:
        if all(found[key].answer == answer for key, answer in sentence["if"].items()):
            return sentence["says"]
    counts = {answer: sum(each.answer == answer for each in found.values()) for answer in ANSWERS}
    told = [f"{count} {answer}" for answer, count in counts.items() if count]
    return f"Of {len(found)} headline claims: {', '.join(told)}."


def numbers(outline: dict, verdicts: pd.DataFrame) -> str:
    """Return the numbers behind the answer for a whole paper: the paper's and ours, or the two sides of an ordering."""
    rows = {row["id"].partition(".")[2]: row for row in verdicts.to_dict("records")}
    chosen = (outline["answer"] or {}).get("numbers", ())
    return "; ".join(
        f"{each['label']}: {_number(rows[each['of']], each.get('sides', ()))}"
        for each in chosen
        if rows[each["of"]]["measured"]
    )


_DECIMAL = re.compile(r"(?<![\w.])-?\d[\d.e+-]*")


def safe_numbers(comparison: str, verdict: Mapping[str, str]) -> str:
    """Return one comparison of a verdict's `measured` with its numbers, but for those in brackets, rounded safely."""
    numbers, bracket, rest = comparison.partition(" (")
    return _DECIMAL.sub(lambda found: f"{_safe(float(found.group()), verdict):g}", numbers) + bracket + rest


def _number(row: Mapping[str, str], sides: Sequence[str]) -> str:
    notes = [row["grade"]] * (row["grade"] == GRADES[-1])
    if row["id"].partition(".")[2].startswith("v"):
        pair = f"paper {as_read(row['paper_value'])}, here {measured(row)}"
    else:
        both = zip(sides, _sides(row["measured"], row), strict=True)
        pair = ", ".join(f"{side} {rounded(number)}" for side, number in both)
        notes += [] if row["judgement"] in ("holds", "fails") else [row["judgement"]]
    return f"{pair} ({', '.join(notes)})" if notes else pair


def lacking(found: Mapping[str, Headline]) -> str:
    """Return the headlines that cannot be judged, by what is missing to judge them."""
    missing: dict[str, list[str]] = {}
    for each in found.values():
        if each.answer == OPEN and each.evidence:
            missing.setdefault(each.evidence, []).append(each.short or each.says)
    return "; ".join(f"{' and '.join(says)}: {evidence}" for evidence, says in missing.items())


def marks(found: Mapping[str, Headline]) -> str:
    """Return how many headlines have which answer, as signs, and the evidence that decides any, strongest first."""
    counts = {answer: sum(each.answer == answer for each in found.values()) for answer in ANSWERS}
    signs = " ".join(f"{count}\u00a0{MARKS[answer]}" for answer, count in counts.items() if count)
    decided = {each.evidence for each in found.values() if each.answer != OPEN}
    words = "; ".join(words for words in EVIDENCE.values() if words in decided)
    return f"{signs} ({words})" if words else signs
