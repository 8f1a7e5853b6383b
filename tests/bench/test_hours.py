"""Hours of rules, and the committed page."""

import json
import re

import pandas as pd
import pytest

from bench import hours
from bench.baseline import KEPT
from bench.core import TABLE as CORE
from bench.hours import HOURS, PAGE, folders, measured, page, shown
from bench.smoke import TABLE as SMOKE
from lib.plan.results import PAPERS

COLUMNS = ["preset", "folder", "rule", "how", "jobs", "hours"]


@pytest.fixture
def finished(tmp_path):
    """A run of real with two jobs, of which one was over before Snakemake saw it."""
    for number, line in enumerate(("3600\t1:00:00\t700\t1800", "0.4\t0:00:00\t-\tNA")):
        path = tmp_path / "real" / "benchmarks" / "train_mac" / f"{number}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"s\th:m:s\tmax_rss\tcpu_time\n{line}\n")
    return tmp_path / "real"


def test_a_finished_run_replaces_estimates_and_earlier_measurements_of_its_rules(finished):
    before = pd.DataFrame(
        [
            ("real", "dp_mac", "train_mac", "estimated", 9, 9.0),
            ("real", "dp_mac", "train_mac", "measured", 1, 1.0),
            ("real", "dp_mac", "train_sgd", "estimated", 4, 4.0),
            ("paper", "dp_mac", "train_mac", "estimated", 5, 5.0),
            ("paper", "dp_mac", "no_rule_any_more", "estimated", 5, 5.0),
        ],
        columns=COLUMNS,
    )
    assert measured(before, finished).to_records(index=False).tolist() == [
        ("paper", "dp_mac", "train_mac", "estimated", 5, 5.0),
        ("real", "dp_mac", "train_sgd", "estimated", 4, 4.0),
        ("real", "dp_mac", "train_mac", "measured", 2, 0.5),
    ]


def test_the_table_and_the_page_are_written_together(finished, tmp_path, monkeypatch):
    table, text = tmp_path / "hours.csv", tmp_path / "cost.md"
    table.write_bytes(HOURS.read_bytes())
    monkeypatch.setattr(hours, "HOURS", table)
    monkeypatch.setattr(hours, "PAGE", text)
    hours.main([])
    assert text.read_bytes() == PAGE.read_bytes() and table.read_bytes() == HOURS.read_bytes()
    hours.main([str(finished)])
    rows = pd.read_csv(table)
    found = rows[(rows["preset"] == "real") & (rows["rule"] == "train_mac")]
    assert found[COLUMNS[3:]].to_records(index=False).tolist() == [("measured", 2, 0.5)]
    assert text.read_bytes() != PAGE.read_bytes()


def test_hours_have_no_power_of_ten():
    assert [shown(number, 2) for number in (66895.0, 4.36, 0.0012, 0.0)] == ["67,000", "4.4", "0.001", "0"]


def test_the_committed_page_is_made_of_the_committed_tables():
    ratios = json.loads(KEPT.read_text("utf-8"))
    assert PAGE.read_text("utf-8") == page(pd.read_csv(HOURS), pd.read_csv(SMOKE), pd.read_csv(CORE), ratios)


def test_every_row_is_of_a_rule_in_its_folder():
    rows = pd.read_csv(HOURS)
    assert list(rows.columns) == COLUMNS
    assert rows["folder"].tolist() == rows["rule"].map(folders()).tolist()


def test_the_appendix_has_a_command_hours_and_a_result_for_each_paper():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| [^|]+ \| `REAL (\w+)` \| ([\d.]+ (?:measured|estimated)[^|]*) \| [^|]+ \|$", text, re.MULTILINE
    )
    assert {name for name, _ in rows} == {*(f"{paper}_claims" for paper in PAPERS), "leaderboard", "audit"}
    assert {name for name, _ in rows} <= set(folders())
