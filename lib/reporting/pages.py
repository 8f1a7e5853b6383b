"""Markdown pages of claims, verdicts and result tables, with nothing in them that differs from run to run."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from lib.reporting.claims.ledger import is_repeat
from lib.reporting.claims.rows import GRADES
from lib.reporting.claims.rule import BY_CONSTRUCTION, JUDGEMENTS

MEANINGS = {
    "holds": "the paper's number is met within the tolerance set before the run, or its ordering holds, beyond chance",
    "fails": "it is contradicted beyond chance; at most 5 % of claims would be where the truth is equality",
    "undecided": "neither: the spread is too large, the seeds are too few, or the paper leaves too much open",
    "not judged": "no signal (a control failed), not run, or a number of the paper's measured on less or other data",
}
GRADE_MEANINGS = {
    "paper": "the paper's data and protocol",
    "reduced": "its data, less of them, or a shorter training",
    "stand-in": "other data: can support or contradict an ordering, and says so",
    BY_CONSTRUCTION: "settings, identities and our own readings, which say nothing of the paper: in no total",
}
PLACES = {"paper": "on the paper's data and protocol", "reduced": "on less of its data", "stand-in": "on stand-ins"}


def claims_page(verdicts: pd.DataFrame, preset: str) -> str:
    """All claims of all papers, with counts; `verdicts` is what `lib.reporting.claims.judge_all` returns."""
    parts = [f"# Claims, preset {preset}", "What a verdict means:", _meanings(), headline(verdicts), counts(verdicts)]
    for paper, rows in verdicts.groupby("paper", sort=False):
        parts += [f"## {paper}", claims_table(rows)]
    return _page(parts)


def paper_page(
    paper: str,
    title: str,
    preset: str,
    verdicts: pd.DataFrame | None,
    readings: str,
    tables: Mapping[str, pd.DataFrame],
    links: Mapping[str, str],
    figures: Mapping[str, str],
) -> str:
    """The page of a paper, or of results that no paper's claim is about.

    verdicts: its claims; None if there are none. readings: Markdown; what stands in it before a line of three dashes,
    if there is one, opens the page. tables: what to show, by item. links: files of numbers, relative to the page, by
    item or ITEM_WHAT, and named below that item. figures: the image of an item, likewise.
    """
    opening, _, caveats = readings.rpartition("\n---\n")
    parts = [f"# {title}", *([opening.strip()] if opening else [])]
    parts.append(f"Made by the workflow from preset {preset}; do not edit.")
    if verdicts is not None:
        parts += [f"The claims below as a table: [{paper}.csv]({paper}.csv).", headline(verdicts), counts(verdicts)]
    for heading, items in (("Tables", tables), ("Figures", figures)):
        if items:
            parts.append(f"## {heading}")
        for item in items:
            parts += [f"### {item}", result_table(tables[item]) if item in tables else f"![{item}]({figures[item]})"]
            own = [name for name in links if name == item or name.startswith(f"{item}_")]
            if own:
                parts.append(f"Numbers: {', '.join(f'[{name}.csv]({links[name]})' for name in own)}")
    if verdicts is not None:
        parts += ["## Claims", "What a verdict means:", _meanings(), claims_table(verdicts)]
    parts += ["## Readings and caveats", caveats.strip()]
    return _page(parts)


def counts(verdicts: pd.DataFrame) -> str:
    """How many claims of each paper got which judgement on which grade of evidence; repeats are not counted.

    What has no evidence at all has no grade. The last rows are of all papers, where there are several.
    """
    counted = verdicts[~verdicts["note"].map(is_repeat).astype(bool)]
    of_papers = [(paper, rows) for paper, rows in counted.groupby("paper", sort=False)]
    of_papers += [("all", counted)] if len(of_papers) > 1 else []
    rows = []
    for paper, found in of_papers:
        for grade in (*GRADES, ""):
            judged = found[found["grade"] == grade]["judgement"]
            if len(judged):
                rows.append([paper, grade or "none", *((judged == judgement).sum() for judgement in JUDGEMENTS)])
    text = markdown_table(["paper", "grade of evidence", *JUDGEMENTS], rows)
    built, left_out = (counted["grade"] == BY_CONSTRUCTION).sum(), len(verdicts) - len(counted)
    return f"{text}\n\nIn no total: {built} rows by construction, and {left_out} rows that repeat another claim."


def headline(verdicts: pd.DataFrame) -> str:
    """The counts in a line, the grade `paper` first, and nothing by construction."""
    counted = verdicts[~verdicts["note"].map(is_repeat).astype(bool)]
    parts = []
    for grade, place in PLACES.items():
        judged = counted[counted["grade"] == grade]["judgement"]
        numbers = [f"{(judged == judgement).sum()} {judgement.removesuffix('s')}" for judgement in JUDGEMENTS[:-1]]
        parts += [f"{place}: {', '.join(numbers)}"] if (judged != "not judged").any() else []
    others = (counted["grade"] != BY_CONSTRUCTION) & (counted["judgement"] == "not judged")
    return "; ".join([*parts, f"not judged: {others.sum()}"]) + "."


def claims_table(verdicts: pd.DataFrame) -> str:
    """The claims as read by a person: what the paper says, and what was found."""
    rows = []
    for row in verdicts.to_dict("records"):
        value = f": {row['paper_value']}" if row["paper_value"] else ""
        says = f"{row['id'].split('.')[1]}, {row['where']}: {row['quantity']}{value}"
        spread = f" (spread {row['spread']})" if row["spread"] not in ("", "0") else ""
        rows.append([says, row["measured"] + spread, row["data"], row["verdict"], row["note"]])
    return markdown_table(["what the paper says", "we measured", "data", "verdict", "note"], rows)


def result_table(table: pd.DataFrame) -> str:
    """A result table without its empty columns, each spread behind its number as `98.5 ± 0.1`.

    A column `x_spread` belongs to `x`; numbers have six digits at most.
    """
    folded = {f"{name}_spread" for name in table.columns}
    shown = [name for name in table.columns if name not in folded and table[name].notna().any()]
    rows = [[_with_spread(row, name) for name in shown] for row in table.to_dict("records")]
    return markdown_table(shown, rows)


def _with_spread(row: Mapping[str, object], name: str) -> str:
    text, spread = _printed(row[name]), _printed(row.get(f"{name}_spread"))
    return f"{text} ± {spread}" if text and spread not in ("", "0") else text


def _printed(cell: object) -> str:
    if cell is None or pd.isna(cell):
        return ""
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table whose cells are shown as they are, whatever signs are in them."""
    lines = [header, ["---"] * len(header), *([_escaped(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(cell: object) -> str:
    text = " ".join(str(cell).split())
    for sign in ("\\", "|", "*", "<", "`"):
        text = text.replace(sign, "\\" + sign)
    return text


def _meanings() -> str:
    judgements, grades = (
        "\n".join(f"* *{word}*: {meaning}" for word, meaning in words.items()) for words in (MEANINGS, GRADE_MEANINGS)
    )
    return f"{judgements}\n\nHow strong its evidence is:\n\n{grades}"


def _page(parts: Iterable[str]) -> str:
    return "\n\n".join(parts) + "\n"
