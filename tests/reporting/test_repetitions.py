"""How many repetitions a verdict needs, and when no number of them would decide."""

import math

import pytest
from scipy.stats import norm, t

from lib.reporting.claims.rule import DEPENDS, MORE, NEVER
from tests.reporting.claims_builders import judge, order_claim, row, tables, value_claim


def sides(left: float, right: float, spread: float, seeds: int = 3):
    random = {"epsilon_spread": spread, "seeds": seeds}
    return tables(row(epsilon=left, **random), row(aggregator="lnmax", epsilon=right, **random))


def needed(margin: float, spread: float, single: bool = False) -> int:
    """Count up to the first number of repetitions that decides, by Student's quantile, apart from `lib`."""
    weights = (1, 1) if single else (2, 0)
    return next(
        count
        for count in range(3, 1001)
        if margin > t.ppf(0.95, count - 1) * spread * math.sqrt(weights[0] / count + weights[1])
    )


@pytest.mark.parametrize("margin", [0.5, 0.1, 0.02])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_number_is_the_first_that_decides_two_means(margin, sign):
    found = judge(order_claim(), sides(2.0, 2.0 + sign * margin, 0.22))
    assert found.judgement == MORE
    assert found.verdict == f"{MORE} (at least {needed(margin, 0.22)})"
    again = judge(order_claim(), sides(2.0, 2.0 + sign * margin, 0.22, needed(margin, 0.22)))
    assert again.judgement == ("holds" if sign > 0 else "fails")


def test_fewer_repetitions_than_the_rule_takes_need_as_many():
    assert judge(order_claim(), sides(2.0, 9.0, 0.0, seeds=1)).verdict == f"{MORE} (at least 3)"
    assert judge(order_claim(), sides(2.0, 9.0, math.nan, seeds=1)).verdict == f"{MORE} (at least 3)"


def test_a_tiny_difference_needs_more_than_anybody_runs():
    assert judge(order_claim(), sides(2.0, 2.0001, 0.22)).verdict == f"{MORE} (over 1,000)"
    assert judge(order_claim(), sides(2.0, 2.0, 0.22)).judgement == NEVER


@pytest.mark.parametrize("measured", [2.0, 2.07, 1.93])
def test_a_number_of_one_run_is_not_decidable_within_what_one_run_scatters(measured):
    """The tolerance is 2 % of 2.00: 0.04. A margin above the normal quantile of the spread needs more; else none do."""
    margin = abs(0.04 - abs(measured - 2.0))
    for spread in (0.012, 0.03):
        found = judge(value_claim(), tables(row(epsilon=measured, epsilon_spread=spread, seeds=3)))
        if margin <= norm.ppf(0.95) * spread:
            assert found.verdict == NEVER
        else:
            assert found.verdict == f"{MORE} (at least {needed(margin, spread, single=True)})"
    assert margin in (pytest.approx(0.04), pytest.approx(0.03))


def test_an_error_that_repetitions_share_is_not_lowered_by_more_of_them():
    shared = row(epsilon=2.02, epsilon_spread=0.001, seeds=3, epsilon_held_out_error=0.05)
    assert judge(value_claim(), tables(shared)).verdict == NEVER
    assert judge(value_claim(tolerance="0.5"), tables(shared)).verdict == "holds"


def test_what_the_paper_leaves_open_is_no_matter_of_repetitions():
    claim = value_claim(row="aggregator=*")
    met, missed, vague = row(epsilon=2.0), row(aggregator="other", epsilon=3.0), row(aggregator="third", seeds=1)
    assert judge(claim, tables(met, missed)).verdict == DEPENDS
    assert judge(value_claim(latitude="0.5"), tables(row(epsilon=2.4))).verdict == DEPENDS
    # a third interpretation with one seed: three decide that it depends on how the paper is read
    assert judge(claim, tables(met, missed, vague)).verdict == f"{MORE} (at least 3)"
    assert judge(claim, tables(missed, vague | {"epsilon": 3.0})).verdict == f"{MORE} (at least 3)"
