"""The first page says what the committed results say, and its commands exist."""

import re
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
AGGREGATORS = {"LNMax, 8 moments": "lnmax_8_moments", "Confident-GNMax": "confident_gnmax"}
ROWS = [
    [cell.strip().strip("*") for cell in line.strip("|").split("|")]
    for line in README.splitlines()
    if re.match(r"\| (MNIST|SVHN|Adult) \|", line)
]


def number(text: str) -> float:
    return float(text.replace(",", ""))


def test_the_table_has_its_rows():
    assert len(ROWS) == 4


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(row[:2]))
def test_the_table_says_what_was_measured(row):
    table = pd.read_csv(ROOT / "docs" / "reproduction" / "scalable_pate" / "table1.csv")
    dataset, aggregator, paper_answered, answered, paper_epsilon, epsilon, holds = row
    made = table[(table["dataset"] == dataset) & (table["aggregator"] == AGGREGATORS[aggregator])].iloc[0]
    guarantee = made["epsilon_data_independent" if aggregator.startswith("LNMax") else "epsilon_caps"]
    for text, value in (
        (answered, made["queries_answered"]),
        (epsilon, made["epsilon"]),
        (holds, guarantee),
        (paper_answered, made["paper_queries_answered"]),
        (paper_epsilon, made["paper_epsilon"]),
    ):
        decimals = len(text.partition(".")[2])
        assert number(text) == pytest.approx(value, abs=0.5001 * 10**-decimals)


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_presets_in_commands_exist():
    for preset in set(re.findall(r"presets/\w+\.yaml", README)):
        assert (ROOT / preset).is_file()
