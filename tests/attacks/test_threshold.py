"""The confidence-threshold attack."""

import numpy as np
import pytest

from lib.attacks.threshold import best_threshold, confidences
from lib.core.errors import InputError


def test_the_score_is_the_largest_probability():
    probabilities = np.array([[0.2, 0.7, 0.1], [1 / 3, 1 / 3, 1 / 3]])
    np.testing.assert_array_equal(confidences(probabilities), [0.7, 1 / 3])


@pytest.mark.parametrize("decimals", [1, 6])
def test_the_threshold_tells_most_members_of_the_shadow_apart(decimals):
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores, member = rng.random(20).round(decimals), rng.permutation(np.arange(20) < 8)
        found = best_threshold(scores, member)
        right = {t: np.mean((scores >= t) == member) for t in (*scores, np.inf)}
        assert right[found] == max(right.values())
        assert found == min(t for t, share in right.items() if share == right[found])


def test_where_nothing_is_to_be_gained_nobody_is_called_a_member():
    assert best_threshold(np.array([0.9, 0.8, 0.1]), np.array([0, 0, 1])) == np.inf


@pytest.mark.parametrize(
    ("probabilities", "match"),
    [
        (np.full(3, 0.5), r"probabilities \(3,\)"),
        (np.ones((3, 1)), r"probabilities \(3, 1\)"),
        (np.ones((0, 2)), r"probabilities \(0, 2\)"),
        (np.array([[0.5, 0.5], [0.5, 0.6]]), "probabilities of sample 1"),
        (np.array([[1.5, -0.5]]), "probabilities of sample 0"),
        (np.array([[0.5, 0.5], [np.nan, 0.5]]), "probabilities of sample 1"),
    ],
)
def test_what_is_no_distribution_is_refused(probabilities, match):
    with pytest.raises(InputError, match=match):
        confidences(probabilities)
