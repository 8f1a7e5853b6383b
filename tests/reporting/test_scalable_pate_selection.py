"""The table of what the noisy check selects."""

import pytest

from scripts.scalable_pate_selection import gain

FIRST = {"student_accuracy": 61.0, "student_accuracy_spread": 3.0, "student_accuracy_seeds": 3}
BOTH = {"student_accuracy": 60.5, "student_accuracy_spread": 4.0, "student_accuracy_seeds": 2}


def test_the_gain_of_a_second_round_is_over_the_first_alone():
    assert gain(BOTH, FIRST) == {
        "second_round_gain": -0.5,
        "second_round_gain_spread": 5.0,
        "second_round_gain_seeds": 2,
    }


@pytest.mark.parametrize(("both", "first"), [(BOTH, None), (BOTH, FIRST | {"student_accuracy": None}), ({}, FIRST)])
def test_without_one_of_the_students_there_is_no_gain(both, first):
    both = {"student_accuracy": None} | both
    assert gain(both, first) == {
        "second_round_gain": None,
        "second_round_gain_spread": None,
        "second_round_gain_seeds": 0,
    }


def test_with_one_repetition_the_gain_has_no_spread():
    assert gain(BOTH | {"student_accuracy_spread": None}, FIRST)["second_round_gain_spread"] is None
