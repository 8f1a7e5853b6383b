"""What is committed below docs/reproduction is what the ledger makes of the tables beside it."""

from functools import cache
from itertools import combinations
from math import floor, sqrt
from pathlib import Path

import pandas as pd
import pytest

from lib.plan.config import LEDGER
from lib.reporting import markdown
from lib.reporting.claims.cells import read_table
from lib.reporting.claims.controls import shipped_controls
from lib.reporting.claims.ledger import judge_all
from lib.reporting.claims.loading import load_claims
from lib.reporting.verdicts import counted, matrix, table_of_counts
from pate_accountant.gaussian import sigma_analytic
from tests.offenders import each

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "reproduction"
CONTROLS = shipped_controls()
CLAIMS = load_claims(*LEDGER)
TABLES = {(path.parent.name, path.stem): read_table(path) for path in DOCS.glob("*/*.csv")}
FILES = [DOCS / "claims.csv", DOCS / "checks.csv"]
COMMITTED = pd.concat(read_table(path, dtype=str).fillna("") for path in FILES).set_index("id")


@cache
def judged() -> pd.DataFrame:
    """What the ledger makes of the committed tables, by claim."""
    return judge_all(CLAIMS, TABLES, CONTROLS).set_index("id")


@each([c for c in CLAIMS if not c["same_as"]], lambda claim: claim["id"])
def test_a_committed_verdict_is_what_its_tables_say(claim):
    """And of nothing else: a claim whose table is not committed is not judged."""
    columns = ["judgement", "grade", "verdict", "measured", "spread", "seeds", "data", "paper_value", "note"]
    pd.testing.assert_series_equal(COMMITTED.loc[claim["id"], columns], judged().loc[claim["id"], columns])


def test_every_claim_is_committed_once():
    assert sorted(COMMITTED.index) == sorted(claim["id"] for claim in CLAIMS)


@pytest.mark.parametrize("dataset", ["MNIST", "SVHN", "Adult", "Glyph"])
def test_students_may_be_off_by_half_of_the_smallest_difference_that_the_paper_shows(dataset):
    of_students = [c for c in CLAIMS if "half of the smallest difference" in c["note"] and c["dataset"] == dataset]
    shown = [float(claim["value"]) for claim in of_students if claim["where"].startswith("Table 1")]
    smallest = min(abs(one - other) for one, other in combinations(shown, 2))
    assert {float(claim["tolerance"]) for claim in of_students} == {round(smallest / 2, 6)}


def test_lnmax_on_the_authors_1000_rows_costs_what_the_paper_prints():
    table = TABLES["scalable_pate", "table1"]
    (row,) = table.query("run == 'mnist_lnmax_1000' and aggregator == 'lnmax_8_moments'").to_dict("records")
    assert (row["epsilon"], judged().loc["scalable_pate.v06", "judgement"]) == (8.02966, "holds")
    claim = next(claim for claim in CLAIMS if claim["id"] == "scalable_pate.v06")
    assert not claim["latitude"] and (row["student_accuracy_seeds"], row["student_accuracy_protocol"]) == (2, "paper")


def test_the_rule_for_components_is_judged_at_noise_that_a_budget_takes():
    of_rule = ["compressed_pate.o01a", "compressed_pate.o01b"]
    assert set(judged().loc[of_rule, "judgement"]) == {"not judged"}
    ((_, control),) = [item for item in CONTROLS.items() if item[0][1:] == ("noise_of_a_budget", "BraTS 2019")]
    needed = sigma_analytic(2 * 294 * sqrt(10) / 100, 8.0, 1e-5)  # masks of 86,000 voxels
    assert float(control["chance"]) == floor(needed)
    assert len(counted(COMMITTED.loc[of_rule].reset_index())) == 1


def test_no_verdict_rests_on_a_control_that_failed():
    table = judged()
    silent = table[table["verdict"] == "not judged: sanity check failed"].index
    assert len(silent) and set(COMMITTED.loc[silent, "judgement"]) == {"not judged"}


def test_the_index_has_the_counts_of_the_committed_claims():
    assert markdown.table(*table_of_counts(COMMITTED.reset_index())) in (DOCS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("paper", sorted(set(COMMITTED["paper"])))
def test_a_page_has_the_counts_of_its_claims(paper):
    rows = COMMITTED[COMMITTED["paper"] == paper].reset_index()
    assert markdown.table(*matrix(rows)) in (DOCS / f"{paper}_details.md").read_text(encoding="utf-8")
