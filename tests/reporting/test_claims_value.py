"""Verdicts on numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.reporting.claims import VERDICTS, judge
from tests.reporting.claims_builders import row, tables, value_claim


def verdict(claim, *rows):
    return judge(claim, tables(*rows)).verdict


@pytest.mark.parametrize(
    ("measured", "expected"),
    [(2.0, "reproduced"), (2.04, "reproduced"), (1.96, "reproduced"), (2.0401, "not reproduced")],
)
def test_relative_tolerance_includes_its_boundary(measured, expected):
    assert verdict(value_claim(), row(epsilon=measured)) == expected


@pytest.mark.parametrize(("value", "measured"), [("0.90", 0.91), ("0.90", 0.89), ("0.5", 0.51), ("98.5", 97.5)])
def test_absolute_tolerance_is_meant_in_decimals(value, measured):
    tolerance = "1" if float(value) > 1 else "0.01"
    assert verdict(value_claim(value=value, tolerance=tolerance), row(epsilon=measured)) == "reproduced"


def test_a_tolerance_of_zero_asks_for_the_number_itself():
    claim = value_claim(value="100", tolerance="0")
    assert verdict(claim, row(epsilon=100)) == "reproduced"
    assert verdict(claim, row(epsilon=100.5)) == "not reproduced"


@pytest.mark.parametrize(
    ("relation", "measured", "expected"),
    [
        ("<", 1.9, "reproduced"),
        ("<", 2.0, "not reproduced"),
        ("<=", 2.0, "reproduced"),
        (">", 2.0, "not reproduced"),
        (">", 2.1, "reproduced"),
        (">=", 2.0, "reproduced"),
        (">=", 1.9, "not reproduced"),
    ],
)
def test_one_sided_numbers(relation, measured, expected):
    assert verdict(value_claim(relation=relation, tolerance=""), row(epsilon=measured)) == expected


def test_outside_the_tolerance_but_within_the_spread_is_undecided():
    found = judge(value_claim(), tables(row(epsilon=2.1, epsilon_spread=0.07, seeds=3)))
    assert (found.verdict, found.measured, found.spread, found.seeds) == ("undecided", "2.1", "0.07", "3")
    assert "spread" in found.note
    assert verdict(value_claim(), row(epsilon=2.2, epsilon_spread=0.07, seeds=3)) == "not reproduced"


def test_what_is_deterministic_has_no_spread():
    assert verdict(value_claim(), row(epsilon=2.1, epsilon_spread=0.07, seeds=0)) == "not reproduced"


def test_a_substitute_is_shown_and_not_judged():
    found = judge(value_claim(), tables(row(dataset="digits", stands_for="MNIST", data="8x8 images", epsilon=2.0)))
    assert (found.verdict, found.measured, found.data) == ("substitute data", "2", "digits (8x8 images)")
    assert "digits stands for MNIST" in found.note


def test_a_substitute_does_not_count_beside_the_data_themselves():
    found = judge(
        value_claim(), tables(row(dataset="digits", stands_for="MNIST", epsilon=9.0), row(stands_for="MNIST"))
    )
    assert (found.verdict, found.measured) == ("reproduced", "2")


def test_a_substitute_of_other_data_is_no_substitute():
    found = judge(value_claim(), tables(row(dataset="digits", stands_for="SVHN")))
    assert found.verdict == "not run"


def test_a_reduced_protocol_is_shown_and_not_judged():
    found = judge(value_claim(note="the paper rounds"), tables(row(protocol="half the images")))
    assert (found.verdict, found.measured) == ("reduced", "2")
    assert found.note == "protocol: half the images; the paper rounds"


def test_a_protocol_that_is_not_stated_is_not_the_papers():
    bare = row()
    del bare["protocol"]
    assert verdict(value_claim(), bare) == "reduced"
    assert verdict(value_claim(), row(protocol=None)) == "reduced"


def test_a_column_may_have_a_protocol_and_seeds_of_its_own():
    assert verdict(value_claim(), row(epsilon_protocol="fewer votes")) == "reduced"
    found = judge(value_claim(), tables(row(seeds=3, epsilon_seeds=0, epsilon=2.1, epsilon_spread=1.0)))
    assert (found.verdict, found.seeds) == ("not reproduced", "0")


@pytest.mark.parametrize(
    ("claim", "results", "missing"),
    [
        (value_claim(table=""), tables(row()), "no target measures this yet"),
        (value_claim(), tables(row(), item="table2"), "target scalable_pate_table1 is not there"),
        (value_claim(row="", column=""), tables(row()), "the claim names no column of table1 yet"),
        (value_claim(column="accuracy"), tables(row()), "table1 has no column accuracy"),
        (value_claim(row="queries=1"), tables(row()), "table1 has no column queries"),
        (value_claim(row="dataset=SVHN"), tables(row()), "table1 has no row where dataset is SVHN"),
        (value_claim(), tables(row(epsilon=None)), "table1 has an empty epsilon for MNIST confident"),
    ],
)
def test_not_run_says_what_was_missing(claim, results, missing):
    found = judge(claim, results)
    assert (found.verdict, found.measured, found.note) == ("not run", "", missing)


def test_numbers_in_filters_are_compared_as_numbers():
    claim = value_claim(row="dataset=MNIST;queries=1000")
    assert verdict(claim, row(queries=1000.0), row(queries=100.0, epsilon=9.0)) == "reproduced"


def test_a_claim_must_hold_on_every_selected_row():
    claim = value_claim(row="aggregator=confident")
    found = judge(claim, tables(row(), row(dataset="SVHN", epsilon=3.0)))
    assert (found.verdict, found.measured) == ("not reproduced", "2 (MNIST); 3 (SVHN)")


def test_several_tables_are_read_as_one_and_the_absent_is_named():
    found = judge(value_claim(table="table1;table2"), tables(row()))
    assert found.verdict == "reproduced"
    assert "not compared: target scalable_pate_table2 is not there" in found.note


def test_text_in_the_place_of_a_number_is_refused():
    with pytest.raises(InputError, match="table1: column epsilon: 'low' is not allowed"):
        judge(value_claim(), tables(row(epsilon="low")))


@given(
    value=st.decimals("-1000", "1000", places=3, allow_nan=False),
    measured=st.floats(-2000, 2000),
    tolerance=st.decimals("0", "50", places=2, allow_nan=False),
    percent=st.booleans(),
    spread=st.none() | st.floats(0, 100),
    seeds=st.integers(0, 5),
    stands_for=st.sampled_from(["", "MNIST", "SVHN"]),
    protocol=st.sampled_from(["paper", "fewer epochs", None]),
)
def test_never_reproduced_outside_the_tolerance(
    value, measured, tolerance, percent, spread, seeds, stands_for, protocol
):
    claim = value_claim(value=str(value), tolerance=f"{tolerance}{'%' if percent else ''}")
    result = row(epsilon=measured, epsilon_spread=spread, seeds=seeds, stands_for=stands_for, protocol=protocol)
    found = judge(claim, tables(result)).verdict
    allowed = float(tolerance) * (abs(float(value)) / 100 if percent else 1)
    assert found in VERDICTS
    distance = abs(measured - float(value))
    if distance > allowed * (1 + 1e-6):
        assert found != "reproduced"
    elif distance <= allowed and stands_for != "SVHN" and protocol == "paper":
        assert found == "reproduced"
