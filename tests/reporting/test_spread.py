"""Intervals of means of repetitions."""

import pytest
from scipy.stats import t

from lib.reporting.spread import student_interval


def test_students_interval_of_three_values():
    low, high = student_interval([0.5, 0.52, 0.57], 0.95)
    mean, error = 0.53, (0.0013 / 3) ** 0.5
    assert (low, high) == pytest.approx((mean - t.ppf(0.975, 2) * error, mean + t.ppf(0.975, 2) * error))


@pytest.mark.parametrize("values", [[], [0.5]])
def test_fewer_than_two_values_have_none(values):
    assert student_interval(values, 0.95) == (None, None)
