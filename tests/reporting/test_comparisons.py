"""Curves compared where something else is equal: known answers, and properties that any such reading must have."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.reporting.comparisons import comparison_rows, epsilon_at_accuracy, equal_answers, statement_like
from pate_accountant.statement import PrivacyStatement

MEANING = {
    "delta": 1e-5,
    "accountant": "rdp",
    "conversion": "classic",
    "neighbouring": "replace_one",
    "data_dependent": True,
    "sanitized": False,
    "one_sided": True,
    "proved_bound": True,
}
ENSEMBLE = {"label": "Ours", "stands_for": "Theirs", "protocol": "small"}
POINTS = st.lists(st.tuples(st.floats(0.01, 100), st.floats(0, 100)), min_size=1, max_size=8, unique_by=lambda p: p[0])


def test_epsilon_at_a_points_own_accuracy_is_its_epsilon():
    assert epsilon_at_accuracy([1.0, 4.0, 16.0], [50.0, 60.0, 70.0], 60.0) == pytest.approx(4.0)


def test_epsilon_between_points_lies_on_a_line_over_its_logarithm():
    assert epsilon_at_accuracy([1.0, 4.0], [50.0, 60.0], 55.0) == pytest.approx(2.0)


def test_a_dearer_but_less_accurate_point_changes_nothing():
    assert epsilon_at_accuracy([1.0, 2.0, 4.0], [50.0, 40.0, 60.0], 50.0) == pytest.approx(1.0)


def test_an_accuracy_out_of_reach_has_no_epsilon():
    assert math.isnan(epsilon_at_accuracy([1.0, 4.0], [50.0, 60.0], 60.1))


def test_an_accuracy_below_the_cheapest_points_has_none_either():
    assert math.isnan(epsilon_at_accuracy([1.0, 4.0], [50.0, 60.0], 49.9))


@given(POINTS, st.floats(0, 100))
def test_epsilon_is_never_below_the_cheapest_point_nor_above_the_first_that_is_accurate_enough(points, wanted):
    epsilon, accuracy = np.array(points).T
    found = epsilon_at_accuracy(epsilon, accuracy, wanted)
    enough = epsilon[accuracy >= wanted]
    assert math.isnan(found) == (len(enough) == 0 or wanted < accuracy[epsilon.argmin()])
    if not math.isnan(found):
        assert epsilon.min() * (1 - 1e-9) <= found <= enough.min() * (1 + 1e-9)


@given(POINTS, st.floats(0, 100), st.floats(0, 100))
def test_more_accuracy_never_costs_less(points, first, second):
    epsilon, accuracy = np.array(points).T
    low, high = sorted((first, second))
    cheap, dear = (epsilon_at_accuracy(epsilon, accuracy, wanted) for wanted in (low, high))
    assert math.isnan(dear) or math.isnan(cheap) or cheap <= dear * (1 + 1e-9)


def test_curves_are_compared_up_to_where_the_shorter_one_ends():
    long = (np.array([1.0, 10.0, 100.0]), np.array([1.0, 2.0, 4.0]))
    short = (np.array([5.0, 10.0]), np.array([0.5, 1.0]))
    at, (own, other) = equal_answers([short, long], 2)
    assert at.tolist() == [5.0, 10.0]
    assert own.tolist() == [0.5, 1.0]
    assert other == pytest.approx([1 + 4 / 9, 2.0])


def draw(epsilon: float) -> list[dict]:
    """One draw with an epsilon compared, and a value."""
    compared = {"comparison": "a_and_b", "at": "here", "answers": 10.0, "epsilon": epsilon, "other_epsilon": 5.0}
    return [
        compared | {"statement": MEANING, "other_statement": MEANING | {"proved_bound": False}},
        {"comparison": "costs", "at": "there", "value": 1.0, "other_value": 2.0},
    ]


def test_rows_hold_means_spreads_and_what_the_epsilons_mean():
    compared, costs = comparison_rows([draw(1.0), draw(2.0), draw(3.0)], ENSEMBLE, "data (f00)")
    assert (compared["dataset"], compared["stands_for"], compared["protocol"]) == ("Ours", "Theirs", "small")
    # the mean of three bounds is none
    assert compared["epsilon"] == PrivacyStatement(epsilon=2.0, **(MEANING | {"proved_bound": False}))
    assert not compared["other_epsilon"].guarantee
    assert compared["sanitized"] is False
    assert compared["epsilon_spread"] == pytest.approx(1.0)
    assert (compared["seeds"], compared["answers"], compared["value"]) == (3, 10.0, None)
    assert (costs["value"], costs["other_value"], costs["epsilon"]) == (1.0, 2.0, None)
    assert list(compared) == list(costs)


def test_one_set_of_votes_has_no_seeds():
    assert [row["seeds"] for row in comparison_rows([draw(1.0)], ENSEMBLE, "data")] == [0, 0]


def test_a_spread_of_its_own_counts_where_there_is_one_draw():
    first, second = draw(1.0)
    (row, _) = comparison_rows([[first | {"epsilon_spread": 0.25, "seeds": 3}, second]], ENSEMBLE, "data")
    assert (row["epsilon_spread"], row["other_epsilon_spread"], row["seeds"]) == (0.25, 0.0, 3)


def test_what_a_draw_lacks_is_left_empty():
    compared, costs = comparison_rows([draw(1.0), draw(math.nan)], ENSEMBLE, "data")
    assert (compared["epsilon"], compared["epsilon_spread"]) == (None, None)
    assert compared["other_epsilon"].epsilon == 5.0
    assert costs["value"] == 1.0


def test_a_statement_takes_numbers_as_tables_hold_them():
    fields = {name: np.array(value)[()] if isinstance(value, float) else value for name, value in MEANING.items()}
    assert statement_like(fields | {"proved_bound": np.True_}, 3.0) == PrivacyStatement(
        epsilon=3.0, **(MEANING | {"proved_bound": False})
    )
