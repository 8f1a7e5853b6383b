"""Sanity checks of experiments: each passes by the worst of its rows, and says which number that was."""

import pandas as pd
import pytest

from lib.reporting.claims.controls import check, outcome
from lib.reporting.claims.rows import Number
from lib.reporting.claims.rule import compare
from lib.reporting.claims.rule import judge as judge_with
from tests.reporting.claims_builders import judge, order_claim, row, tables, value_claim

CONTROL = {
    "paper": "dp_mac",
    "name": "learned",
    "dataset": "USPS",
    "of": "experiment",
    "what": "error",
    "table": "runs",
}
CONTROL |= {"row": "method=MAC", "column": "score", "guards": "all"}


def checked(relation, threshold, *scores):
    rows = [{"dataset": "USPS", "stands_for": "USPS", "method": "MAC", "protocol": "paper", "score": s} for s in scores]
    control = CONTROL | {"relation": relation, "threshold": threshold}
    tables = {("dp_mac", "runs"): pd.DataFrame(rows)}
    return check(control, tables, []), outcome(control, tables, {})


@pytest.mark.parametrize(("relation", "best", "worst"), [(">=", 0.9, 0.6), ("<=", 0.6, 0.9)])
def test_a_check_passes_by_the_worst_of_its_rows(relation, best, worst):
    for scores in ((best, worst), (worst, best)):
        found, said = checked(relation, "0.75", *scores)
        assert not found.passed and found.failed and said == "0.6 to 0.9, failed"
        bound = "at least" if relation == ">=" else "at most"
        assert found.reason == f"error on USPS: {worst}, needed {bound} 0.75"
    assert checked(relation, "0.75", best, best)[0].passed
    assert checked(relation, str(worst), best, worst)[0].passed


def test_a_check_that_is_set_for_no_dataset_of_the_claim_is_not_passed():
    both = tables(row(aggregator="confident", epsilon=1.0), row(aggregator="lnmax", epsilon=2.0))
    assert judge(order_claim(), both).judgement == "holds"
    found = judge_with(order_claim(controls="learned"), both, {})
    assert found.judgement == "not judged" and "no control 'learned' is set for MNIST" in found.note


@pytest.mark.parametrize("ours", [0.55, 0.7, 1.0])
def test_the_latitude_of_a_claim_contradicts_as_a_tolerance_that_is_so_much_wider(ours):
    number = Number(ours, 0.2, 3, "data", "data", "", "paper", 0.0)
    open_, wide = (
        compare(value_claim(value="0", relation="=") | words, (number,), "")
        for words in ({"tolerance": "0.1", "latitude": "0.5"}, {"tolerance": "0.6"})
    )
    assert open_.contradicts == pytest.approx(wide.contradicts, rel=1e-9) if ours > 0.6 else open_.contradicts is None
