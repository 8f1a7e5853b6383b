"""The ledger is calibrated on the papers: what they print passes, but for what contradicts itself."""

import csv
import math
from pathlib import Path

import pytest

from lib.reporting.claims.controls import shipped_controls
from lib.reporting.claims.loading import load_claims
from lib.reporting.claims.rule import judge
from tests.offenders import each
from tests.reporting.made_tables import PUBLISHED, published_tables

ROOT = Path(__file__).parents[2]
CONTROLS = shipped_controls()
CLAIMS = [c for c in load_claims(ROOT / "claims.csv") if not c["same_as"]]
with open(PUBLISHED / "contradictions.csv", newline="", encoding="utf-8") as stream:
    CONTRADICTIONS = {row["id"]: row for row in csv.DictReader(stream)}
# values that no table has, and orders of which the papers print no numbers: figures, and words
NOT_PRINTED = {
    "scalable_pate": "v44 v49 o01 o02 o06 o08a o08b o10 o11 o12 o15a o15b o16",
    "autoencoded_pate": "v04",
    "compressed_pate": "o01a o01b o03a o03b o05a o05b o05d o06a o06b",
    "residual_perturbation": "o01a o01b o02c o03b o07 o12b o14b o14c",
    "dp_mac": "o06 o06b o08 o10a o10b o12",
}
UNPRINTED = {f"{paper}.{name}" for paper, names in NOT_PRINTED.items() for name in names.split()}


@pytest.mark.slow
@each(CLAIMS, lambda claim: claim["id"])
def test_what_a_paper_prints_passes(claim):
    found = judge(claim, published_tables(claim, CONTROLS), CONTROLS)
    if claim["id"] in UNPRINTED:
        assert found.verdict == "not judged: not run", found
    elif claim["id"] in CONTRADICTIONS:
        assert (found.judgement, found.grade) == ("fails", "paper"), found
    else:
        assert (found.judgement, found.grade) == ("holds", "paper"), found


def test_the_lists_name_claims_that_are_judged():
    known = {claim["id"] for claim in CLAIMS}
    assert UNPRINTED <= known and set(CONTRADICTIONS) <= known and not UNPRINTED & set(CONTRADICTIONS)


@each(CONTRADICTIONS.values(), lambda row: row["id"])
def test_a_contradiction_names_two_places_that_differ(row):
    assert row["first"] and row["second"] and row["first"] != row["second"] and row["what"]
    claim = next(claim for claim in CLAIMS if claim["id"] == row["id"])
    assert claim["value"] in row["first"] and claim["value"] not in row["second"]


def test_a_mistyped_number_is_found():
    """A number stands twice, in the claim and in the published table; only what is printed twice differs."""
    printed_twice = {"scalable_pate.v38": 2.0, "dp_mac.v22": 1.2, "dp_mac.v48": 1.2}
    for claim in CLAIMS:
        if claim["kind"] == "value" and claim["id"] not in UNPRINTED and claim["relation"] == "=":
            measured = judge(claim, published_tables(claim, CONTROLS), CONTROLS).measured.split("; ")
            apart = max(abs(float(text.split(" (")[0]) - float(claim["value"])) for text in measured)
            assert math.isclose(apart, printed_twice.get(claim["id"], 0), abs_tol=5e-4 * float(claim["value"])), claim


def test_what_is_read_off_a_figure_is_marked():
    for path in PUBLISHED.glob("*_*.csv"):
        with open(path, newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        assert all(row["source"] and row["read_off"] in ("yes", "no") for row in rows), path.name
        assert all(row["read_off"] == "yes" for row in rows if "plotting script" in row["source"]), path.name
