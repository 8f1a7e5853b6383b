"""Pages, and the scripts that write them."""

import json
import shlex

import pandas as pd
import pytest

from lib.core.errors import InputError
from lib.plan.command_line import command_line
from lib.reporting.claims.ledger import COLUMNS, judge_all
from lib.reporting.claims.rows import GRADES
from lib.reporting.claims.rule import BY_CONSTRUCTION, JUDGEMENTS
from lib.reporting.pages import (
    GRADE_MEANINGS,
    MEANINGS,
    claims_page,
    counts,
    headline,
    markdown_table,
    paper_page,
    result_table,
)
from scripts import claims as claims_script
from scripts import reproduction, reproduction_page
from tests.reporting.claims_builders import order_claim, row, tables, value_claim
from tests.reporting.test_claims_ledger import SHIPPED

LEDGER = [
    value_claim(),
    value_claim(id="scalable_pate.v02", value="9", note="a | b"),
    value_claim(id="scalable_pate.v03", same_as="scalable_pate.v01"),
    order_claim(),
    order_claim(id="dp_mac.o01", paper="dp_mac"),
    order_claim(id="dp_mac.o02", paper="dp_mac", by_construction="an identity"),
]


@pytest.fixture
def verdicts():
    return judge_all(LEDGER, tables(row(), row(aggregator="lnmax", epsilon=3.0)))


def test_every_judgement_and_grade_has_a_meaning():
    assert set(MEANINGS) == set(JUDGEMENTS)
    assert set(GRADE_MEANINGS) == {*GRADES, BY_CONSTRUCTION}


def test_counts_are_by_judgement_and_grade_and_leave_repeats_out(verdicts):
    lines = counts(verdicts).splitlines()
    assert lines[2:-2] == [
        "| scalable_pate | paper | 2 | 1 | 0 | 0 |",
        "| dp_mac | none | 0 | 0 | 0 | 1 |",
        "| all | paper | 2 | 1 | 0 | 0 |",
        "| all | none | 0 | 0 | 0 | 1 |",
    ]
    assert lines[-1] == "In no total: 1 rows by construction, and 1 rows that repeat another claim."


def test_the_headline_counts_the_papers_data_first_and_nothing_by_construction(verdicts):
    said = "on the paper's data and protocol: 2 hold, 1 fail, 0 undecided; not judged: 1."
    assert headline(verdicts) == said
    below = verdicts.assign(grade=["stand-in", "reduced", "stand-in", "reduced", "", "by construction"])
    assert headline(below) == (
        "on less of its data: 1 hold, 1 fail, 0 undecided; on stand-ins: 1 hold, 0 fail, 0 undecided; not judged: 1."
    )


def test_the_page_of_all_claims(verdicts):
    page = claims_page(verdicts, "real")
    assert page.startswith("# Claims, preset real\n")
    assert "| v01, Table 1: epsilon: 2.00 | 2 | MNIST | holds |  |" in page
    assert "a \\| b" in page
    assert "## dp_mac" in page and page.endswith("|\n")


def test_a_papers_page(verdicts):
    frame = pd.DataFrame([row()])
    links, figures = {"table1": "p/table1.csv", "fig1": "p/fig1.csv"}, {"fig1": "p/fig1.png"}
    page = paper_page("p", "Title", "quick", verdicts, "\nOur reading.\n", {"table1": frame}, links, figures)
    for part in ("# Title", "### table1", "[table1.csv](p/table1.csv)", "![fig1](p/fig1.png)", "[p.csv](p.csv)"):
        assert part in page
    assert page.endswith("## Readings and caveats\n\nOur reading.\n")
    assert page == paper_page("p", "Title", "quick", verdicts, "Our reading.", {"table1": frame}, links, figures)


def test_numbers_are_named_below_what_they_are_behind(verdicts):
    names = ("fig1", "fig1_comparison", "fig10_comparison")
    links, figures = {name: f"p/{name}.csv" for name in names}, {"fig1": "p/fig1.png", "fig10": "p/fig10.png"}
    page = paper_page("p", "Title", "quick", verdicts, "Our reading.", {}, links, figures)
    first = "Numbers: [fig1.csv](p/fig1.csv), [fig1_comparison.csv](p/fig1_comparison.csv)"
    assert f"![fig1](p/fig1.png)\n\n{first}\n\n### fig10\n" in page
    assert "Numbers: [fig10_comparison.csv](p/fig10_comparison.csv)\n" in page


def test_a_result_table_folds_spreads_and_drops_empty_columns():
    frame = pd.DataFrame(
        {"x": [1.23456789, None], "x_spread": [0.1, None], "y": [3.0, 4.0], "y_spread": [0.0, None], "z": [None, None]}
    )
    assert result_table(frame).splitlines() == ["| x | y |", "| --- | --- |", "| 1.23457 ± 0.1 | 3 |", "|  | 4 |"]


def test_cells_cannot_break_a_table():
    assert markdown_table(["a"], [["1 | 2\n*3* <b>"]]).splitlines()[-1] == "| 1 \\| 2 \\*3\\* \\<b> |"


@pytest.fixture
def results(tmp_path):
    """A run of scripts/claims.py on one table: its folder."""
    table = tmp_path / "table1.csv"
    table.write_text(
        "dataset,aggregator,queries_made,epsilon,protocol,seeds\nMNIST,confident_gnmax,640,1.999,paper,0\n"
    )
    results = json.dumps({"scalable_pate": {"table1": str(table)}})
    arguments = ["--claims", str(SHIPPED), "--results", results, "--preset", "real"]
    claims_script.main([*arguments, "--verdicts", str(tmp_path / "claims.csv"), "--page", str(tmp_path / "claims.md")])
    return tmp_path


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
    assert "scalable_pate.v09" not in (results / "claims.md").read_text()  # ids are short below the paper's heading
    assert "v09, Table 1 row 3" in (results / "claims.md").read_text()


def test_the_claims_of_some_papers(tmp_path, results):
    output = tmp_path / "some.csv"
    arguments = ["--claims", str(SHIPPED), "--preset", "real", "--verdicts", str(output), "--page", str(tmp_path / "p")]
    tables = json.dumps({"scalable_pate": {"table1": f"{results}/table1.csv"}})
    claims_script.main([*arguments, "--papers", "scalable_pate", "--results", tables])
    everything = pd.read_csv(results / "claims.csv", dtype=str, keep_default_na=False)
    found = pd.read_csv(output, dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(found, everything[everything["paper"] == "scalable_pate"].reset_index(drop=True))
    with pytest.raises(InputError, match=r"no claims of \['nobody'\]; allowed: .*dp_mac"):
        claims_script.main([*arguments, "--papers", "dp_mac", "nobody"])


def reproduce(results, folder, paper, **more):
    (results / "readings.md").write_text("Our reading.\n")
    (results / "fig1.png").write_bytes(b"png")
    files = {"page": folder / f"{paper}.md", "claims": folder / f"{paper}.csv", "files": folder / paper}
    files |= {"verdicts": results / "claims.csv", "readings": results / "readings.md"}
    line = command_line(files.items(), {"paper": paper, "title": "Title", "preset": "real"} | more)
    reproduction_page.main(shlex.split(line))


def join(folder, *papers):
    files = {"papers": [folder / f"{paper}.csv" for paper in papers], "claims": folder / "claims.csv"}
    reproduction.main(shlex.split(command_line(files.items(), {})))


def test_a_papers_page_and_its_files(results, tmp_path):
    folder = tmp_path / "docs"
    table, figure = str(results / "table1.csv"), str(results / "fig1.png")
    more = {"tables": {"table1": table}, "columns": {"table1": ["dataset", "epsilon"]}}
    more |= {"figures": {"fig1": figure}, "numbers": {"fig1": table}}
    reproduce(results, folder, "scalable_pate", **more)
    page = (folder / "scalable_pate.md").read_text()
    assert "| MNIST | 1.999 |" in page
    assert "(scalable_pate/fig1.csv)" in page
    assert (folder / "scalable_pate/fig1.png").read_bytes() == b"png"
    assert (folder / "scalable_pate/table1.csv").read_bytes() == (results / "table1.csv").read_bytes()
    found = pd.read_csv(folder / "scalable_pate.csv", dtype=str, keep_default_na=False)
    assert list(found.columns) == [*COLUMNS, "preset"]
    assert set(found["paper"]) == {"scalable_pate"} and set(found["preset"]) == {"real"}
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    reproduce(results, folder, "scalable_pate", **more)
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_joining_leaves_the_papers_alone(results, tmp_path):
    folder = tmp_path / "docs"
    reproduce(results, folder, "scalable_pate")
    first = (folder / "scalable_pate.csv").read_bytes()
    reproduce(results, folder, "dp_mac")
    join(folder, "dp_mac", "scalable_pate")
    joined = (folder / "claims.csv").read_text().splitlines()
    papers = [(folder / f"{paper}.csv").read_text().splitlines() for paper in ("dp_mac", "scalable_pate")]
    assert joined == [papers[0][0], *papers[0][1:], *papers[1][1:]]
    assert (folder / "scalable_pate.csv").read_bytes() == first


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"figures": {"fig9": "absent.png"}}, "absent.png: cannot be read"),
        ({"tables": {"table1": "absent.csv"}}, "absent.csv: not a readable CSV file"),
    ],
)
def test_a_page_of_what_is_not_there_is_refused(results, tmp_path, more, message):
    with pytest.raises(InputError, match=message):
        reproduce(results, tmp_path / "docs", "scalable_pate", **more)


def test_a_page_of_unknown_names_is_refused(results, tmp_path):
    with pytest.raises(InputError, match="has no columns"):
        tables = {"table1": str(results / "table1.csv")}
        reproduce(results, tmp_path / "docs", "scalable_pate", tables=tables, columns={"table1": ["loss"]})
    with pytest.raises(InputError, match="has no claims of 'pate'"):
        reproduce(results, tmp_path / "docs", "pate")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="has the columns"):
        join(tmp_path / "odd", "x")
