"""Sanity checks of experiments: each passes by the worst of its rows, and says which number that was."""

import pandas as pd
import pytest

from lib.reporting.claims.controls import check, outcome

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
