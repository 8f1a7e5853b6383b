"""True positives at few false ones: by hand, by trying every threshold, and how often the interval covers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from lib.attacks.empirical_epsilon import clopper_pearson
from lib.attacks.rates import LOGARITHMIC_GRID, logarithmic_curve, tpr_at
from lib.core.errors import InputError


def test_by_hand():
    scores = np.array([9.0, 8, 7, 6, 5, 4, 3, 2, 1, 0, 10, 7, 6.5, 1])
    member = np.repeat([0, 1], [10, 4])
    found = tpr_at(scores, member, 0.5)
    # half of the others: from 5 on, where three of four members are
    assert (found.tpr, found.threshold, found.fpr) == (0.75, 5, 0.5)
    low, high = clopper_pearson(np.array(3), 4, 0.025)
    assert (found.low, found.high) == (pytest.approx(float(low)), pytest.approx(float(high)))


def test_equal_scores_are_not_parted():
    """Half of the others have the highest score, so none may be accused."""
    found = tpr_at(np.repeat([1.0, 0.0, 1.0], [50, 50, 10]), np.repeat([0, 0, 1], [50, 50, 10]), 0.1)
    assert (found.tpr, found.threshold, found.fpr) == (0, np.inf, 0)


@pytest.mark.parametrize(("fpr", "least"), [(0.01, 500), (0.001, 5000), (0.1, 50), (1.0, 5)])
def test_too_few_others_give_nothing(fpr, least):
    scores = np.linspace(0, 1, least + 2)
    assert tpr_at(scores, np.arange(least + 2) < 2, fpr) is not None
    assert tpr_at(scores[1:], np.arange(least + 1) < 2, fpr) is None


@settings(derandomize=True, deadline=None, max_examples=80)
@given(
    seed=st.integers(0, 999), others=st.integers(50, 120), fpr=st.sampled_from([0.1, 0.2, 0.5]), coarse=st.booleans()
)
def test_no_other_threshold_does_better(seed, others, fpr, coarse):
    rng = np.random.default_rng(seed)
    member = np.arange(others + 30) < 30
    scores = rng.normal(member.astype(float))
    scores = scores.round(0) if coarse else scores
    found = tpr_at(scores, member, fpr)
    allowed = [t for t in (*np.unique(scores), np.inf) if (scores[~member] >= t).mean() <= fpr]
    assert found.threshold == min(allowed)
    assert found.tpr == (scores[member] >= min(allowed)).mean() and found.fpr <= fpr
    assert found.low <= found.tpr <= found.high
    np.testing.assert_allclose(logarithmic_curve(scores, member, np.array([fpr])), [found.tpr])


def test_the_interval_covers_the_rate_at_its_threshold_as_often_as_it_says():
    rng, member, trials, covered = np.random.default_rng(7), np.arange(260) < 60, 400, 0
    for _ in range(trials):
        found = tpr_at(rng.normal(1.5 * member), member, 0.05, 0.9)
        covered += found.low <= norm.sf(found.threshold - 1.5) <= found.high
    assert covered >= binom.ppf(1e-3, trials, 0.9)


def test_the_curve_is_a_staircase_that_begins_where_one_other_may_be_accused():
    assert {0.0001, 0.001, 0.01, 0.1, 1.0} <= set(LOGARITHMIC_GRID.round(12))
    rng, member = np.random.default_rng(8), np.arange(1100) < 100
    scores = rng.normal(2.0 * member)
    curve = logarithmic_curve(scores, member)
    np.testing.assert_array_equal(np.isnan(curve), LOGARITHMIC_GRID < 1e-3 * (1 - 1e-9))
    shown = curve[~np.isnan(curve)]
    assert (np.diff(shown) >= 0).all() and shown[-1] == 1
    # exactly one other is accused at one in a thousand
    second = np.sort(scores[~member])[-2]
    assert shown[0] == (scores[member] > second).mean()


@pytest.mark.parametrize(
    ("fpr", "level", "named"), [(0.0, 0.9, "rate 0.0"), (1.1, 0.9, "rate 1.1"), (0.5, 1.0, "level")]
)
def test_bad_input_is_refused(fpr, level, named):
    with pytest.raises(InputError, match=named):
        tpr_at(np.arange(4.0), np.array([0, 1, 0, 1]), fpr, level)
