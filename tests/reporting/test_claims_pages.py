"""Pages, and the scripts that write them."""

import base64
import dataclasses
import json
import re
import shlex

import pandas as pd
import pytest
from PIL import Image

from lib.core.errors import InputError
from lib.plan.command_line import command_line
from lib.plan.config import LEDGER as LEDGERS
from lib.reporting import markdown, site
from lib.reporting.claims.ledger import COLUMNS, judge_all
from lib.reporting.claims.rows import GRADES
from lib.reporting.claims.rule import BY_CONSTRUCTION, DEPENDS, JUDGEMENTS, MORE, NEVER
from lib.reporting.headlines import answer_of
from lib.reporting.headlines import headlines as headlines_of
from lib.reporting.outline import load_outline
from lib.reporting.pages import Material, all_claims, cell_of, controls_table, index, page, result_table
from lib.reporting.verdicts import (
    GRADE_MEANINGS,
    MARKS,
    MEANINGS,
    PLURALS,
    SIGNS,
    answer,
    headline,
    interpretations,
    left_out,
    matrix,
)
from scripts import claims as claims_script
from scripts import site as site_script
from scripts import site_page
from tests.reporting.claims_builders import order_claim, row, tables, value_claim

LEDGER = [
    value_claim(),
    value_claim(id="scalable_pate.v02", value="9", note="a | b"),
    value_claim(id="scalable_pate.v03", same_as="scalable_pate.v01"),
    order_claim(),
    order_claim(id="dp_mac.o01", paper="dp_mac"),
    order_claim(id="dp_mac.o02", paper="dp_mac", by_construction="an identity"),
]
OUTLINE = {"answer": {}, "cites": "", "promise": ""} | {
    key: [] for key in ("headlines", "overview", "tables", "figures", "reasons")
}


@pytest.fixture
def verdicts():
    return judge_all(LEDGER, tables(row(), row(aggregator="lnmax", epsilon=3.0)))


@pytest.fixture
def own(verdicts):
    return verdicts[verdicts["paper"] == "scalable_pate"]


def material(verdicts=None, frames=None, pictures=None, readings="Our reading.", columns=None, **outline) -> Material:
    """What a page of made-up results is made of; claims are about `table1`."""
    frames = {"table1": pd.DataFrame([row()])} if frames is None else frames
    results = [
        {"item": "table1", "title": "Table 1", "caption": "What ``epsilon`` is.\n\nMore.", "tables": ["table1"]},
        {"item": "fig1", "title": "Figure 1", "caption": "Curves.\n\nAnd their\nends.", "tables": ["fig1_comparison"]},
    ]
    return Material(
        outline=OUTLINE | outline,
        readings=readings,
        results=results,
        tables=frames,
        columns=columns or {},
        files={name: f"p/{name}.csv" for name in frames},
        figures=pictures or {},
        ledger=[] if verdicts is None else [claim for claim in LEDGER if claim["paper"] == "scalable_pate"],
        verdicts=verdicts,
    )


def test_a_control_names_the_data_that_ran():
    control = {"of": "experiment", "what": "Dice", "table": "table1", "row": "seeds=0", "column": "epsilon"}
    control |= {"name": "learns", "paper": "scalable_pate", "relation": ">=", "threshold": "2.0"}
    control |= {"chance": "", "share": "", "guards": "all", "set": "before the run"}
    own = {name: control | {"dataset": name} for name in ("SVHN", "MNIST", "phantom")}
    controls = {("scalable_pate", "learns", name): row for name, row in own.items()}
    frame = pd.DataFrame([row(dataset="phantom", stands_for="SVHN", epsilon=3.0), row()])
    measured = {cells[1]: cells[4] for cells in controls_table(controls, {"table1": frame}).rows}
    assert measured == {"SVHN": "not run", "MNIST": "2, passed", "phantom": "3, passed"}
    del controls["scalable_pate", "learns", "phantom"]
    measured = {cells[1]: cells[4] for cells in controls_table(controls, {"table1": frame}).rows}
    assert measured == {"SVHN": "3, passed (phantom)", "MNIST": "2, passed"}


def test_every_judgement_and_grade_has_a_meaning_and_a_mark():
    assert set(MEANINGS) == set(JUDGEMENTS) == set(MARKS) == {*PLURALS, "not judged"}
    assert len(set(MARKS.values())) == len(MARKS)
    assert set(GRADE_MEANINGS) == {*GRADES, BY_CONSTRUCTION}
    assert set(SIGNS) == {*GRADES, ""}


def test_counts_are_by_judgement_and_grade_and_leave_repeats_out(verdicts):
    header, rows = matrix(verdicts)
    assert header[1:] == [f"{judgement} {MARKS[judgement]}" for judgement in JUDGEMENTS]
    assert [(row[0].partition(":")[0], *row[1:]) for row in rows] == [
        ("paper", "2", "1", "0", "0", "0", "0"),
        ("none", "0", "0", "0", "0", "0", "1"),
    ]
    assert left_out(verdicts) == "Not counted: 1 duplicate, and 1 check (in a table of their own)."
    twice = pd.concat([verdicts, verdicts])
    assert left_out(twice) == "Not counted: 2 duplicates, and 2 checks (in a table of their own)."


@pytest.mark.parametrize(
    ("readings", "counts"),  # of a number that the paper's settings do not give: judgement and grade of other readings
    [
        ([("fails", "paper")], "0 hold, 1 fail"),
        ([("holds", "paper")], "0 hold, 0 fail, 1 depend on how the paper is read"),
        ([(MORE, "paper"), ("fails", "paper")], "0 hold, 0 fail, 1 need more repetitions"),
        ([(NEVER, "paper"), ("fails", "paper")], "0 hold, 0 fail, 1 not decidable at their tolerance"),
        ([(NEVER, "paper"), (MORE, "paper")], "0 hold, 0 fail, 1 need more repetitions"),
        ([("holds", "paper"), (MORE, "paper")], "0 hold, 0 fail, 1 depend on how the paper is read"),
        ([("not judged", ""), ("holds", "substitute data")], "0 hold, 1 fail"),
    ],
)
def test_a_number_counts_once_whatever_its_readings(verdicts, readings, counts):
    first = verdicts.iloc[0].to_dict() | {"judgement": "fails"}
    others = [
        first | {"id": f"scalable_pate.v1{place}", "judgement": judgement, "grade": grade}
        for place, (judgement, grade) in enumerate(readings)
    ]
    for other in others:
        other["note"] = f"another reading of {first['id']}; of ours"
    found = pd.DataFrame([first, *others])
    assert headline(found) == f"on the paper's data and protocol: {counts}; not judged: 0."
    said = "1 interprets " if len(others) == 1 else f"{len(others)} interpret "
    assert f" {said}a statement" in left_out(found)


def test_interpretations_stand_side_by_side(verdicts):
    """Once a claim, and only those that come out differently."""
    first = verdicts.iloc[0].to_dict() | {"quantity": "with noise", "measured": "2"}
    other = first | {"id": "scalable_pate.v11", "judgement": "fails", "verdict": "fails", "quantity": "without noise"}
    other |= {"note": f"another reading of {first['id']}", "measured": "3"}
    header, rows = interpretations(pd.DataFrame([first, other]), {})
    assert header == ["claim", "the paper", "interpretation 1", "interpretation 2"]
    assert rows == [["v01, Table 1", "2.00", "with noise: 2; holds", "without noise: 3; fails"]]
    assert interpretations(pd.DataFrame([first, other | {"judgement": "holds"}]), {})[1] == []
    alike = pd.DataFrame([first, other | {"quantity": "with noise"}])
    notes = {first["id"]: "printed", "scalable_pate.v11": "exact"}
    assert interpretations(alike, notes)[1] == [["v01, Table 1", "2.00", "printed: 2; holds", "exact: 3; fails"]]
    alone = first | {"judgement": DEPENDS, "note": "outside the tolerance by less than 0.9"}
    assert interpretations(pd.DataFrame([alone]), {})[1] == [
        ["v01, Table 1", "2.00", "outside the tolerance by less than 0.9: 2; holds"]
    ]
    alone["note"] += "; not compared: no number for a; no number for b; does not count beside these: 3; which rows"
    assert interpretations(pd.DataFrame([alone]), {first["id"]: "which rows"})[1] == [
        ["v01, Table 1", "2.00", "outside the tolerance by less than 0.9; which rows: 2; holds"]
    ]


def test_readings_on_the_papers_data_decide_for_one_that_was_not_judged(verdicts):
    first = verdicts.iloc[0].to_dict()
    note = {"id": "scalable_pate.v10", "note": f"another reading of {first['id']}"}
    found = pd.DataFrame([first | {"judgement": "not judged", "grade": "reduced"}, first | note])
    assert headline(found) == "on the paper's data and protocol: 1 hold, 0 fail; not judged: 0."


def test_the_headline_counts_the_papers_data_first_and_no_checks(verdicts):
    said = "on the paper's data and protocol: 2 hold, 1 fail; not judged: 1."
    assert headline(verdicts) == said and answer(verdicts, "its") == f"Of its 4 claims, {said}"
    below = verdicts.assign(grade=["substitute data", "reduced", "substitute data", "reduced", "", "not testable"])
    said = "on less of its data: 1 hold, 1 fail; on substitute data: 1 hold, 0 fail; "
    said += "not judged: 1."
    assert headline(below) == said
    assert answer(below, "its") == f"None of its claims could be judged on its own data and protocol; {said}"


@pytest.mark.parametrize(
    ("changes", "cell"),
    [
        ({}, "2.00 → 2.05 ± 0.01 ✓"),
        ({"judgement": "fails", "measured": "2969", "spread": "0", "paper_value": "3098"}, "3,100 → 2,970 ✗"),
        ({"measured": "1.999", "spread": "0"}, "2.00 → 2.00 ✓"),
        ({"measured": "0.5", "spread": "0", "paper_value": "0.563"}, "0.563 → 0.500 ✓"),
        ({"judgement": "not judged", "grade": "reduced"}, "2.00 → 2.05 ± 0.01 –ʳ"),
        ({"judgement": DEPENDS, "grade": "substitute data", "spread": ""}, "2.00 → 2.05 ?ˢ"),
        (
            {"judgement": "not judged", "verdict": "not judged: not run", "grade": "", "measured": "", "spread": ""},
            "2.00 → not run –",
        ),
        (
            {
                "judgement": "not judged",
                "verdict": "not judged: sanity check failed",
                "grade": "",
                "measured": "",
                "spread": "",
            },
            "2.00 → a sanity check failed –",
        ),
        ({"grade": BY_CONSTRUCTION, "measured": "100", "spread": "0", "paper_value": "100"}, "100 → 100"),
        ({"measured": "9 (a, b 0.2); 1234 (c)", "spread": "1; 2"}, "2.00 → 9.00 to 1,230 ✓"),
        ({"measured": "2.041", "spread": "0", "quantity": "privacy bound eps (MNIST)"}, "2.00 → 2.05 ✓"),
        ({"measured": "2.049", "spread": "0", "quantity": "lower bound of eps (MNIST)"}, "2.00 → 2.04 ✓"),
        (
            {"measured": "2.041", "spread": "0", "quantity": "error (MNIST; half of what the epsilon takes)"},
            "2.00 → 2.04 ✓",
        ),
    ],
)
def test_a_cell_has_the_papers_number_ours_and_a_mark(changes, cell):
    verdict = {"judgement": "holds", "grade": "paper", "measured": "2.049", "spread": "0.01", "paper_value": "2.00"}
    verdict |= {"verdict": "holds", "quantity": "a number (MNIST, eps=2)"}
    assert cell_of(verdict | changes).replace("\u00a0", " ") == cell


def test_the_page_of_all_claims(verdicts):
    text = site.page(all_claims(verdicts, "real"), {})
    one = all_claims(verdicts[verdicts["paper"] == verdicts["paper"].iloc[0]], "real")
    assert "1 papers" not in one.answer and "the paper's 3 claims" in one.answer
    assert "<h1>Claims, preset real</h1>" in text and "dp_mac: 1 claims" in text and "1 checks, not counted" in text
    assert "<td>v01, Table 1: epsilon: 2.00</td><td>2</td><td>MNIST</td><td>holds</td><td></td>" in text
    assert "a | b</td>" in text


HEADLINE = {"key": "price", "says": "Its epsilon is two", "where": "Table 1", "of": ["v01", "v02"], "shows": "v01"}


def test_a_papers_page_answers_first_and_has_its_details_on_another(own):
    content = material(
        own,
        pictures={"fig1": "p/fig1.png"},
        headlines=[HEADLINE | {"why": {"partly confirmed": "It is {v01}, and not {v02.paper}."}}],
        answer={"says": "It half does.", "if": {"price": "partly confirmed"}},
        promise="ε is {table1.epsilon where dataset=MNIST}.",
        tables=[{"title": "Table 1: all", "header": ["", "ε"], "rows": [["MNIST", "v01"]]}],
        figures=["fig1"],
        reasons=[{"title": "The other", "of": ["v02"], "why": "Because."}],
    )
    made = page("p", "Title", "quick", content, "p.csv")
    first, rest = markdown.page(made), markdown.details(made)
    in_order(
        first,
        "# Title\n\n**It half does.**\n\n",
        "| ◐ | Its epsilon is two (Table 1) | partly confirmed | 2.00 → 2.00 | the paper's data and protocol |",
        "**Its epsilon is two: partly confirmed.** It is 2.00, and not 9.",
        "**What ε promises.** ε is 2.",
        "### Table 1: all\n\n|  | ε |\n| --- | --- |\n| MNIST | 2.00 → 2.00\u00a0✓ |",
        "![Figure 1](p/fig1.png)\n\n*Figure 1.* Curves.\n",
        "[Details](p_details.md)",
        "[every claim with its verdict](p.csv)",
    )
    in_order(
        rest,
        "# Title: details\n\n[The answer in short](p.md)",
        "## Claims",
        "## What fails, and why\n\n**The other.** Table 1 (v02): 9 in the paper, 2 here. Because. Evidence: ",
        "* [table1.csv](p/table1.csv): Table 1, 1 rows. What `epsilon` is.",
        "Our reading.\n",
    )


@pytest.mark.parametrize(
    ("sides", "expected"),
    [
        ({}, "here 2\u00a0<\u00a09"),
        ({"sides": ["s", "of it"]}, "here 2 s\u00a0<\u00a09 of it"),
        ({"sides": ["here", "paper"]}, "9 → 2"),
    ],
)
def test_sides_of_an_ordering_have_words_or_are_the_papers(sides, expected):
    row = {"id": "p.o01", "measured": "2 < 9", "judgement": "holds", "grade": "paper", "quantity": "", "verdict": ""}
    entry = HEADLINE | {"of": ["o01"], "shows": "o01"} | sides
    assert headlines_of([entry], pd.DataFrame([row]))["price"].pair == expected


def test_headlines_have_a_column_of_numbers_only_if_one_has_numbers(own):
    bare = {key: value for key, value in HEADLINE.items() if key != "shows"}
    for entries, header in (([HEADLINE, bare | {"key": "x"}], True), ([bare], False)):
        (table,) = page("p", "Title", "quick", material(own, headlines=entries)).headlines
        assert ("Paper → here" in table.header) is header
        assert {len(row) for row in table.rows} == {len(table.header)}


def in_order(text, *parts):
    assert not [part for part in parts if part not in text], text
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_other_answers_are_not_told_in_words_for_one(own):
    words = {"says": "It does.", "if": {"price": "confirmed"}}
    made = page("p", "Title", "quick", material(own, headlines=[HEADLINE], answer=words))
    assert made.answer == "Of 1 headline claims: 1 partly confirmed."
    assert not made.whys
    words["or"] = [
        {"says": f"It is {answer}.", "if": {"price": answer}} for answer in ("contradicted", "partly confirmed")
    ]
    made = page("p", "Title", "quick", material(own, headlines=[HEADLINE], answer=words))
    assert made.answer == "It is partly confirmed."


def test_a_sentence_without_its_number_is_not_said(own):
    for lacking in ("{table9.epsilon}", "{table1.loss}", "{table1.epsilon where dataset=SVHN}", "{v77}"):
        assert not page("p", "Title", "quick", material(own, promise=f"ε is {lacking}.")).whys


@pytest.mark.parametrize(
    ("judgements", "needed", "answer"),
    [
        (["holds", "holds"], [], "confirmed"),
        (["holds", "holds"], ["holds"], "confirmed"),
        (["holds", "holds"], ["not judged"], "partly confirmed"),
        (["holds", "holds"], ["holds", "fails"], "partly confirmed"),
        (["holds", MORE], [], "partly confirmed"),
        (["holds", "fails"], [], "partly confirmed"),
        (["fails", NEVER], ["holds"], "contradicted"),
        (["not judged", DEPENDS], ["holds"], "cannot be judged here"),
    ],
)
def test_the_rule_of_headlines(judgements, needed, answer):
    assert answer_of(judgements, needed) == answer


def test_a_reason_is_told_of_what_fails_alone(own):
    reasons = [
        {"title": "Both", "of": ["v01", "v02"], "why": "Why."},
        {"title": "None", "of": ["o01"], "why": "Never."},
    ]
    (failure,) = page("p", "Title", "quick", material(own, reasons=reasons)).failures
    assert failure.title == "Both" and "(v02)" in failure.text and "(v01)" not in failure.text
    (failure,) = page("p", "Title", "quick", material(own.assign(grade="substitute data"), reasons=reasons)).failures
    assert failure.title == "Both (on substitute data)"
    (failure,) = page("p", "Title", "quick", material(own)).failures
    assert "(v02)" in failure.text


@pytest.mark.parametrize(
    ("quantity", "measured", "here"),
    [
        ("lower bound of epsilon", 2.98519, 2.98),
        ("epsilon", 2.98119, 2.99),
        ("error at the same epsilon", 2.98119, 2.98),
        ("error grows with epsilon", 2.98119, 2.98),
        ("worse at every epsilon", 2.98119, 2.98),
    ],
)
def test_a_failing_epsilon_is_rounded_up_and_a_lower_bound_on_one_down(own, quantity, measured, here):
    own.loc[own["id"].str.endswith(".v02"), ["quantity", "measured"]] = quantity, f"{measured} (CIFAR10)"
    (failure,) = page("p", "Title", "quick", material(own)).failures
    assert f"{here} (CIFAR10) here" in failure.text


def test_a_figure_before_the_fold_has_the_first_of_its_caption_and_its_verdicts(own):
    frames = {"fig1_comparison": pd.DataFrame([row()])}
    content = material(own, frames, {"fig1": "p/fig1.png"}, figures=["fig1", "absent"])
    (figure,) = page("p", "Title", "quick", content).figures
    assert (figure.caption, figure.numbers) == ("Curves.", {"fig1_comparison": "p/fig1_comparison.csv"})
    assert figure.verdicts == []  # claims are about table1


@pytest.mark.parametrize(("dataset", "line"), [("MNIST", "✓ {}"), ("SVHN", "– {}: not judged here")])
def test_below_a_figure_a_claim_has_a_mark_where_the_figures_data_decided_it(dataset, line):
    claim = order_claim()
    found = judge_all([claim], tables(row(data="votes (1)"), row(data="votes (1)", aggregator="lnmax", epsilon=3.0)))
    frames = {"fig1_comparison": pd.DataFrame([row(dataset=dataset)])}
    content = material(found, frames, {"fig1": "p/fig1.png"}, figures=["fig1"])
    content = dataclasses.replace(content, ledger=[claim | {"table": "table1;fig1_comparison"}])
    (figure,) = page("p", "Title", "quick", content).figures
    assert figure.verdicts == [line.format(claim["quantity"])]


def test_a_claim_stands_below_the_first_of_its_figures_alone(own):
    results = [
        {"item": item, "title": item, "caption": "Curves.", "tables": ["fig1_comparison"]} for item in ("fig1", "fig2")
    ]
    frames, pictures = {"fig1_comparison": pd.DataFrame([row()])}, {"fig1": "p/fig1.png", "fig2": "p/fig2.png"}
    content = material(own, frames, pictures)
    about = [claim | {"table": "fig1_comparison"} for claim in content.ledger]
    made = page("p", "Title", "quick", dataclasses.replace(content, results=results, ledger=about))
    first, second = made.folded[0].parts
    assert first.verdicts and not second.verdicts


def test_what_stands_before_three_dashes_opens_what_is_told_of_failures(own):
    text = markdown.details(page("p", "Title", "quick", material(own, readings="In short.\n\n---\n\nAt length.")))
    in_order(text, "## What fails, and why\n\nIn short.", "\nAt length.\n")


def test_an_outline_that_names_an_unknown_claim_is_refused(own):
    with pytest.raises(InputError, match=r"report/p.yaml: p has no claims \['v77'\]"):
        page("p", "Title", "quick", material(own, headlines=[HEADLINE | {"of": ["v77"]}]))


def test_a_table_of_results_has_names_with_units_and_the_rows_that_are_asked():
    frame = pd.DataFrame({"a": ["x", "y"], "b": [1234.5, 2.0], "b_spread": [12.3, None], "c": [None, None]})
    entry = {"title": "T", "from": "t", "columns": {"a": "A", "b": "B, %", "c": "C", "d": "D"}, "names": {"x": "ex"}}
    board = pd.DataFrame({"guarantee": ["yes"], "budget": ["1"], "accuracy": [9.0], "method": ["m"], "auc": [0.5]})
    content = material(frames={"t": frame, "leaderboard": board}, tables=[entry, entry | {"where": {"a": "y"}}])
    whole, part = page("p", "Title", "quick", content).tables
    assert (whole.header, whole.rows) == (["A", "B, %"], [["ex", "1,230 ± 10"], ["y", "2"]])
    assert part.rows == [["y", "2"]]
    none = material(frames={"t": frame, "leaderboard": board}, tables=[entry | {"where": {"a": "z"}}])
    assert page("p", "Title", "quick", none).tables == []


def test_a_result_table_folds_spreads_and_drops_empty_columns():
    frame = pd.DataFrame(
        {"x": [1.23456789, None], "x_spread": [0.1, None], "y": [3.0, 4.0], "y_spread": [0.0, None], "z": [None, None]}
    )
    table = result_table(frame, "t", "T", material(frames={"t": frame}, columns={"t": ["y"]}))
    assert table.every == (["x", "y"], [["1.23457 ± 0.1", "3"], ["", "4"]])
    assert (table.header, table.rows, table.file) == (["y"], [["3"], ["4"]], "p/t.csv")


def test_bounds_in_a_table_are_on_their_safe_side_and_zero_has_no_sign():
    row = {"epsilon": 1.23412345, "lower_bound": 0.12349999, "lower_bound_mean": 0.0, "lower_bound_highest": -0.0}
    frame = pd.DataFrame([row | {"guarantee": "yes", "budget": "1", "accuracy": 9.0, "method": "m", "auc": 0.5}])
    entry = {"title": "T", "from": "leaderboard", "columns": {name: name for name in row}}
    content = material(frames={"leaderboard": frame}, tables=[entry])
    (short,) = page("p", "Title", "quick", content).tables
    assert short.rows == [["1.24", "0.123", "0", "0"]]
    every = result_table(frame[list(row)], "leaderboard", "T", content)
    assert every.rows == [["1.23413", "0.123499", "0", "0"]]


def test_cells_cannot_break_a_table():
    assert markdown.table(["a"], [["1 | 2\n*3* <b>"]]).splitlines()[-1] == "| 1 \\| 2 \\*3\\* \\<b> |"


@pytest.fixture
def results(tmp_path):
    """A run of scripts/claims.py on one table: its folder."""
    table = tmp_path / "table1.csv"
    table.write_text(
        "dataset,aggregator,queries_made,epsilon,protocol,seeds\nMNIST,confident_gnmax,640,1.999,paper,0\n"
    )
    results = json.dumps({"scalable_pate": {"table1": str(table)}})
    judge_shipped(tmp_path, "--results", results)
    return tmp_path


def judge_shipped(folder, *arguments):
    """Run scripts/claims.py on the shipped ledger."""
    given = {"claims": LEDGERS, "verdicts": folder / "claims.csv", "checks": folder / "checks.csv"}
    given["shown"] = folder / "claims.html"
    claims_script.main([*shlex.split(command_line(given.items(), {"preset": "real"})), *arguments])


def test_the_claims_script(results):
    found = pd.read_csv(results / "claims.csv", dtype=str, keep_default_na=False).set_index("id", drop=False)
    assert list(found.columns) == COLUMNS
    assert tuple(found.loc["scalable_pate.v09", ["measured", "seeds", "data", "verdict"]]) == (
        "1.999",
        "0",
        "MNIST",
        "holds",
    )
    assert tuple(found.loc["scalable_pate.v09", ["judgement", "grade"]]) == ("holds", "paper")
    assert found.loc["scalable_pate.v10", "note"].startswith("table1 has no column student_accuracy")
    assert "scalable_pate.v09" not in (results / "claims.html").read_text()  # ids are short below the paper's heading
    assert "v09, Table 1 row 3" in (results / "claims.html").read_text()


@pytest.mark.slow
def test_the_claims_of_some_papers(tmp_path, results):
    some = tmp_path / "some"
    some.mkdir()
    tables = json.dumps({"scalable_pate": {"table1": f"{results}/table1.csv"}})
    judge_shipped(some, "--papers", "scalable_pate", "--results", tables)
    everything = pd.read_csv(results / "claims.csv", dtype=str, keep_default_na=False)
    found = pd.read_csv(some / "claims.csv", dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(found, everything[everything["paper"] == "scalable_pate"].reset_index(drop=True))
    with pytest.raises(InputError, match=r"no claims of \['nobody'\]; allowed: .*dp_mac"):
        judge_shipped(some, "--papers", "dp_mac", "nobody")


def write_site_page(results, page, paper, **more):
    """Run scripts/site_page.py on the verdicts of `results`."""
    files = {"page": page} | sources(results)
    line = command_line(files.items(), settings(paper) | {"links": LINKS} | more)
    site_page.main(shlex.split(line))


LINKS = {"all papers": "index.html", "scalable pate": "scalable_pate.html"}


def sources(results):
    """Files that a page is made of, besides its tables and figures."""
    (results / "readings.md").write_text("Our reading.\n")
    (results / "outline.yaml").write_text("name: A paper\nfigures: [fig1]\n")
    Image.new("1", (1, 1)).save(results / "fig1.png")
    read = {"verdicts": verdict_files(results), "readings": results / "readings.md"}
    return read | {"outline": results / "outline.yaml", "ledger": LEDGERS}


def verdict_files(results):
    return [results / "claims.csv", results / "checks.csv"]


def settings(paper):
    """Settings of a page; two results are known of."""
    found = [
        {"item": item, "title": item.title(), "caption": "What it shows.", "tables": [item]}
        for item in ("table1", "fig1")
    ]
    return {"paper": paper, "title": "Title", "preset": "real", "results": found}


def headlines(claim):
    """Three headlines of an outline that one claim decides."""
    one = f"says: a first claim, where: Table 1, of: [{claim}]"
    return f"headlines: [{', '.join(f'{{key: {key}, {one}}}' for key in ('a', 'b', 'c'))}]\n"


def test_the_page_of_all_papers_links_each_by_its_name(tmp_path, verdicts):
    shown = {}
    for paper, claim in (("dp_mac", "o02"), ("scalable_pate", "v01")):
        (tmp_path / f"{paper}.yaml").write_text(f"name: The paper {paper}\n" + headlines(claim))
        shown[paper] = load_outline(tmp_path / f"{paper}.yaml")
    links = {outline["name"]: f"{paper}.md" for paper, outline in shown.items()}
    text = markdown.index(index(verdicts, shown, "real"), links)
    (line,) = (line for line in text.splitlines() if line.startswith("| [The paper dp_mac](dp_mac.md) |"))
    assert "| Of 3 headline claims: 3 cannot be judged here. |" in line and line.endswith("| 3\u00a0– |")
    assert "## [The paper scalable_pate](scalable_pate.md)" in text


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"figures": {"fig1": "absent.png"}}, "absent.png: cannot be read"),
        ({"tables": {"table1": "absent.csv"}}, "absent.csv: not a readable CSV file"),
    ],
)
def test_a_page_of_what_is_not_there_is_refused(results, tmp_path, more, message):
    with pytest.raises(InputError, match=message):
        write_site_page(results, tmp_path / "page.html", "scalable_pate", **more)


@pytest.mark.slow
def test_a_page_of_unknown_names_is_refused(results, tmp_path):
    with pytest.raises(InputError, match="has no columns"):
        tables = {"table1": str(results / "table1.csv")}
        write_site_page(results, tmp_path / "page.html", "scalable_pate", tables=tables, columns={"table1": ["loss"]})
    with pytest.raises(InputError, match="has no claims of 'pate'"):
        write_site_page(results, tmp_path / "page.html", "pate")
    (results / "checks.csv").write_text("a,b\n1,2\n")
    (results / ".checks.csv.sha256").unlink()
    with pytest.raises(InputError, match="has the columns"):
        write_site_page(results, tmp_path / "page.html", "scalable_pate")


@pytest.mark.slow
def test_the_site_has_the_same_in_files_that_need_nothing_else(results, tmp_path):
    table, figure = str(results / "table1.csv"), str(results / "fig1.png")
    more = {
        "tables": {"table1": table},
        "columns": {"table1": ["dataset"]},
        "figures": {"fig1": figure},
        "links": LINKS,
        "drawn": {"curve": str(results / "curve.csv")},
    }
    (results / "curve.csv").write_text("queries,epsilon\n17,0.25\n")
    files = {"page": tmp_path / "scalable_pate.html"} | sources(results)
    (results / "readings.md").write_text("**Curve.** It begins at {curve.epsilon where queries=17}.\n")
    files["readings"] = results / "readings.md"
    site_page.main(shlex.split(command_line(files.items(), settings("scalable_pate") | more)))
    text = (tmp_path / "scalable_pate.html").read_text()
    assert "<h1>Title</h1>" in text and '<a href="index.html">all papers</a>' in text
    assert f"data:image/png;base64,{base64.b64encode((results / 'fig1.png').read_bytes()).decode()}" in text
    assert "It begins at 0.25." in text  # of a table that a figure alone is drawn from
    assert '<div class="box" id="table1">' in text and '<th scope="col">epsilon</th>' in text  # all columns
    assert not re.findall(r'(?:src|href)="(?!data:|#|index\.html|scalable_pate\.html)[^"]*"', text)
    (results / "scalable_pate.yaml").write_text("name: Scalable\n" + headlines("v09"))
    files = {"verdicts": verdict_files(results), "outlines": [results / "scalable_pate.yaml"]}
    line = command_line((files | {"index": tmp_path / "index.html"}).items(), {"preset": "real", "links": LINKS})
    site_script.main(shlex.split(line))
    text = (tmp_path / "index.html").read_text()
    assert "<td>Scalable</td><td>Of 3 headline claims: 3 confirmed.</td>" in text
