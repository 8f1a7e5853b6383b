"""The committed pages: their order, their length, their numbers, and that their sentences are those of the verdicts."""

import inspect
import re
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from matplotlib.figure import Figure
from matplotlib.image import imread

from lib.plan.config import layered, load, register
from lib.plan.results import PAPERS, TITLES, Results
from lib.reporting import markdown
from lib.reporting.claims.cells import read_table
from lib.reporting.claims.ledger import divided
from lib.reporting.claims.loading import load_claims
from lib.reporting.claims.rule import JUDGEMENTS
from lib.reporting.headlines import CONFIRMED, OPEN, headlines, summary
from lib.reporting.outline import load_outline
from lib.reporting.pages import STARTED, index, leaderboard_answer
from lib.reporting.verdicts import counted, headline, originals, table_of_counts
from scripts import redraw, show_verdicts
from tests.offenders import each
from tests.redrawn import hidden_by_legends
from tests.reporting.longest import longest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "reproduction"
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}
OUTLINES = {name: load_outline(ROOT / "report" / f"{name}.yaml") for name in TITLES}


@cache
def verdicts():
    """The committed verdicts on claims and on checks."""
    files = [DOCS / "claims.csv", DOCS / "checks.csv"]
    return pd.concat([read_table(path, dtype=str).fillna("") for path in files], ignore_index=True)


def test_the_counts_of_verdicts_are_equal_everywhere(tmp_path, capsys):
    """README, index, each page, and what `make` ends with; the counts are those of the rows that count."""
    all_of, shown = headline(verdicts()), markdown.table(*table_of_counts(verdicts()))
    assert shown in (ROOT / "README.md").read_text(encoding="utf-8")
    assert shown in TEXTS["README"]
    for name, part in zip(("claims.csv", "checks.csv"), divided(verdicts().drop(columns="preset")), strict=True):
        part.to_csv(tmp_path / name, index=False)
    show_verdicts.main([str(tmp_path)])
    assert f"Claims: {all_of}" in capsys.readouterr().out.splitlines()
    total = 0
    for paper in PAPERS:
        own = counted(verdicts()[verdicts()["paper"] == paper])
        table = re.split(r"\n\| evidence \|.*\n\| ---.*\n", TEXTS[f"{paper}_details"])[1]
        rows = [cells(line)[1:] for line in table.partition("\n\n")[0].splitlines()]
        numbers = [sum(map(int, column)) for column in zip(*rows, strict=True)]
        assert numbers == [(own["judgement"] == judgement).sum() for judgement in JUDGEMENTS]
        total += len(own)
    numbers = re.findall(r"\b\d+(?= (?:hold|fail|need|not decidable|depend))|(?<=not judged: )\d+", all_of)
    assert total == sum(map(int, numbers)) == sum(int(cell) for cell in cells(shown) if cell.isdigit())
    assert f"All {total} claims, " in TEXTS["README"]


def test_there_is_a_page_for_all_and_two_for_each():
    assert set(TEXTS) == {"README", *TITLES, *(f"{name}_details" for name in TITLES)}


@each(PAPERS)
def test_the_first_screen_says_what_the_verdicts_say(name):
    first = "\n".join(TEXTS[name].splitlines()[:20])
    own = verdicts()[verdicts()["paper"] == name]
    assert f"\n**{summary(OUTLINES[name], own)}**\n" in first
    for shown in headlines(OUTLINES[name]["headlines"], own).values():
        assert f"| {shown.mark} | {shown.says} ({shown.where}) | {shown.answer} |" in first


@each(PAPERS)
def test_the_words_for_a_paper_are_for_its_answers(name):
    """On the committed results each paper is answered in words, and an answer that is not confirmed has its reason."""
    own = verdicts()[verdicts()["paper"] == name]
    assert summary(OUTLINES[name], own) == OUTLINES[name]["answer"]["says"]
    for shown in headlines(OUTLINES[name]["headlines"], own).values():
        assert shown.answer == CONFIRMED or shown.why or (shown.answer == OPEN and shown.missing), shown.says


def test_the_page_of_another_run_shows_the_answers_on_real_data_beside_its_own():
    judged = verdicts().assign(judgement="not judged")
    made = index(judged, {name: OUTLINES[name] for name in PAPERS}, "quick")
    assert made.matrix.header[:3] == ["Paper", "On real data", "This run"]
    for name, row in zip(PAPERS, made.matrix.rows, strict=True):
        own = judged[judged["paper"] == name]
        assert row[1:3] == [OUTLINES[name]["answer"]["says"], summary(OUTLINES[name], own)]
    assert "preset quick" in made.matrix.caption
    committed = index(verdicts(), {name: OUTLINES[name] for name in PAPERS}, "real")
    assert committed.matrix.header[:2] == ["Paper", "Does it hold up?"]


def test_the_first_screen_of_the_leaderboard_says_what_its_table_says():
    table = read_table(DOCS / "leaderboard" / "leaderboard.csv")
    assert f"\n**{leaderboard_answer({'leaderboard': table})}**\n" in "\n".join(TEXTS["leaderboard"].splitlines()[:60])


@pytest.mark.parametrize(
    ("left_out", "said", "unsaid"),
    [
        ("control: ", "Most accurate with a guarantee: DP-SGD", ["nan", "control"]),
        ("control: leaks all", "private rows without its labels are below it", ["nan", "strongest attack"]),
    ],
)
def test_the_leaderboard_says_nothing_of_controls_that_it_lacks(left_out, said, unsaid):
    table = read_table(DOCS / "leaderboard" / "leaderboard.csv")
    told = leaderboard_answer({"leaderboard": table[~table["method"].str.startswith(left_out)]})
    assert said in told and not any(word in told for word in unsaid)
    nothing = leaderboard_answer({"leaderboard": table[table["guarantee"] != "yes"]})
    assert nothing.startswith("No row has a guarantee. Public data alone has")


def test_public_data_alone_counts_where_no_private_method_is_as_accurate():
    """It costs no epsilon at all, so a private row that is less accurate is not the most accurate with a guarantee."""
    table = read_table(DOCS / "leaderboard" / "leaderboard.csv")
    table = table[~table["method"].str.endswith(STARTED)]
    public = table["accuracy"][table["method"] == "control: public data"].item()
    private = table[table["guarantee"] == "yes"]
    best = private.loc[private.groupby("budget")["accuracy"].idxmax()].set_index("budget")
    told = leaderboard_answer({"leaderboard": table})
    assert {"1": "public data alone", "8": "DP-SGD"} == {
        budget: "public data alone" if best["accuracy"][budget] < public else best["method"][budget]
        for budget in ("1", "8")
    }
    assert told.startswith(
        "Most accurate with a guarantee: public data alone at ε = 1 (54 %; the best private method is "
    )
    # a method is named once for all budgets at which it is the best
    assert "DP-SGD at ε = 2 (55.4 %), 4 (58.4 %), 8 (60.5 %)." in told
    assert "23 of 28 private rows are below it, and none has its labels" in told  # a 24th reads as the same


def test_a_private_method_that_starts_from_public_labels_is_counted_apart():
    table = pd.DataFrame(
        [
            ("DP-SGD", "1", "yes", 51.0),
            ("DP-SGD started from public labels", "1", "yes", 57.0),
            ("DP-MAC started from public labels", "1", "yes", 53.0),
            ("control: public data", "none", "no", 54.0),
        ],
        columns=["method", "budget", "guarantee", "accuracy"],
    ).assign(auc=0.5)
    told = leaderboard_answer({"leaderboard": table})
    assert told.startswith(
        "Most accurate with a guarantee: DP-SGD started from public labels at ε = 1 (57 %). Public data alone has"
    )
    assert "1 of 1 private rows without its labels are below it, and 1 of 2 that start from them." in told


def test_titles_say_which_methods_start_from_public_labels():
    methods = layered()["leaderboard"]["methods"].values()
    assert any("warm" in method for method in methods)
    assert all(("warm" in method) == method["title"].endswith(STARTED) for method in methods)


def test_the_page_of_all_papers_and_the_first_page_have_the_same_rows():
    content = index(verdicts(), {paper: OUTLINES[paper] for paper in PAPERS}, "real")
    for text, folder in (
        (TEXTS["README"], ""),
        ((ROOT / "README.md").read_text(encoding="utf-8"), "docs/reproduction/"),
    ):
        links = {OUTLINES[paper]["name"]: f"{folder}{paper}.md" for paper in PAPERS}
        assert markdown.papers(content, links).strip() in text
    assert len(content.matrix.rows) == len(PAPERS)
    assert "<!-- verdicts -->" in "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:20])


@each(PAPERS)
def test_the_answer_is_short(name):
    """Words before the paper's tables."""
    assert len(TEXTS[name].partition("\n### ")[0].split()) <= 600


def test_the_overview_can_be_read_on_a_narrow_screen():
    """Its letters are 25 pixels high in the file, so at least 10 where it is 370 wide."""
    assert imread(DOCS / "overview.png").shape[1] <= 25 * 370 / 10


@each(TEXTS)
def test_no_page_is_long(name):
    assert len(TEXTS[name].split()) <= 3000


def cells(text: str) -> list[str]:
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [cell.strip() for row in rows for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


@each(TEXTS)
def test_no_table_is_wide(name):
    assert not [line for line in TEXTS[name].splitlines() if len(re.findall(r"(?<!\\)\|", line)) > 9]


FIRST = ["README", *TITLES]


@each(FIRST)
def test_no_cell_of_an_answer_is_long(name):
    assert cells(TEXTS[name])
    assert not [cell for cell in cells(TEXTS[name]) if len(cell) > 200]


@each(FIRST)
def test_no_number_of_an_answer_has_more_than_three_digits(name):
    lines = re.sub(r"\]\([^)]*\)|`[^`]*`", "", TEXTS[name]).splitlines()
    assert not [line for line in lines if longest(line) > 3]


@each(TEXTS)
def test_no_page_has_formulas_that_only_some_readers_see(name):
    """The site shows the signs of LaTeX as they are."""
    assert "$" not in TEXTS[name]


@each(sorted(set(TEXTS) - {"README"}))
def test_every_figure_has_its_caption(name):
    pictures = re.findall(r"^!\[(.*?)\]\((.*?)\)\n\n(.*)$", TEXTS[name], re.MULTILINE)
    assert len(pictures) == TEXTS[name].count("![")
    for title, file, below in pictures:
        assert (DOCS / file).is_file()
        assert below.startswith(f"*{title}.* ") and len(below) > len(title) + 40


@each(TEXTS)
def test_every_link_leads_somewhere(name):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", TEXTS[name]):
        assert (DOCS / target).exists() or (ROOT / target).exists(), target


@each(TITLES)
def test_nothing_is_lost(name):
    """All committed tables and pictures, and how the paper was interpreted, are on one of the two pages."""
    text = TEXTS[name] + TEXTS[f"{name}_details"]
    readings = (ROOT / "report" / f"{name}_readings.md").read_text(encoding="utf-8")
    for title in re.findall(r"^\*\*[^*]+\*\*", readings, re.MULTILINE):
        assert title in text
    # no sentence is left out because its number is not there
    flat = " ".join(text.split())
    for paragraph in re.sub(r"\{[^{}]+\}", "{}", readings).replace("\n---\n", "").split("\n\n"):
        for sentence in re.split(r"(?<=[.:]) (?=[A-Z])", " ".join(paragraph.split())):
            assert re.search(re.escape(sentence).replace(r"\{\}", ".+?"), flat), sentence
    for picture in (DOCS / name).glob("*.png"):
        assert f"]({name}/{picture.name})" in text
    for table in (DOCS / name).glob("*.csv"):
        assert f"]({name}/{table.name})" in text


@each(PAPERS)
def test_what_fails_is_told_and_nothing_else_is(name):
    """A failing claim is named where it is told what fails; a claim that does not fail is not."""
    told = TEXTS[f"{name}_details"].partition("## What fails, and why")[2].partition("\n## ")[0]
    own = originals(verdicts()[verdicts()["paper"] == name])
    failing = {claim.partition(".")[2] for claim in own[own["judgement"] == "fails"]["id"]}
    named_there = set(re.findall(r"\((v\d\d|o\d\d[a-z]?)\)", told))
    assert named_there <= failing
    reasons = [set(reason["of"]) & failing for reason in OUTLINES[name]["reasons"]]
    for group in [group for group in reasons if group] + [{claim} for claim in failing - set().union(*reasons)]:
        # of a long group the first are written out, and how many follow
        assert len(group & named_there) >= min(3, len(group))


@each(PAPERS)
def test_the_papers_tables_are_whole(name):
    """Every number that the ledger has of a numbered table of the paper is a cell of it, under each of its readings."""
    shown = {cell for table in OUTLINES[name]["tables"] for row in table.get("rows", []) for cell in row}
    claims = [c for c in load_claims(*redraw.LEDGER) if c["paper"] == name and c["kind"] == "value"]
    theirs = [
        c for c in claims if re.match(r"Table|Experiments/Results", c["where"]) and "ours" not in c["by_construction"]
    ]
    of_tables = {c["id"].partition(".")[2] for c in theirs}
    assert of_tables <= shown


def test_captions_say_which_run_committed_numbers_are_of():
    notes = yaml.safe_load((DOCS / "notes.yaml").read_text(encoding="utf-8"))
    for paper, items in notes.items():
        page = " ".join((TEXTS[paper] + TEXTS[f"{paper}_details"]).split())
        assert all(" ".join(note.split()) in page for note in items.values())
    runs = {}
    for path in sorted((DOCS / "residual_perturbation").glob("*.csv")):
        table = read_table(path)
        if {"attack", "gamma", "auc", "method"} <= set(table.columns):
            tissue = table[(table["dataset"] == "tissue-like patches") & (table["attack"] == "shadow 0.001")]
            for auc in tissue[(tissue["method"] == "ResNet8") & (tissue["gamma"] == 0)]["auc"]:
                runs.setdefault(auc, set()).add(path.stem.removesuffix("_comparison"))
    assert len(runs) == 4 and set().union(*runs.values()) <= set(notes["residual_perturbation"])
    earlier = read_table(DOCS / "residual_perturbation" / "fig7_comparison.csv").query("dataset == 'CIFAR100'")
    assert set(earlier["protocol"].str.extract(r"(\d+) images")[0]) == {"300"}


@pytest.mark.slow
def test_the_pages_are_what_is_made_of_the_committed_tables():
    """Else `make redraw`."""
    plan, found = (
        redraw.Plan(redraw.load([ROOT / "presets" / "real.yaml"], {"data_root": "."}), register()),
        redraw.verdicts(),
    )
    for name in TITLES:
        made = redraw.page(name, plan.results.page_of(name), found)
        assert markdown.page(made) == TEXTS[name], name
        assert markdown.details(made) == TEXTS[f"{name}_details"], name


# pictures of data: digits, patches, masks, what networks make of them
PICTURES = {"scalable_pate_fig3", "dp_mac_fig3", "dp_mac_fig4", "autoencoded_pate_masks"}
PICTURES |= {f"residual_perturbation_fig{number}" for number in (1, 2, 8)}
FIGURES = [name for name, row in register().items() if row["shows"] == "figure"]


@pytest.mark.slow
@each(FIGURES)
def test_a_figure_is_drawn_from_tables_alone_unless_it_shows_data(name):
    draw = redraw.drawn_by(name)
    assert (draw is None) == (name in PICTURES)
    if draw:
        first, *others, last = inspect.signature(draw).parameters.values()
        assert first.name == "table" and (last.name, last.kind) == ("paths", inspect.Parameter.VAR_POSITIONAL)
        # tables that its script writes
        assert {other.name for other in others} <= set(inspect.signature(inspect.getmodule(draw).main).parameters)
        # and that the page comes with, so that it can be drawn again without data
        row, item = register()[name], Results(load(), register(), {}).item(name)
        tables = {item, *(f"{item}_{other.name}" for other in others)}
        assert tables <= {*row["judged"], *row["columns"], *row["numbers"]}


@pytest.mark.slow
def test_committed_figures_are_what_is_drawn_of_committed_numbers(tmp_path, monkeypatch, capsys):
    """Else `make redraw`. But for a last digit of a few pixels, which may differ from machine to machine.

    No legend lies over what its axis shows.
    """
    hidden, savefig = [], Figure.savefig

    def look(drawn, *arguments, **options) -> None:
        savefig(drawn, *arguments, **options)
        hidden.extend(hidden_by_legends(drawn))  # afterwards, since it lays the figure out once more

    monkeypatch.setattr(Figure, "savefig", look)
    pictures = list(DOCS.glob("*/*.png"))
    shutil.copytree(DOCS, tmp_path, ignore=shutil.ignore_patterns("*.png"), dirs_exist_ok=True)
    for path in pictures:
        (tmp_path / path.relative_to(DOCS)).write_bytes(b"")
    monkeypatch.setattr(redraw, "DOCS", tmp_path)
    redraw.draw_figures(Results(load(), register(), {}))
    assert not hidden
    said = capsys.readouterr().out.splitlines()
    stay = {line.partition(" stays as it is: ")[0] for line in said}
    assert len(stay) == len(said)
    for path in pictures:
        again, item = tmp_path / path.relative_to(DOCS), f"{path.parent.name}/{path.name}"
        assert (item in stay) == (not again.stat().st_size), item
        if again.stat().st_size:
            picture = imread(path)
            assert np.abs(imread(again) - picture).max() < 0.1, item
            assert picture.shape[1] <= 2 * 830, f"{item}: too wide for a page to show it legibly"
    assert (tmp_path / "compressed_pate" / "fig1.png").stat().st_size


def test_a_figure_whose_numbers_lack_a_column_stays_as_it_is(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "compressed_pate"
    folder.mkdir()
    (folder / "fig1.png").write_bytes(b"as it was")
    table = read_table(DOCS / "compressed_pate" / "fig1.csv")
    table.drop(columns="optimal_mse").to_csv(folder / "fig1.csv", index=False)
    monkeypatch.setattr(redraw, "DOCS", tmp_path)
    redraw.draw_figures(Results(load(), register(), {}))
    assert (folder / "fig1.png").read_bytes() == b"as it was"
    said = capsys.readouterr().out
    assert said == "compressed_pate/fig1.png stays as it is: there is no 'optimal_mse' in fig1.csv\n"
