"""The verdict on a claim: a judgement and the grade of its evidence, computed from result tables and never typed in.

A claim is one row of `claims.csv` (`schemas/claims.schema.yaml`); its `row`, `column` and `table` say what is measured.

Which rows. `row` and `than_row` are filters, `column=value` joined by `;`, `*` for any value. Rows of `dataset` are
taken; where there is none, rows that `stands_for` it. A filter may select several rows: the claim must hold on each.
Several rows of one dataset beside a number of the paper's are readings of what the paper leaves open: as long as one of
them does not contradict the number beyond chance, none does.
`than_row` says only what differs: each selected row is compared with the rows that match `than_row` and equal it in
`dataset` and in every other column that `row` names. Without `than_row` the other side is `than_column` of the same
row, or the constant in `value`. `gate` is a filter that only rows with a signal pass; `controls` names what must have
worked on a comparison's dataset (`controls.py`). What does not pass is left out and named.

What a table says of a number in `column`: `column_spread` is its standard deviation over seeds, `seeds` their number (0
where nothing is random), `protocol` is `paper` where images, epochs and the like are the paper's own, and the text of
what was reduced otherwise. `column_seeds` and `column_protocol` go before `seeds` and `protocol`.
`column_held_out_error` is a standard error that repetitions share: that of an accuracy on a few samples of a test set,
of which the paper may have held out others. Where both were measured on the same samples, such as a whole test set,
there is none: the number is of these.

Grade. `paper`: its data and protocol; `reduced`: its data, less of them; `substitute data`: other data; `not testable`:
what cannot fail, or is our own reading, as the claim's `by_construction` says. Comparisons of the best grade decide
alone; a number of the paper's is judged on grade `paper` only, an ordering on any.

Judgement. Numbers with nothing random in them, and such as all repetitions give alike, are compared as they are, within
`tolerance`; so is what is true by definition. Others follow `statistics.py`; with one or two seeds, or seeds but no
stated spread, more repetitions are needed. A number in a paper is one run, which is given the spread of ours. An error
that repetitions share is counted for both sides, the paper's included, as if they had been measured on samples of their
own: on the same ones it would be less, by how much is not known. `latitude` is by how much a choice that the paper does
not state moves a number: what only it brings within the tolerance depends on how the paper is read. So does a number
that one row of a dataset meets and another contradicts. What chance may turn needs more repetitions, as many as
`repetitions` says, or cannot be decided by any number of them. `not judged` says why: sanity check failed, not run, or
the grade of a number.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lib.reporting.claims.cells import joined, joined_numbers, printed
from lib.reporting.claims.controls import Controls, check_failure, check_pair, no_signal
from lib.reporting.claims.rows import GRADES, Claim, MissingError, Number, Selected, Tables, read_pair, select_pairs
from lib.reporting.claims.statistics import ALPHA, Sample, chances, holm, standard_error
from lib.reporting.claims.wording import moved

HOLDS, FAILS, MORE, NEVER, DEPENDS, NOT_JUDGED = JUDGEMENTS = (
    "holds",
    "fails",
    "more repetitions needed",
    "not decidable at this tolerance",
    "depends on how the paper is read",
    "not judged",
)
BY_CONSTRUCTION = "not testable"
BY_DEFINITION = "by definition:"  # how `by_construction` begins of what is true in every repetition, whatever is drawn
NO_SIGNAL, NOT_RUN = "sanity check failed", "not run"

_ENOUGH_SEEDS = 3
_MOST_REPETITIONS = 1000  # more than anybody will run: said as "over 1,000"
_ENDLESS = 10**9
_UNSURE, _OPEN = "unsure", "open"  # outcomes of a comparison: chance may turn it; what the paper leaves open decides it
_MOST_LABELS = 12
_BY_CHANCE = "not beyond chance"
_ON = {
    "paper": "",
    "reduced": " on less data",
    "substitute data": " on substitute data",
    BY_CONSTRUCTION: ", not testable",
}


@dataclass(frozen=True)
class Verdict:
    """A judgement and a grade with what they rest on, as text for a table; `verdict` is both in words."""

    judgement: str
    grade: str = ""
    verdict: str = ""
    measured: str = ""
    spread: str = ""
    seeds: str = ""
    data: str = ""
    note: str = ""


@dataclass(frozen=True)
class Finding:
    """One comparison: what it says by itself, and the chance of what contradicts it; None where none was computed."""

    outcome: str
    text: str
    label: str
    spread: float
    seeds: float
    reason: str
    numbers: tuple[Number, ...]
    contradicts: float | None = None

    @property
    def grade(self) -> str:
        """The weakest of its numbers'."""
        return max((each.grade for each in self.numbers), key=GRADES.index)


def judge(claim: Claim, tables: Tables, controls: Controls) -> Verdict:
    """Return the verdict on one claim that is no repeat; `tables` maps (paper, item) to the result table.

    Raises InputError where a table has text in the place of a number.
    """
    built = claim["by_construction"]
    silent = "" if built else no_signal(claim, tables, controls)
    if silent:
        return _not_judged(claim, NO_SIGNAL, [silent])
    try:
        selected = select_pairs(claim, tables)
        findings, missing, failed = _findings(claim, selected, tables, controls)
    except MissingError as missing:
        return _not_judged(claim, NOT_RUN, [str(missing)])
    shut_out = f"rows without {claim['gate']}, left out: {selected.shut_out}" if selected.shut_out else ""
    if not findings:
        return _not_judged(claim, NO_SIGNAL if failed or not selected.pairs else NOT_RUN, [*missing, shut_out])
    grade = min((finding.grade for finding in findings), key=GRADES.index)
    decisive = [finding for finding in findings if finding.grade == grade]
    weaker = [f"{finding.text}{_ON[finding.grade]}" for finding in findings if finding.grade != grade]
    readings = claim["kind"] == "value" and not built
    judgement, reasons = decide(_readings(decisive) if readings else decisive)
    needed = repetitions(claim, decisive, readings) if judgement == MORE else 0
    if math.isinf(needed):
        judgement, needed = NEVER, 0
    said = judgement + (f" ({_at_least(needed)})" if needed else "") + (_ON[BY_CONSTRUCTION] if built else _ON[grade])
    if claim["kind"] == "value" and grade != "paper":
        judgement, reasons = NOT_JUDGED, []
        said = f"not judged: {grade}"
    elif judgement == FAILS and not built:
        checked = check_failure(claim, tables, controls)
        if not checked.passed:
            judgement, reasons = NOT_JUDGED, [checked.reason]
            said = f"not judged: {NO_SIGNAL if checked.failed else NOT_RUN}"
    numbers = [number for finding in decisive for number in finding.numbers]
    note = [built and f"not testable: {built}"]
    note += [f"{n.dataset} stands for {n.stands_for}" for n in numbers if n.stands_for]
    note += [f"protocol: {n.protocol}" for n in numbers if n.protocol != "paper"]
    errors = joined_numbers(dict.fromkeys(n.error for n in numbers if n.error))
    note += [errors and f"standard error by the held-out samples: {errors}"]
    not_compared = joined([*selected.absent, *missing], ", ")
    note += [*reasons, not_compared and f"not compared: {not_compared}", shut_out]
    note += [f"does not count beside these: {', '.join(weaker)}" if weaker else "", claim["note"]]
    return Verdict(
        judgement,
        BY_CONSTRUCTION if built else grade,
        said,
        measured="; ".join(finding.text for finding in decisive),
        spread=joined_numbers(finding.spread for finding in decisive),
        seeds=joined_numbers(finding.seeds for finding in decisive),
        data=joined(n.data for n in numbers),
        note=joined(note),
    )


def _not_judged(claim: Claim, why: str, reasons: Sequence[str]) -> Verdict:
    built = claim["by_construction"]
    note = [built and f"not testable: {built}", *reasons, claim["note"]]
    return Verdict(NOT_JUDGED, BY_CONSTRUCTION if built else "", f"not judged: {why}", note=joined(note))


def _findings(
    claim: Claim, selected: Selected, tables: Tables, controls: Controls
) -> tuple[list[Finding], list[str], bool]:
    """Return the comparisons to judge, what is missing for others, and whether a control failed for one of these."""
    # A lone number needs no label; the sides of an order are told apart from others even where there are no others.
    many = claim["kind"] == "order" or len(selected.pairs) > 1
    findings: list[Finding] = []
    missing: list[str] = []
    failed = False
    for pair in selected.pairs:
        try:
            numbers = read_pair(claim, pair)
        except MissingError as absent:
            missing.append(str(absent))
            continue
        finding = compare(claim, numbers, pair.label if many else "")
        if not claim["by_construction"]:
            checked = check_pair(claim, pair, numbers, tables, controls)
            if not checked.passed:
                missing.append(checked.reason)
                failed = failed or checked.failed
                continue
        if all(finding.text != other.text for other in findings):  # one row may stand in two tables
            findings.append(finding)
    return findings, missing, failed


def repetitions(claim: Claim, findings: Sequence[Finding], readings: bool) -> float:
    """Return the least number of repetitions of each side at which a claim is decided; infinity if none decides it.

    The means m and the spreads s stay as they are measured; n repetitions replace fewer. A comparison with the margin d
    is decided if |d| > t(n - 1) * sqrt(sum of w^2 s^2 (1 / n + p) + e^2), roughly: `compare` adds the errors exactly.
    t is Student's quantile at ALPHA (Holm's share of it for a contradiction), w the weight of a side, p = 1 beside a
    number of the paper, which is one run with this spread, else 0, and e an error that repetitions share. The root
    does not fall below sqrt(sum of w^2 s^2 p + e^2): a smaller margin is never decided. A spread that no repetition
    shows yet counts as 0, so the number is the least that may do. readings: whether rows of one dataset interpret the
    paper. 1,001 stands for any finite number above 1,000.
    """

    def decided(count: int) -> bool:
        again = [compare(claim, tuple(_repeated(n, count) for n in each.numbers), each.label) for each in findings]
        return decide(_readings(again) if readings else again)[0] != MORE

    if not decided(_ENDLESS):
        return math.inf
    if not decided(_MOST_REPETITIONS):
        return _MOST_REPETITIONS + 1
    few, many = _ENOUGH_SEEDS - 1, _MOST_REPETITIONS  # not decided by few, decided by many
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if decided(middle) else (middle, many)
    return many


def _repeated(number: Number, count: int) -> Number:
    """Return the number as if it had been measured in at least `count` repetitions."""
    if number.seeds == 0:
        return number
    seeds = count if math.isnan(number.seeds) else max(number.seeds, count)
    return replace(number, seeds=seeds, spread=0.0 if math.isnan(number.spread) else number.spread)


def _at_least(count: float) -> str:
    return f"over {_MOST_REPETITIONS:,}" if count > _MOST_REPETITIONS else f"at least {count}"


def _readings(findings: Sequence[Finding]) -> list[Finding]:
    """Let rows of one dataset contradict a number together or not at all: by the largest of their chances."""
    found = []
    for each in findings:
        beside = [other for other in findings if other.numbers[0].dataset == each.numbers[0].dataset]
        tested = [other.contradicts for other in beside if other.contradicts is not None]
        if each.outcome == FAILS and any(other.outcome != FAILS for other in beside):
            reason = f"{each.reason} by this interpretation, not shown by all"
            outcome = _OPEN if any(other.outcome in (HOLDS, _OPEN) for other in beside) else _UNSURE
            each = replace(each, outcome=outcome, reason=reason, contradicts=None)
        elif each.outcome == FAILS and tested:
            each = replace(each, contradicts=max(tested))
        found.append(each)
    return found


def decide(findings: Sequence[Finding]) -> tuple[str, list[str]]:
    """Return what comparisons say together, with reasons: HOLDS, FAILS, MORE or DEPENDS.

    One contradiction beyond chance fails a claim; all comparisons must support it. Else chance may turn one of them, or
    all that are not met depend on how the paper is read.
    """
    tested = [finding for finding in findings if finding.contradicts is not None]
    contradicted = holm([finding.contradicts for finding in findings if finding.contradicts is not None])
    certain = [finding for finding in findings if finding.outcome == FAILS and finding.contradicts is None]
    against = certain + [finding for finding, beyond in zip(tested, contradicted, strict=True) if beyond]
    if against:
        return FAILS, _reasons(against)
    if all(finding.outcome == HOLDS for finding in findings):
        return HOLDS, []
    unsure = [replace(each, reason=_BY_CHANCE, outcome=_UNSURE) if each.outcome == FAILS else each for each in findings]
    judgement = MORE if any(each.outcome == _UNSURE for each in unsure) else DEPENDS
    return judgement, _reasons(finding for finding in unsure if finding.outcome != HOLDS)


def _reasons(findings: Iterable[Finding]) -> list[str]:
    """Each reason once, with the comparisons that it is about."""
    about: dict[str, list[str]] = {}
    for finding in findings:
        about.setdefault(finding.reason, []).append(finding.label)
    return [f"{reason}: {_shortened(labels)}" if any(labels) else reason for reason, labels in about.items()]


def _shortened(labels: Sequence[str]) -> str:
    return "; ".join(labels) if len(labels) <= _MOST_LABELS else f"{'; '.join(labels[:3])} and {len(labels) - 3} more"


def compare(claim: Claim, numbers: tuple[Number, ...], label: str) -> Finding:
    """Return a number against the paper's, against another, or against a constant."""
    value, exactly = claim["kind"] == "value", claim["by_construction"].startswith(BY_DEFINITION)
    if exactly or (value and claim["by_construction"]):  # a setting has no spread
        numbers = tuple(
            replace(number, spread=0.0, seeds=0.0, error=0.0) if exactly or math.isnan(number.spread) else number
            for number in numbers
        )
    left, relation, tolerance = numbers[0], claim["relation"], claim["tolerance"]
    right = numbers[1].value if len(numbers) > 1 else float(claim["value"])
    factor = float(tolerance[1:]) if tolerance.startswith("x") else 1.0
    shift = float(tolerance) if tolerance[:1] in ("+", "-") else 0.0
    bound = factor * right + shift
    slack = _slack(tolerance, right) if value or relation == "=" else 0.0
    margin = _margin(left.value, relation, bound, slack)
    holds = margin > 0 or (margin == 0 and relation in ("=", "<=", ">="))

    samples = [Sample(left.spread, left.seeds, single=value)]
    samples += [Sample(number.spread, number.seeds, factor) for number in numbers[1:]]
    error, freedom = standard_error(samples)
    width = 2 * slack if relation == "=" else None
    errors = [sample.weight * number.error for sample, number in zip(samples, numbers, strict=True)]
    shared = math.hypot(*errors, errors[0] if value else 0.0)
    contradicts = None
    latitude = float(claim["latitude"] or 0)
    large, small = 0.0, 0.0
    if error > 0 or shared > 0:
        large, _ = chances(margin, error, freedom, width, shared)
        wider = None if width is None else width + 2 * latitude
        _, small = chances(margin + latitude, error, freedom, wider, shared)
    if not holds and latitude and margin + latitude >= 0:
        outcome = _OPEN
        reason = f"outside the tolerance by less than {printed(latitude)}, by which what the paper leaves open moves it"
    elif any(math.isnan(number.seeds) for number in numbers):
        outcome, reason = _UNSURE, "the table does not state the number of seeds"
    elif any(0 < number.seeds < _ENOUGH_SEEDS for number in numbers):
        outcome, reason = _UNSURE, f"needs {_ENOUGH_SEEDS} seeds"
    elif math.isnan(error):
        outcome, reason = _UNSURE, "the table does not state the spread"
    elif error == shared == 0:
        outcome, reason = (HOLDS, "") if holds else (FAILS, _beyond(claim))
    else:
        contradicts = small
        outcome = HOLDS if large <= ALPHA else FAILS if small <= ALPHA else _UNSURE
        reason = _beyond(claim) if outcome == FAILS else _BY_CHANCE
    seeds = min((number.seeds for number in numbers if number.seeds), default=0.0)
    spread = sum((sample.weight * sample.spread) ** 2 for sample in samples) ** 0.5
    written = f"{printed(left.value)}" if value else _ordered(left.value, holds, right, claim)
    words = f"{written} ({label})" if label else written
    return Finding(outcome, words, label, spread, seeds, reason, numbers, contradicts)


def _margin(left: float, relation: str, bound: float, slack: float) -> float:
    """By how much a comparison supports the claim, negative where it contradicts it; 0 on the boundary."""
    if relation == "=":
        margin, size = slack - abs(left - bound), slack
    else:
        margin, size = (bound + slack - left if relation in ("<", "<=") else left - bound + slack), abs(bound) + slack
    # 0.91 - 0.90 exceeds 0.01 in binary, but tolerances are meant in decimals.
    return 0.0 if abs(margin) <= 1e-9 * max(size, 1e-12) else margin


def _slack(tolerance: str, target: float) -> float:
    """Return the absolute distance that `2%` or `0.05` allows."""
    return float(tolerance[:-1]) / 100 * abs(target) if tolerance.endswith("%") else float(tolerance or 0)


def _ordered(left: float, holds: bool, right: float, claim: Claim) -> str:
    relation, tolerance = claim["relation"], claim["tolerance"]
    shown = moved(printed(right), tolerance if relation != "=" else "")
    return f"{printed(left)} {relation if holds else f'not {relation}'} {shown}"


def _beyond(claim: Claim) -> str:
    return f"outside the tolerance ({claim['tolerance'] or 'none'})" if claim["kind"] == "value" else "contradicted"
