"""Make the contents of a page, in the order in which a reader asks; `markdown.py` and `site.py` write it down.

First: whether the paper holds up, its headline claims, why some of them do not, what epsilon promises, the paper's own
tables with its number beside ours, and the figures that carry the answer. Then the details: counts of claims, what
fails and why, other figures, all tables, sanity checks, and how the paper was interpreted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from lib.core.errors import InputError
from lib.reporting import headlines as heads
from lib.reporting import verdicts as said
from lib.reporting.claims.controls import Controls, outcome
from lib.reporting.claims.ledger import divided, is_repeat
from lib.reporting.claims.rule import BY_CONSTRUCTION
from lib.reporting.digits import as_read, rounded
from lib.reporting.provenance import BEFORE, UNKNOWN
from lib.reporting.quoting import Sources, filled, filled_by_sentence
from lib.reporting.tables import DIGITS, safe
from pate_accountant.rounding import shown

_CLAIM = re.compile(r"[vo]\d\d[a-z]?")
_OPENING = "\n---\n"
_NOT = {"<=": ">", ">=": "<", "<": "≥", ">": "≤", "=": "≠"}
NO_NUMBER = "no single number"  # in the place of a pair
_SHOWN = 2  # comparisons of a failing claim that are written out


@dataclass(frozen=True)
class Text:
    """Some paragraphs of Markdown."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table of texts, Markdown in its title and caption alone.

    name: by which links find it, if it is one of the results. file: its numbers, relative to the page. every: header
    and rows with all columns, where `header` and `rows` have the chosen ones.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    name: str = ""
    caption: str = ""
    file: str = ""
    every: tuple[Sequence[str], Sequence[Sequence[str]]] | None = None


@dataclass(frozen=True)
class Figure:
    """A picture: its file, its caption in Markdown, lines of verdicts, and the tables behind it (file by name)."""

    name: str
    title: str
    file: str
    caption: str
    verdicts: Sequence[str] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Failure:
    """A failure: a title, what was measured and why in Markdown, and the tables that show it (file by name)."""

    title: str
    text: str
    evidence: Mapping[str, str]


@dataclass(frozen=True)
class Folded:
    """A part of the page that a reader opens."""

    summary: str
    parts: Sequence[Text | Table | Figure]


@dataclass(frozen=True)
class Page:
    """A page; what is empty is left out.

    cites: the paper, in Markdown. answer: whether it holds up, a sentence. headlines: its headline claims, or of the
    page of all papers a table for each. whys: a title and the reason for an answer, in Markdown. tables, figures: those
    that carry the answer. All from `matrix` on are details; claims: where the paper's claims lie as a table.
    """

    name: str
    title: str
    preset: str
    answer: str
    headlines: Sequence[Table] = ()
    whys: Sequence[tuple[str, str]] = ()
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    matrix: Table | None = None
    opening: str = ""
    failures: Sequence[Failure] = ()
    folded: Sequence[Folded] = ()
    claims: str = ""
    cites: str = ""


@dataclass(frozen=True)
class Material:
    """Texts, tables, figures and verdicts that a page is made of.

    outline: of `load_outline`. readings: Markdown with placeholders (`quoting.py`); what stands before a line of three
    dashes, if there is one, opens the part on what fails. results: each with item, title, caption
    (reStructuredText) and tables, in the order of the register. tables: all result tables by name; columns: those to
    show of one, else all; files, figures: where the numbers of a table and the picture of an item lie, relative to the
    page. ledger and verdicts, controls: of one paper; none where nothing is claimed. origins: of each file that the
    page shows, see `provenance.cells`. quoted: other tables that texts may name: those that figures are drawn from, and
    of other committed runs as FOLDER_TABLE.
    """

    outline: dict
    readings: str
    results: list[dict]
    tables: Mapping[str, pd.DataFrame]
    columns: Mapping[str, list[str]]
    files: Mapping[str, str]
    figures: Mapping[str, str]
    ledger: Sequence[Mapping[str, str]] = ()
    verdicts: pd.DataFrame | None = None
    controls: Controls = field(default_factory=dict)
    origins: Sequence[Sequence[str]] = ()
    quoted: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def sources(self) -> Sources:
        """Where texts take their numbers from."""
        return Sources(self.verdicts, {**self.quoted, **self.tables})


def page(name: str, title: str, preset: str, made_of: Material, claims: str = "") -> Page:
    """Return the page of a paper, or of results of no paper; claims: where its claims lie as a table.

    Raises InputError for an outline that names a claim that is not there.
    """
    _check_names(name, made_of)
    outline, found = made_of.outline, made_of.verdicts
    opening, _, readings = (filled_by_sentence(part, made_of.sources) for part in made_of.readings.rpartition(_OPENING))
    shown = _each_line_once([figure for item in outline["figures"] for figure in _figures(made_of, [item])])
    if found is None:
        answer, asked, whys, matrix = leaderboard_answer(made_of.tables), [], [], None
    else:
        answer = heads.summary(outline, found)
        asked = [_headlines(outline, found)]
        whys = _whys(outline, made_of)
        matrix = Table("", *said.matrix(found), caption=said.left_out(found))
    return Page(
        name=name,
        title=title,
        preset=preset,
        answer=answer,
        cites=outline["cites"],
        headlines=asked,
        whys=whys,
        tables=[table for table in (_outlined(entry, made_of) for entry in outline["tables"]) if table.rows],
        figures=[_short(figure) for figure in shown],
        matrix=matrix,
        opening=opening.strip(),
        failures=_failures(made_of),
        folded=_folded(made_of, shown, readings.strip()),
        claims=claims,
    )


def _headlines(outline: dict, found: pd.DataFrame, title: str = "") -> Table:
    """Return a paper's headline claims, a row each; with their numbers, if any has some."""
    claims = heads.headlines(outline["headlines"], found).values()
    numbers = any(each.pair for each in claims)
    header = ["", "The paper says", "Answer", *["Paper → here"] * numbers, "Evidence, or what is missing"]
    rows = [
        [each.mark, f"{each.says} ({each.where})", each.answer, *[each.pair or NO_NUMBER] * numbers, each.rests_on]
        for each in claims
    ]
    return Table(title, header, rows, name="headlines")


def _whys(outline: dict, made_of: Material) -> list[tuple[str, str]]:
    """Why headlines have an answer other than confirmed, and what epsilon promises; none without its numbers."""
    found = heads.headlines(outline["headlines"], made_of.verdicts).values()
    texts = [(f"{each.says}: {each.answer}", each.why) for each in found]
    texts += [("What ε promises", outline["promise"])]
    written = [(title, filled(text, made_of.sources)) for title, text in texts]
    return [(title, text) for title, text in written if text]


def _check_names(name: str, made_of: Material) -> None:
    rows = [*made_of.outline["headlines"], *made_of.outline["reasons"]]
    cells = [cell for table in made_of.outline["tables"] for row in table.get("rows", []) for cell in row]
    wanted = {claim for row in rows for key in ("of", "needs", "paper") for claim in row.get(key, [])} | {
        row["shows"] for row in rows if "shows" in row
    }
    wanted |= {cell for cell in cells if _CLAIM.fullmatch(cell)}
    known = {claim["id"].partition(".")[2] for claim in made_of.ledger}
    if unknown := sorted(wanted - known):
        raise InputError(f"report/{name}.yaml: {name} has no claims {unknown}")


# ---------------------------------------------------------------- the paper's tables


def _outlined(table: dict, made_of: Material) -> Table:
    """Return a table of an outline: the paper's, with a verdict a cell, or columns of a result under other names."""
    note = filled_by_sentence(table.get("note", ""), made_of.sources)
    if "from" not in table:
        assert made_of.verdicts is not None
        by_name = {row["id"].partition(".")[2]: row for row in made_of.verdicts.to_dict("records")}
        rows = [[cell_of(by_name[cell]) if _CLAIM.fullmatch(cell) else cell for cell in row] for row in table["rows"]]
        return Table(table["title"], table["header"], rows, caption=note)
    frame, names = made_of.tables.get(table["from"], pd.DataFrame()), table.get("names", {})
    for column, value in table.get("where", {}).items():
        frame = frame[frame[column].astype(str) == value] if column in frame.columns else frame
    columns = {name: title for name, title in table["columns"].items() if name in frame and frame[name].notna().any()}
    cells = [[_number(row, name, rounded) for name in columns] for row in frame.to_dict("records")]
    rows = [[names.get(cell, cell) for cell in row] for row in cells]
    file = made_of.files.get(table["from"], "")
    return Table(table["title"], list(columns.values()), rows, caption=note, file=file)


def cell_of(verdict: Mapping[str, str]) -> str:
    """`paper → here` with a mark; numbers to three digits, a spread to one. Of several rows: the least to the most."""
    mark = "" if verdict["grade"] == BY_CONSTRUCTION else _mark(verdict)
    paper, spread = as_read(verdict["paper_value"]), verdict["spread"]
    unmeasured = "not run" if verdict["verdict"].endswith("not run") else "a sanity check failed"
    here = heads.measured(verdict) or unmeasured
    if verdict["measured"] and ";" not in spread and spread not in ("", "0"):
        here += f" ± {rounded(float(spread), 1)}"
    # a mark stays with its number where a line is broken
    return f"{paper} → " + f"{here} {mark}".strip().replace(" ", "\u00a0")


def _mark(verdict: Mapping[str, str]) -> str:
    return said.MARKS[verdict["judgement"]] + said.SIGNS[verdict["grade"]]


# ---------------------------------------------------------------- figures


def _figures(made_of: Material, items: Iterable[str]) -> list[Figure]:
    """Return the figures of some items, those that are there, with whole captions."""
    found = []
    for result in made_of.results:
        if result["item"] in items and result["item"] in made_of.figures:
            numbers = {table: made_of.files[table] for table in result["tables"] if table in made_of.files}
            own = _claims_about(made_of, result["tables"])
            caption = as_markdown(result["caption"])
            found.append(
                Figure(result["item"], result["title"], made_of.figures[result["item"]], caption, own, numbers)
            )
    return found


def _each_line_once(figures: Iterable[Figure]) -> list[Figure]:
    """Return figures with the verdict on a claim below the first of them alone."""
    said: set[str] = set()
    found = []
    for figure in figures:
        found.append(replace(figure, verdicts=[line for line in figure.verdicts if line not in said]))
        said.update(figure.verdicts)
    return found


def _short(figure: Figure) -> Figure:
    """With the first paragraph of its caption: the rest is with the folded tables."""
    return replace(figure, caption=as_read(figure.caption.partition("\n\n")[0], years=True))


def _claims_about(made_of: Material, tables: Iterable[str]) -> list[str]:
    """Return a line with a mark for each claim that some tables decide; without repeats and what is not testable.

    A claim may be decided by the data of other figures alone: then the line says so in the place of its mark.
    """
    if made_of.verdicts is None:
        return []
    of = {claim["id"]: set(claim["table"].split(";")) for claim in made_of.ledger}
    lines = []
    for row in made_of.verdicts.to_dict("records"):
        own = of[row["id"]] & set(tables)
        if own and row["grade"] != BY_CONSTRUCTION and not is_repeat(row["note"]):
            here = own == of[row["id"]] or row["judgement"] == "not judged" or _decided_by(row, own, made_of)
            lines.append(
                as_read(f"{_mark(row)} {row['quantity']}" if here else f"– {row['quantity']}: not judged here")
            )
    return list(dict.fromkeys(lines))


def _decided_by(verdict: Mapping[str, str], tables: Iterable[str], made_of: Material) -> bool:
    """Whether one of some tables has a dataset of which the verdict is; in it each is `NAME (FINGERPRINT)`."""
    frames = [made_of.tables[table] for table in tables if table in made_of.tables]
    datasets = {name for frame in frames if "dataset" in frame for name in frame["dataset"].astype(str)}
    return any(f"; {name} (" in f"; {verdict['data']}" for name in datasets)


def as_markdown(caption: str) -> str:
    """Return a caption of the report, whose reStructuredText has literals and paragraphs alone."""
    return "\n\n".join(" ".join(part.split()) for part in caption.replace("``", "`").strip().split("\n\n"))


# ---------------------------------------------------------------- what fails


def _failures(made_of: Material) -> list[Failure]:
    """Return what fails, on the paper's data first: an outline's reasons, each with its claims that do, then others."""
    if made_of.verdicts is None:
        return []
    rows = said.originals(made_of.verdicts)
    rows = rows[(rows["judgement"] == "fails") & (rows["grade"] != BY_CONSTRUCTION)]
    failing = {row["id"].partition(".")[2]: row for row in rows.to_dict("records")}
    tables = {claim["id"].partition(".")[2]: claim["table"].split(";") for claim in made_of.ledger}
    groups = [(r["title"], [c for c in r["of"] if c in failing], r["why"]) for r in made_of.outline["reasons"]]
    explained = {claim for _, claims, _ in groups for claim in claims}
    others = [(as_read(row["quantity"]), [name], "") for name, row in failing.items() if name not in explained]
    found = []
    for title, claims, why in (*groups, *others):
        if claims:
            measured = " ".join(_found(failing[claim]) for claim in claims[:3])
            more = (
                f" {len(claims) - 3} more {'fail' if len(claims) > 4 else 'fails'} likewise." if len(claims) > 3 else ""
            )
            evidence = [table for claim in claims for table in tables[claim]]
            files = {table: made_of.files[table] for table in evidence if table in made_of.files}
            grades = [grade for grade in said.PLACES if any(failing[claim]["grade"] == grade for claim in claims)]
            places = [] if grades == ["paper"] else [said.PLACES[grade] for grade in grades]
            whole = said.over_all_readings(pd.DataFrame([failing[claim] for claim in claims]), made_of.verdicts)
            places += [whole] if whole else []
            place = f" ({', '.join(places)})" if places else ""
            found.append(("paper" not in grades, Failure(title + place, f"{measured}{more} {why}".strip(), files)))
    return [failure for _, failure in sorted(found, key=lambda entry: entry[0])]


def _found(verdict: Mapping[str, str]) -> str:
    """Return what the paper says and what was found, in a sentence."""
    name = verdict["id"].partition(".")[2]
    parts = [part for part in verdict["measured"].split("; ") if part]
    # a comparison that was not met says so
    told = [part for part in parts if " not " in part] or parts
    more = f" and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    here = as_read("; ".join(heads.safe_numbers(part, verdict) for part in told[:_SHOWN]))
    for relation, sign in _NOT.items():
        here = here.replace(f" not {relation} ", f" {sign} ")
    if re.fullmatch(r"[<>]?=? ?[\d.,e+-]+", verdict["paper_value"]):
        return f"{verdict['where']} ({name}): {as_read(verdict['paper_value'])} in the paper, {here}{more} here."
    return f"{verdict['where']} ({name}): {as_read(verdict['quantity'])}; here {here.replace(' x ', ' × ')}{more}."


# ---------------------------------------------------------------- the folded part


def _folded(made_of: Material, shown: Sequence[Figure], readings: str) -> list[Folded]:
    """All that there is."""
    first = [figure.name for figure in shown]
    items = [result["item"] for result in made_of.results if result["item"] not in first]
    parts = [Folded("More figures", _each_line_once(_figures(made_of, items)))]
    parts.append(Folded("All tables, in full", _all_tables(made_of, first)))
    if made_of.verdicts is not None:
        claims, checks = divided(made_of.verdicts)
        parts.append(Folded(f"All {len(claims)} claims, with verdicts", [Text(meanings()), claims_table(claims)]))
        header, rows = said.interpretations(made_of.verdicts, {claim["id"]: claim["note"] for claim in made_of.ledger})
        if rows:
            parts.append(Folded("Claims that depend on how the paper is read", [Table("", header, rows)]))
        if len(checks):
            parts.append(Folded(f"{len(checks)} checks, not counted", [Text(CHECKS), claims_table(checks)]))
        if made_of.controls:
            parts.append(Folded("Sanity checks", [controls_table(made_of.controls, made_of.tables)]))
    parts.append(Folded("How the paper is read, and caveats", [Text(readings)]))
    if made_of.origins:
        parts.append(Folded("Commit and code of each table and figure", _origins(made_of.origins)))
    return [part for part in parts if part.parts]


CHECKS = (
    "No run can refute these rows, or they are not the paper's: settings, statements that are true by definition, and "
    "variants of ours. The note of each says which."
)


def _origins(rows: Sequence[Sequence[str]]) -> list[Text | Table]:
    """Return the commits that made files, and whether today's code is the same; how many of which none is known."""
    files: dict[tuple[str, str], list[str]] = {}
    for file, commit, told in rows:
        if told != f"{UNKNOWN}, {BEFORE}":
            files.setdefault((commit, told), []).append(file)
    known = [[", ".join(names), *made] for made, names in files.items()]
    if not known:
        return [Text(f"All tables and figures of this page were {BEFORE}.")]
    caption = "Comments and docstrings aside. `make provenance` compares with the code that you have."
    parts: list[Text | Table] = [Table("", ["files", "made by commit", "today's code"], known, caption=caption)]
    if others := len(rows) - sum(map(len, files.values())):
        parts.append(Text(f"The other tables and figures of this page ({others}) were {BEFORE}."))
    return parts


def _all_tables(made_of: Material, shown: Sequence[str]) -> list[Text | Table]:
    """Return every table, with what the page says of its result nowhere else.

    shown: items whose figures stand first, with the first paragraph of their captions; other figures have all of it.
    """
    found: list[Text | Table] = []
    for result in made_of.results:
        own = [table for table in result["tables"] if table in made_of.tables]
        whole = as_markdown(result["caption"])
        if result["item"] in made_of.figures:
            whole = whole.partition("\n\n")[2] if result["item"] in shown else ""
        for number, table in enumerate(own):
            title = result["title"] if len(own) == 1 else f"{result['title']}: {table}"
            caption = whole if number == 0 else ""
            found.append(result_table(made_of.tables[table], table, title, made_of, caption))
    return found


def result_table(frame: pd.DataFrame, name: str, title: str, made_of: Material, caption: str = "") -> Table:
    """Return a result table without its empty columns, spreads behind numbers as `98.5 ± 0.1`, six digits at most."""
    chosen = made_of.columns.get(name)
    every = _cells(frame, frame.columns)
    header, rows = _cells(frame, chosen) if chosen else every
    file = made_of.files.get(name, "")
    return Table(title, header, rows, name=name, caption=caption, file=file, every=every)


def _cells(frame: pd.DataFrame, names: Iterable[str]) -> tuple[list[str], list[list[str]]]:
    folded = {f"{name}_spread" for name in frame.columns}
    shown = [name for name in names if name not in folded and frame[name].notna().any()]
    return shown, [[_number(row, name, _six) for name in shown] for row in frame.to_dict("records")]


def _number(row: Mapping[str, object], name: str, digits) -> str:
    cell, spread = row[name], row.get(f"{name}_spread")
    if cell is None or pd.isna(cell):
        return ""
    if not isinstance(cell, float):
        return f"{cell:,}" if digits is rounded and isinstance(cell, int) else str(cell)
    cell = safe(cell, name, 3 if digits is rounded else DIGITS)
    if not isinstance(spread, float) or pd.isna(spread) or spread == 0:
        return digits(cell)
    return f"{digits(cell)} ± {rounded(spread, 1) if digits is rounded else digits(spread)}"


def _six(value: float) -> str:
    return f"{value:.6g}"


def claims_table(verdicts: pd.DataFrame) -> Table:
    """Return the claims as read by a person: what the paper says, and what was found."""
    rows = []
    for row in verdicts.to_dict("records"):
        value = f": {row['paper_value']}" if row["paper_value"] else ""
        says = f"{row['id'].split('.')[1]}, {row['where']}: {row['quantity']}{value}"
        spread = f" (spread {row['spread']})" if row["spread"] not in ("", "0") else ""
        rows.append([says, row["measured"] + spread, row["data"], row["verdict"], row["note"]])
    return Table("", ["what the paper says", "we measured", "data", "verdict", "note"], rows, name="claims")


def controls_table(controls: Controls, tables: Mapping[str, pd.DataFrame]) -> Table:
    """Return the sanity checks that a comparison needs, with thresholds, and what came of each.

    tables: of the controls' paper, by item.
    """
    rows = []
    for (paper, name, dataset), row in controls.items():
        came = outcome(row, {(paper, item): frame for item, frame in tables.items()}, controls)
        least = row["threshold"] or row["chance"]
        if float(row["share"] or 0):
            least += f" and {row['share']} of what that network gains over it"
        rows.append([name, dataset, row["what"], f"{row['relation']} {least}", came, row["guards"], row["set"]])
    return Table("", ["control", "data", "what", "needed", "measured", "guards", "set"], rows, name="controls")


def meanings() -> str:
    """Explain the words of a verdict, in Markdown."""
    judgements, grades = (
        "\n".join(f"* *{word}*: {meaning}" for word, meaning in words.items())
        for words in (said.MEANINGS, said.GRADE_MEANINGS)
    )
    return f"What a verdict means:\n\n{judgements}\n\nHow strong its evidence is:\n\n{grades}"


# ---------------------------------------------------------------- pages of more than one paper


STARTED = " started from public labels"  # end of the titles of methods that a network of public data alone begins


def leaderboard_answer(tables: Mapping[str, pd.DataFrame]) -> str:
    """Say what is most accurate with a guarantee, and what the controls show.

    The control that saw public data alone costs nothing, and so counts at every budget.
    """
    table = tables["leaderboard"]
    promised = table[table["guarantee"] == "yes"]
    leaking, public = (table[table["method"] == f"control: {name}"] for name in ("leaks all", "public data"))
    free, last, parts = public["accuracy"].max(), "", []
    for budget in sorted(set(promised["budget"].astype(float))):
        own = promised[promised["budget"].astype(float) == budget]
        best = own.loc[own["accuracy"].idxmax()]
        private, accuracy = best["method"], f"{rounded(best['accuracy'])} %"
        first, how = private, accuracy
        if best["accuracy"] < free:
            first, how = "public data alone", f"{rounded(free)} %; the best private method is {private}, {accuracy}"
        at = shown(budget) if first == last else f"{first} at ε = {shown(budget)}"
        parts.append(f"{at} ({how})")
        last = first
    said = [f"Most accurate with a guarantee: {', '.join(parts)}." if parts else "No row has a guarantee."]
    if len(public):
        warm = promised["method"].str.endswith(STARTED)
        # those that are read as the same are not below
        lower = promised[(promised["accuracy"] < free) & (promised["accuracy"].map(rounded) != rounded(free))]
        below = [f"{(warm[lower.index] == each).sum()} of {(warm == each).sum()}" for each in (False, True)]
        labels = f"and {below[1]} that start from them" if warm.any() else "and none has its labels"
        private = f"{below[0]} private rows" + (" without its labels" if warm.any() else "")
        said.append(f"Public data alone has {rounded(free)} % and costs no privacy; {private} are below it, {labels}.")
    if len(public) and len(leaking):
        said.append(
            f"The strongest attack has an AUC of {rounded(leaking['auc'].max())} on the control that leaks all and of "
            f"{rounded(public['auc'].max())} on the one that saw nothing private."
        )
    return " ".join(said)


def index(verdicts: pd.DataFrame, outlines: Mapping[str, dict], preset: str) -> Page:
    """Return the page of all papers: a row with the answer for each, and its headline claims.

    Where a run gives other answers than the committed results, on real data, do (the outlines' words), both are shown.
    verdicts: of all papers. outlines: by paper, in the order of the rows.
    """
    rows, asked = [], []
    for paper, outline in outlines.items():
        own = verdicts[verdicts["paper"] == paper]
        found = heads.headlines(outline["headlines"], own)
        answers = [outline["answer"]["says"] if outline["answer"] else "", heads.summary(outline, own)]
        more = [heads.numbers(outline, own) or "none measured", heads.lacking(found) or "nothing is open"]
        rows.append([outline["name"], *answers, *more, heads.marks(found)])
        asked.append(_headlines(outline, own, outline["name"]))
    header = ["Paper", "On real data", "This run", "Numbers", "Open, and what would decide it"]
    header += ["Headline claims"]
    caption = f"Headline claims, a paper's main statements: {heads.LEGEND}."
    if all(row[1] in ("", row[2]) for row in rows):
        header, rows = ["Paper", "Does it hold up?", *header[3:]], [[row[0], *row[2:]] for row in rows]
    else:
        caption += (
            f" On real data: the committed results, docs/reproduction. This run and marks: preset {preset}; "
            "on substitute data an ordering of the paper can be tried, but none of its numbers."
        )
    answer = said.answer(verdicts, _whose(len(outlines)))
    title = "Five papers on private deep learning, reproduced"
    words = [Folded("What the words mean", [Text(meanings())])]
    number = said.counts(verdicts).to_numpy().sum()
    title_of_counts = f"All {number} claims, each a number with a tolerance or an ordering"
    counts = Table(title_of_counts, *said.table_of_counts(verdicts))
    papers = Table("", header, rows, caption=caption)
    return Page("index", title, preset, answer, asked, tables=[counts], matrix=papers, folded=words)


def _whose(papers: int) -> str:
    return "the paper's" if papers == 1 else f"{papers} papers'"


def all_claims(verdicts: pd.DataFrame, preset: str) -> Page:
    """Return a page with the claims of some papers: their counts, and every claim."""
    claims, checks = divided(verdicts)
    folded = [
        Folded(f"{paper}: {len(rows)} claims", [claims_table(rows)])
        for paper, rows in claims.groupby("paper", sort=False)
    ]
    if len(checks):
        folded.append(Folded(f"{len(checks)} checks, not counted", [Text(CHECKS), claims_table(checks)]))
    matrix = Table("", *said.matrix(verdicts), caption=said.left_out(verdicts))
    return Page(
        "claims",
        f"Claims, preset {preset}",
        preset,
        said.answer(verdicts, _whose(verdicts["paper"].nunique())),
        matrix=matrix,
        folded=[Folded("What the words mean", [Text(meanings())]), *folded],
    )
