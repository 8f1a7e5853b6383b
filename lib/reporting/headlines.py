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
MORE = "more repetitions"
_NEEDED = re.compile(r"\((at least|over) ([\d,]+)\)")


@dataclass(frozen=True)
class Headline:
    """A headline claim with its answer.

    pair: the paper's number beside ours, or the two sides of an ordering, if they say it. evidence: the weakest that
    decides it; empty where nothing does. missing: what would decide it, or the rest of it; empty where nothing is open.
    repetitions: how many were run and how many are needed, if these are missing. why: Markdown, with placeholders for
    numbers (`quoting.py`); empty where the outline has none for this answer. short: its name in the table of papers.
    """

    says: str
    where: str
    answer: str
    evidence: str
    pair: str
    why: str
    short: str = ""
    missing: str = ""
    repetitions: tuple[str, str] | None = None

    @property
    def mark(self) -> str:
        """The sign of the answer."""
        return MARKS[self.answer]

    @property
    def lacks(self) -> str:
        """Name what is missing to judge it, or the rest of it, with the numbers of repetitions."""
        if self.repetitions is None:
            return self.missing
        run, needed = self.repetitions
        return f"{self.missing} ({run} run, {needed} needed)"

    @property
    def rests_on(self) -> str:
        """Name the evidence that decides it, and what is missing."""
        if self.evidence and self.missing:
            return f"{self.evidence}; open: {self.lacks}"
        return self.evidence or self.lacks


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
    evidence = EVIDENCE[max(measured_on, key=_ORDER.index)] if decided else ""
    why, short = entry.get("why", {}).get(answer, ""), entry.get("short", "")
    missing, repetitions = _missing(entry, answer, [*own, *needed])
    pair = _pair(entry, rows)
    return Headline(entry["says"], entry["where"], answer, evidence, pair, why, short, missing, repetitions)


def _pair(entry: dict, rows: Mapping[str, dict]) -> str:
    """Return the paper's number and ours, or of an ordering both its sides; empty where nothing was measured.

    Of several comparisons of an ordering the first is shown, with the data that it is about. `sides` are words behind
    the two numbers; "paper" says that the second is the paper's.
    """
    shown = rows.get(entry.get("shows", ""))
    if not (shown and shown["measured"]):
        return ""
    if entry["shows"].startswith("v"):
        return f"{as_read(shown['paper_value'])} → {measured(shown)}"
    first, *others = shown["measured"].split("; ")
    of_data = f" ({first.partition('(')[2].rstrip(')').partition(',')[0]})" if others else ""
    (left, right), sides = (rounded(number) for number in _sides(first, shown)), entry.get("sides", ("", ""))
    if sides[1] == "paper":
        return f"{right} → {left}{of_data}"
    here, printed = _compared(left, right, sides), _printed(entry, rows)
    return f"{_compared(*printed)} → {here}{of_data}" if printed else f"here {here}{of_data}"


def _compared(left: str, right: str, sides: Sequence[str] = ("", "")) -> str:
    """Write two numbers as they are read, with the sign of their order and words behind them."""
    difference = float(left.replace(",", "")) - float(right.replace(",", ""))
    first, second = (f"{number} {side}".strip() for number, side in zip((left, right), sides, strict=True))
    return f"{first}\u00a0{'>' if difference > 0 else '<' if difference else '='}\u00a0{second}"


def _sides(comparison: str, verdict: Mapping[str, str]) -> tuple[float, float]:
    """Return what an ordering compares, rounded safely; of a bound with a tolerance, `1.26 <= 1.01 x 8`, without it."""
    left, *_, right = _DECIMAL.findall(comparison.partition(" (")[0])
    return _safe(float(left), verdict), _safe(float(right), verdict)


def _missing(entry: dict, answer: str, rows: Sequence[Mapping[str, str]]) -> tuple[str, tuple[str, str] | None]:
    """Return what would decide a headline, or the rest of one that is partly confirmed, and numbers of repetitions.

    These are of the row that needs most: how many were run, and how many it has to have. What fails stays as it is,
    whatever else is decided.
    """
    missing = entry.get("missing", MORE) if answer == OPEN else ""
    if answer == PARTLY and all(row["judgement"] != "fails" for row in rows):
        missing = MORE
    if missing != MORE:
        return missing, None
    lacking = [(needed, row["seeds"]) for row in rows if (needed := _NEEDED.search(row["verdict"]))]
    if not lacking:
        return ("" if answer == PARTLY else missing), None
    needed, seeds = max(lacking, key=lambda each: int(each[0][2].replace(",", "")))
    run = sorted(map(float, seeds.split("; ")))
    counted = f"{run[0]:g}" if run[0] == run[-1] else f"{run[0]:g} to {run[-1]:g}"
    return MORE, (counted, needed[0][1:-1])


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
        f"{each['label']}: {_number(rows[each['of']], each.get('sides', ()), _printed(each, rows))}"
        for each in chosen
        if rows[each["of"]]["measured"]
    )


def _printed(entry: dict, rows: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the numbers of the paper that an entry of an outline names beside an ordering, as they are read."""
    return [as_read(rows[name]["paper_value"]) for name in entry.get("paper", ())]


_DECIMAL = re.compile(r"(?<![\w.])-?\d[\d.e+-]*")


def safe_numbers(comparison: str, verdict: Mapping[str, str]) -> str:
    """Return one comparison of a verdict's `measured` with its numbers, but for those in brackets, rounded safely."""
    numbers, bracket, rest = comparison.partition(" (")
    return _DECIMAL.sub(lambda found: f"{_safe(float(found.group()), verdict):g}", numbers) + bracket + rest


def _number(row: Mapping[str, str], sides: Sequence[str], printed: Sequence[str] = ()) -> str:
    notes = [row["grade"]] * (row["grade"] == GRADES[-1])
    if row["id"].partition(".")[2].startswith("v"):
        pair = f"paper {as_read(row['paper_value'])}, here {measured(row)}"
    else:
        both = zip(sides, _sides(row["measured"], row), strict=True)
        beside = [f" (paper {number})" for number in printed] or [""] * len(sides)
        told = sorted(zip(both, beside, strict=True), key=lambda each: each[0][0] != "paper")  # which comes first
        pair = ", ".join(f"{side} {rounded(number)}{paper}" for (side, number), paper in told if side)
        notes += [] if row["judgement"] in ("holds", "fails") else [row["judgement"]]
    return f"{pair} ({', '.join(notes)})" if notes else pair


def lacking(found: Mapping[str, Headline]) -> str:
    """Return the headlines of which something is open, by what would decide it; of repetitions, their numbers."""
    missing: dict[str, list[str]] = {}
    repeated: list[str] = []
    for each in found.values():
        name = each.short or each.says
        if each.repetitions:
            run, needed = each.repetitions
            repeated.append(f"{name} ({run}, {needed.replace('at least ', '≥').replace('over ', '>')})")
        elif each.missing:
            missing.setdefault(each.missing, []).append(name)
    told = [f"{' and '.join(names)}: {what}" for what, names in missing.items()]
    return "; ".join([*told, *([f"{MORE} (run, needed): {', '.join(repeated)}"] if repeated else [])])


def marks(found: Mapping[str, Headline]) -> str:
    """Return how many headlines have which answer, as signs."""
    counts = {answer: sum(each.answer == answer for each in found.values()) for answer in ANSWERS}
    return " ".join(f"{count}\u00a0{MARKS[answer]}" for answer, count in counts.items() if count)
