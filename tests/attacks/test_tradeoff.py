"""Accuracy at an attack's area, read off a curve over training length."""

import numpy as np
import pytest

from lib.attacks.tradeoff import Curve, accuracy_at


def curve(auc, accuracy, auc_spread=0.0, accuracy_spread=0.0):
    count = len(auc)
    return Curve(auc, np.broadcast_to(auc_spread, count), accuracy, np.broadcast_to(accuracy_spread, count))


def test_between_two_points_accuracy_is_interpolated():
    assert accuracy_at(curve([0.50, 0.52, 0.56], [0.4, 0.6, 0.8]), 0.51, 0) == pytest.approx((0.5, 0))
    assert accuracy_at(curve([0.50, 0.52, 0.56], [0.4, 0.6, 0.8]), 0.52, 0) == pytest.approx((0.6, 0))


def test_beyond_the_longest_training_its_accuracy_counts():
    assert accuracy_at(curve([0.50, 0.52], [0.4, 0.6]), 0.7, 0) == pytest.approx((0.6, 0))


def test_below_the_shortest_training_there_is_no_point_but_by_chance():
    found = curve([0.52, 0.56], [0.4, 0.6], auc_spread=0.003)
    assert np.isnan(accuracy_at(found, 0.51, 0.004)).all()  # 0.01 below, deviation 0.005
    value, _ = accuracy_at(found, 0.516, 0.004)
    assert value == pytest.approx(0.4)


def test_areas_that_fall_as_training_goes_on_are_pooled():
    found = curve([0.50, 0.53, 0.51, 0.56], [0.40, 0.50, 0.60, 0.80])
    assert accuracy_at(found, 0.52, 0) == pytest.approx((0.55, 0))  # the pool of the second and third
    assert accuracy_at(found, 0.51, 0) == pytest.approx((0.475, 0))
    assert accuracy_at(curve([0.53, 0.52, 0.51], [0.3, 0.6, 0.9]), 0.52, 0) == pytest.approx((0.6, 0))


def test_the_deviation_counts_that_of_accuracy_and_that_of_both_areas():
    found = curve([0.50, 0.54], [0.4, 0.56], auc_spread=0.003, accuracy_spread=[0.03, 0.01])
    value, spread = accuracy_at(found, 0.52, 0.004)
    assert value == pytest.approx(0.48)
    assert spread == pytest.approx(np.hypot(0.03, 0.005 * 4))  # accuracy changes by 4 a unit of area
    at_the_end = accuracy_at(found, 0.54, 0.004)[1]
    assert at_the_end == pytest.approx(np.hypot(0.03, 0.005 * 4 / 2))  # nothing is known beyond the end


def test_over_a_wide_gap_nothing_is_interpolated_but_a_point_within_chance_counts():
    found = curve([0.50, 0.51, 0.70], [0.5, 0.6, 0.7], auc_spread=0.003)
    assert accuracy_at(found, 0.514, 0.004) == pytest.approx((0.6, 0.005))  # 0.004 beyond, deviation 0.005
    assert np.isnan(accuracy_at(found, 0.52, 0.004)).all()
    assert np.isnan(accuracy_at(found, 0.69, 0.004)).all()
    assert accuracy_at(found, 0.697, 0.004)[0] == pytest.approx(0.7)
    assert accuracy_at(found, 0.9, 0.004)[0] == pytest.approx(0.7)
