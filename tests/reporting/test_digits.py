"""Numbers with three significant digits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.reporting.digits import as_read, rounded, significant
from tests.reporting.longest import longest


@pytest.mark.parametrize(
    ("number", "digits"),
    [
        ("0", 0),
        ("7", 1),
        ("1,000", 1),
        ("2,970", 3),
        ("2969", 4),
        ("0.0329", 3),
        ("2.00", 3),
        ("1.8e7", 2),
        ("10.05", 4),
    ],
)
def test_digits_that_count(number, digits):
    assert significant(number) == digits


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2969.1, "2,970"),
        (1.999, "2"),
        (0.03286, "0.0329"),
        (1.803e7, "1.8e7"),
        (3.1e-6, "3.1e-6"),
        (0.0, "0"),
        (-8.257, "-8.26"),
    ],
)
def test_a_number_is_rounded(value, text):
    assert rounded(value) == text


def test_a_spread_has_one_digit():
    assert [rounded(value, 1) for value in (0.4933, 1.429, 13.73)] == ["0.5", "1", "10"]


@given(st.floats(1e-9, 1e12))
@settings(derandomize=True, deadline=None, max_examples=200)
def test_a_rounded_number_is_near_and_short(value):
    text = rounded(value)
    assert significant(text) <= 3
    assert abs(float(text.replace(",", "")) - value) <= 0.0051 * value


def test_a_text_keeps_what_is_short_and_what_is_no_number():
    assert (
        as_read("0.90 at 3098 of CIFAR100, 1000 times 0.1234 (v01)")
        == "0.90 at 3,100 of CIFAR100, 1,000 times 0.123 (v01)"
    )
    assert as_read("in 2018 and 2345", years=True) == "in 2018 and 2,340"  # half to even
    assert longest("12.345 in 2018, but 1,000") == 5


def test_a_number_without_its_zero_counts():
    assert longest("0.94 is .9441, by 2018") == 4
    assert as_read("about .94412 of them") == "about 0.944 of them"
