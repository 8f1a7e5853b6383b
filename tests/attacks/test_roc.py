"""AUC, its interval, ROC, precision and recall: by hand, by scikit-learn, and by simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from lib.attacks.roc import WORKS, auc_interval, precision_recall, roc_curve
from lib.core.errors import InputError


def drawn(members, others, shift, rng, decimals=None):
    scores = np.concatenate([rng.normal(shift, 1, members), rng.normal(0, 1, others)])
    return scores if decimals is None else scores.round(decimals), np.repeat([1, 0], [members, others])


def test_by_hand():
    """Of six pairs, a member wins five and ties one; DeLong's components written out."""
    scores, member = np.array([0.9, 0.5, 0.2, 0.5, 0.1]), np.array([1, 1, 0, 0, 0])
    found = auc_interval(scores, member)
    assert found.auc == pytest.approx(5.5 / 6)
    components = np.var([1, 2.5 / 3], ddof=1) / 2 + np.var([1, 0.75, 1], ddof=1) / 3
    assert found.deviation == pytest.approx(components**0.5)
    reach = norm.ppf(0.975) * components**0.5
    assert (found.low, found.high) == (pytest.approx(found.auc - reach), 1.0) and not found.constant


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 999),
    members=st.integers(1, 30),
    others=st.integers(1, 30),
    decimals=st.sampled_from([None, 0, 1]),
)
def test_auc_is_that_of_scikit_learn_and_turns_with_the_scores(seed, members, others, decimals):
    scores, member = drawn(members, others, 0.7, np.random.default_rng(seed), decimals)
    found, turned = auc_interval(scores, member), auc_interval(-scores, member)
    assert found.auc == pytest.approx(roc_auc_score(member, scores), abs=1e-12)
    assert 0 <= found.low <= found.auc <= found.high <= 1
    assert turned.auc == pytest.approx(1 - found.auc) and turned.deviation == pytest.approx(found.deviation)
    # the components are those of all pairs, one by one
    inside, outside = scores[member == 1], scores[member == 0]
    wins = (inside[:, None] > outside) + 0.5 * (inside[:, None] == outside)
    parts = [wins.mean(axis) for axis in (0, 1)]
    expected = sum(part.var(ddof=1) / len(part) for part in parts if len(part) > 1)
    assert found.deviation == pytest.approx(expected**0.5, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "decimals"), [(0.0, None), (0.8, None), (0.8, 0)])
def test_the_deviation_is_that_of_the_bootstrap(shift, decimals):
    rng = np.random.default_rng(5)
    scores, member = drawn(150, 250, shift, rng, decimals)
    inside, outside = scores[member == 1], scores[member == 0]
    areas = []
    for _ in range(1000):
        again = np.concatenate([rng.choice(inside, len(inside)), rng.choice(outside, len(outside))])
        areas.append(auc_interval(again, member).auc)
    found = auc_interval(scores, member)
    assert found.deviation == pytest.approx(np.std(areas), rel=0.08)
    np.testing.assert_allclose([found.low, found.high], np.quantile(areas, [0.025, 0.975]), atol=0.01)


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_intervals_cover_the_truth_as_often_as_they_say(shift):
    rng, truth = np.random.default_rng(6), norm.cdf(shift / 2**0.5)
    for level in (0.5, 0.95):
        found = [auc_interval(*drawn(80, 120, shift, rng), level=level) for _ in range(500)]
        covered = np.mean([one.low <= truth <= one.high for one in found])
        assert covered == pytest.approx(level, abs=4 * (level * (1 - level) / 500) ** 0.5 + 0.01)


def test_a_constant_score_is_marked():
    found = auc_interval(np.full(10, 0.3), np.arange(10) % 2)
    assert found.constant and (found.auc, found.low, found.high) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(("equal", "constant"), [(199, True), (172, True), (166, False), (0, False)])
def test_so_is_one_that_is_so_for_most_pairs(equal, constant):
    """With a share of t of its pairs equal, no attack reaches more than 1 - t/2, here WORKS, whatever was learned."""
    member = np.arange(200) % 2 == 1
    scores = np.where(np.arange(200) < equal, 0.3, 0.4 + member + np.arange(200) / 1000)
    found = auc_interval(scores, member)
    tied = np.equal.outer(scores[member], scores[~member]).mean()
    assert found.constant == constant == (tied > 2 * (1 - WORKS))
    assert found.auc <= WORKS or not constant


def test_faultless_scores_have_a_point():
    found = auc_interval(np.arange(10.0), np.arange(10) >= 5)
    assert (found.auc, found.low, found.high) == (1, 1, 1) and not found.constant


@pytest.mark.parametrize("precision", [np.float32, np.float64])
@pytest.mark.parametrize("decimals", [0, 1, None])
def test_the_curve_runs_from_corner_to_corner_over_every_score(decimals, precision):
    scores, member = drawn(20, 30, 1.0, np.random.default_rng(1), decimals)
    scores = scores.astype(precision)
    false, true, thresholds = roc_curve(scores, member)
    assert (false[0], true[0], false[-1], true[-1]) == (0, 0, 1, 1) and thresholds[0] == np.inf
    np.testing.assert_array_equal(thresholds[1:], np.unique(scores)[::-1])
    for k, threshold in enumerate(thresholds):
        assert true[k] == np.mean(scores[member == 1] >= threshold)
        assert false[k] == np.mean(scores[member == 0] >= threshold)
    assert np.trapezoid(true, false) == pytest.approx(auc_interval(scores, member).auc)


def test_precision_and_recall_by_hand():
    scores, member = np.array([0.9, 0.6, 0.5, 0.6, 0.1]), np.array([1, 1, 1, 0, 0])
    precision, recall = precision_recall(scores, member, np.array([0.0, 0.5, 0.6, 0.7, 1.0]))
    np.testing.assert_allclose(precision, [3 / 5, 3 / 4, 2 / 3, 1, np.nan])
    np.testing.assert_allclose(recall, [1, 1, 2 / 3, 1 / 3, 0])


@pytest.mark.parametrize(
    ("scores", "member", "match"),
    [
        (np.arange(4.0), np.array([1, 0]), r"member \(2,\)"),
        (np.array([0.0, np.nan]), np.array([1, 0]), "finite"),
        (np.arange(2.0), np.array([1, 1]), "both must occur"),
        (np.arange(2.0), np.array([2, 0]), "0 and 1"),
        (np.zeros((2, 2)), np.array([1, 0]), r"scores \(2, 2\)"),
    ],
)
def test_what_does_not_fit_is_refused(scores, member, match):
    for function in (auc_interval, roc_curve, lambda s, m: precision_recall(s, m, np.array([0.5]))):
        with pytest.raises(InputError, match=match):
            function(scores, member)
