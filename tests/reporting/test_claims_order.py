"""Verdicts on orderings."""

import pytest

from lib.reporting.claims import judge
from tests.reporting.claims_builders import order_claim, row, tables

LNMAX = {"aggregator": "lnmax"}


def test_plain_order_on_each_dataset():
    results = tables(
        row(epsilon=1.99),
        row(**LNMAX, epsilon=3.16),
        row(dataset="SVHN", epsilon=4.9),
        row(dataset="SVHN", **LNMAX, epsilon=12.4),
    )
    found = judge(order_claim(), results)
    assert found.verdict == "reproduced"
    assert found.measured == "1.99 < 3.16 (MNIST); 4.9 < 12.4 (SVHN)"
    assert (found.seeds, found.data, found.note) == ("0", "MNIST; SVHN", "")


def test_one_dataset_that_contradicts_is_enough():
    results = tables(
        row(), row(**LNMAX, epsilon=3.0), row(dataset="SVHN", epsilon=4), row(dataset="SVHN", **LNMAX, epsilon=3)
    )
    found = judge(order_claim(), results)
    assert (found.verdict, found.measured) == ("not reproduced", "2 < 3 (MNIST); 4 not < 3 (SVHN)")


def test_every_row_of_the_other_side_counts():
    results = tables(row(), row(**LNMAX, epsilon=3.0), row(**LNMAX, epsilon=1.0))
    assert judge(order_claim(), results).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("relation", "tolerance", "left", "right", "expected"),
    [
        ("<=", "x0.25", 1.0, 4.0, "reproduced"),
        ("<=", "x0.25", 1.1, 4.0, "not reproduced"),
        ("<=", "+3", 7.0, 4.0, "reproduced"),
        (">=", "-0.5", 3.5, 4.0, "reproduced"),
        (">=", "-0.5", 3.4, 4.0, "not reproduced"),
        ("<", "", 4.0, 4.0, "not reproduced"),
        (">", "", 4.1, 4.0, "reproduced"),
        ("=", "0.1", 4.1, 4.0, "reproduced"),
        ("=", "2%", 4.1, 4.0, "not reproduced"),
    ],
)
def test_the_tolerance_moves_the_right_side(relation, tolerance, left, right, expected):
    claim = order_claim(relation=relation, tolerance=tolerance)
    assert judge(claim, tables(row(epsilon=left), row(**LNMAX, epsilon=right))).verdict == expected


def test_the_moved_side_is_shown():
    found = judge(order_claim(tolerance="x0.25"), tables(row(epsilon=1.0), row(**LNMAX, epsilon=5.0)))
    assert found.measured == "1 < 0.25 x 5 (MNIST)"


@pytest.mark.parametrize("seeds", [1, 2])
def test_fewer_than_three_seeds_decide_nothing(seeds):
    results = tables(row(seeds=seeds, epsilon_spread=0.0), row(**LNMAX, epsilon=9.0))
    found = judge(order_claim(), results)
    assert (found.verdict, found.note, found.seeds) == ("undecided", "needs 3 seeds: MNIST", str(seeds))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (2.0, 2.6, "reproduced"),
        (2.0, 2.5, "undecided"),
        (2.0, 2.4, "undecided"),
        (2.4, 2.0, "undecided"),
        (2.6, 2.0, "not reproduced"),
    ],
)
def test_the_difference_must_exceed_the_spread_of_both(left, right, expected):
    sides = {"seeds": 3, "epsilon_spread": 0.3}, {"seeds": 5, "epsilon_spread": 0.4}  # together 0.5
    found = judge(order_claim(), tables(row(epsilon=left, **sides[0]), row(**LNMAX, epsilon=right, **sides[1])))
    assert (found.verdict, found.spread, found.seeds) == (expected, "0.5", "3")


def test_a_factor_scales_the_spread_of_its_side():
    wide = {"seeds": 3, "epsilon_spread": 0.4}
    found = judge(order_claim(tolerance="x0.25"), tables(row(epsilon=0.85), row(**LNMAX, epsilon=4.0, **wide)))
    assert (found.verdict, found.spread) == ("reproduced", "0.1")


def test_an_equality_beyond_its_tolerance_by_less_than_the_spread_is_undecided():
    sides = {"seeds": 3, "epsilon_spread": 0.3}
    claim = order_claim(relation="=", tolerance="0.1")
    assert judge(claim, tables(row(epsilon=2.3, **sides), row(**LNMAX))).verdict == "undecided"
    assert judge(claim, tables(row(epsilon=2.5, **sides), row(**LNMAX))).verdict == "not reproduced"


@pytest.mark.parametrize("gap", ["seeds", "epsilon_spread"])
def test_what_the_table_does_not_state_decides_nothing(gap):
    stated = {"seeds": 3, "epsilon_spread": 0.1} | {gap: None}
    found = judge(order_claim(), tables(row(**stated), row(**LNMAX, epsilon=9.0)))
    assert found.verdict == "undecided"
    assert "does not state" in found.note


def test_one_clear_contradiction_outweighs_what_is_undecided():
    vague = {"seeds": 1}
    results = tables(
        row(**vague),
        row(**LNMAX, **vague, epsilon=3),
        row(dataset="SVHN", epsilon=4),
        row(dataset="SVHN", **LNMAX, epsilon=3),
    )
    assert judge(order_claim(), results).verdict == "not reproduced"


def test_what_is_undecided_outweighs_what_holds():
    clear = [row(dataset="SVHN"), row(dataset="SVHN", **LNMAX, epsilon=3)]
    found = judge(order_claim(), tables(*clear, row(seeds=1), row(**LNMAX, seeds=1, epsilon=3)))
    assert found.verdict == "undecided"


def test_any_data_and_protocol_are_judged_and_named():
    substitute = {"dataset": "digits", "stands_for": "MNIST", "protocol": "25 forests"}
    claim = order_claim(row="dataset=MNIST;aggregator=confident")
    found = judge(claim, tables(row(**substitute), row(**substitute, **LNMAX, epsilon=3)))
    assert (found.verdict, found.measured, found.data) == ("reproduced", "2 < 3 (digits)", "digits")
    assert found.note == "digits stands for MNIST; protocol: 25 forests"


def test_against_another_column_of_the_same_row():
    claim = order_claim(than_row="", than_column="bound")
    assert judge(claim, tables(row(bound=3.0))).verdict == "reproduced"
    assert judge(claim, tables(row(bound=1.0))).verdict == "not reproduced"


def test_against_a_constant_on_all_rows():
    claim = order_claim(row="", than_row="", value="0.5", relation="<=")
    found = judge(claim, tables(row(epsilon=0.5), row(dataset="SVHN", epsilon=0.1)))
    assert (found.verdict, found.measured) == ("reproduced", "0.5 <= 0.5 (MNIST); 0.1 <= 0.5 (SVHN)")


def test_an_open_column_is_paired_with_itself():
    rows = [row(budget=b, aggregator=a, epsilon=e) for b, a, e in
            [(1, "confident", 5), (2, "confident", 3), (1, "lnmax", 6), (2, "lnmax", 4)]]  # fmt: skip
    found = judge(order_claim(row="aggregator=confident;budget=*"), tables(*rows))
    assert found.measured == "5 < 6 (MNIST, budget 1); 3 < 4 (MNIST, budget 2)"
    assert judge(order_claim(), tables(*rows)).verdict == "not reproduced"  # 5 is not < 4


def test_what_could_not_be_compared_is_named():
    results = tables(
        row(),
        row(**LNMAX, epsilon=3),
        row(dataset="SVHN"),
        row(dataset="Adult"),
        row(**LNMAX, dataset="Adult", epsilon=None),
    )
    found = judge(order_claim(), results)
    assert (found.verdict, found.measured) == ("reproduced", "2 < 3 (MNIST)")
    assert "no row where aggregator is lnmax beside SVHN" in found.note
    assert "table1 has an empty epsilon for Adult lnmax" in found.note


@pytest.mark.parametrize(
    ("results", "missing"),
    [
        (tables(row()), "table1 has no row where aggregator is lnmax"),
        (tables(row(), row(**LNMAX, dataset="SVHN")), "no row where aggregator is lnmax beside MNIST"),
        (tables(row(epsilon=None), row(**LNMAX)), "table1 has an empty epsilon for MNIST confident"),
    ],
)
def test_not_run_says_what_was_missing(results, missing):
    found = judge(order_claim(), results)
    assert (found.verdict, found.note) == ("not run", missing)
