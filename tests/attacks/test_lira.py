"""LiRA: its statistic where probabilities round to 1, its scores by scipy's Gaussians, its rules for few models."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from lib.attacks.lira import LEAST, lira_scores, lira_shift_scores, logit_confidence, variance_for
from lib.attacks.roc import auc_interval
from lib.core.errors import InputError


def drawn(models, records, gain, rng):
    """Confidences of records of their own difficulty, higher by `gain` where a model had them."""
    member = rng.random((models + 1, records)) < 0.5
    values = rng.normal(0, 3, records) + gain * member + rng.normal(0, 1, member.shape)
    return values[1:], member[1:], values[0], member[0]


# ---------------------------------------------------------------- the statistic


def test_the_statistic_by_hand():
    found = logit_confidence(np.array([[0.7, 0.2, 0.1], [0.7, 0.2, 0.1]]), np.array([0, 2]))
    np.testing.assert_allclose(found, [math.log(0.7 / 0.3), math.log(0.1 / 0.9)])
    assert found.dtype == np.float64


def test_the_statistic_tells_confidences_apart_that_round_to_one():
    rows = np.array([[1, 1e-9, 0], [1, 1e-10, 0], [1, 1e-11, 1e-11]], np.float32)
    found = logit_confidence(rows, np.zeros(3, int))
    np.testing.assert_allclose(found, -np.log([1e-9, 1e-10, 2e-11]), rtol=1e-6)


def test_zeros_are_cut_off():
    rows = np.array([[1.0, 0.0], [0.0, 1.0]], np.float32)
    np.testing.assert_allclose(logit_confidence(rows, np.zeros(2, int)), [-math.log(LEAST), math.log(LEAST)])


def test_worlds_are_told_apart():
    rows = np.random.default_rng(1).dirichlet(np.ones(4), (3, 5))
    labels = np.array([0, 1, 2, 3, 0])
    together = logit_confidence(rows, labels)
    np.testing.assert_array_equal(together, [logit_confidence(world, labels) for world in rows])


# ---------------------------------------------------------------- the scores


@pytest.mark.parametrize("variance", ["sample", "global"])
def test_scores_are_those_of_gaussians(variance):
    rng = np.random.default_rng(2)
    shadow, member, target, _ = drawn(40, 12, 1.0, rng)
    online = lira_scores(shadow, member, target, True, variance)
    offline = lira_scores(shadow, member, target, False, variance)
    kinds = [[shadow[kind[:, k], k] for k in range(12)] for kind in (member, ~member)]
    means = [np.array([values.mean() for values in kind]) for kind in kinds]
    if variance == "sample":
        deviations = [np.array([values.std(ddof=1) for values in kind]) for kind in kinds]
    else:
        own = [[(values - values.mean()) ** 2 for values in kind] for kind in kinds]
        deviations = [(np.concatenate(k).sum() / (len(np.concatenate(k)) - 12)) ** 0.5 for k in own]
    expected = norm.logpdf(target, means[0], deviations[0]) - norm.logpdf(target, means[1], deviations[1])
    np.testing.assert_allclose(online, expected, rtol=1e-9)
    np.testing.assert_allclose(norm.cdf(offline), norm.cdf(target, means[1], deviations[1]), rtol=1e-9)


def test_each_record_is_compared_with_itself():
    """Difficulty that differs more than membership does hides members from a threshold, and not from LiRA."""
    shadow, member, target, inside = drawn(60, 3000, 1.5, np.random.default_rng(3))
    plain = auc_interval(target, inside).auc
    assert plain < 0.68
    for online in (True, False):
        for variance in ("sample", "global"):
            found = auc_interval(lira_scores(shadow, member, target, online, variance), inside)
            assert found.auc > 0.82  # of at most Phi(1.5 / sqrt 2) = 0.856


def test_few_models_want_the_global_variance():
    areas = {"sample": [], "global": []}
    for seed in range(5):
        shadow, member, target, inside = drawn(8, 2000, 2.0, np.random.default_rng(seed))
        for variance, found in areas.items():
            found.append(auc_interval(lira_scores(shadow, member, target, True, variance), inside).auc)
    assert min(np.subtract(areas["global"], areas["sample"])) > 0.02
    assert variance_for(63, 64) == "global" and variance_for(64, 64) == "sample"


@pytest.mark.parametrize("online", [True, False])
def test_nothing_is_found_where_nothing_is(online):
    """The interval covers one half as often as it says, neither less nor, being far too wide, always."""
    trials, covered = 400, 0
    for seed in range(trials):
        shadow, member, target, inside = drawn(12, 300, 0.0, np.random.default_rng(seed))
        found = auc_interval(lira_scores(shadow, member, target, online, "global"), inside)
        covered += found.low <= 0.5 <= found.high
    assert binom.ppf(1e-3, trials, 0.95) <= covered <= binom.ppf(1 - 1e-3, trials, 0.95)


def test_a_common_shift_by_hand():
    """Shift 1.5, means 0.5 and 1, and four residuals of a quarter on one degree of freedom."""
    shadow, member = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[True, False], [False, True]])
    np.testing.assert_allclose(lira_shift_scores(shadow, member, np.array([1.0, 0.0])), [3.0, -6.0])
    ratio = norm.logpdf(1.0, 0.5 + 0.75, 0.5) - norm.logpdf(1.0, 0.5 - 0.75, 0.5)
    assert ratio == pytest.approx(3.0)


def test_a_common_shift_finds_more_with_few_models():
    """Eight shadow models: 4 of a kind give a record's mean half the precision that all 8 give it."""
    areas = {"own": [], "common": []}
    for seed in range(5):
        shadow, member, target, inside = drawn(8, 2000, 1.0, np.random.default_rng(seed))
        areas["own"].append(auc_interval(lira_scores(shadow, member, target, True, "global"), inside).auc)
        areas["common"].append(auc_interval(lira_shift_scores(shadow, member, target), inside).auc)
    assert min(np.subtract(areas["common"], areas["own"])) > 0.003


def test_a_common_shift_needs_models_of_both_kinds():
    member = np.ones((4, 2), bool)
    for few in (member, member[:1]):
        with pytest.raises(InputError, match="both one that is in and one that is out"):
            lira_shift_scores(np.zeros(few.shape), few, np.zeros(2))


def test_records_that_no_shadow_had_or_all_had():
    rng = np.random.default_rng(5)
    shadow, member, target, _ = drawn(10, 6, 1.0, rng)
    member[:, 0], member[:, 1], member[0, 2:], member[1, 2:] = False, True, True, False
    online = lira_scores(shadow, member, target, True, "global")
    means = [
        [np.mean(shadow[kind[:, k], k]) if kind[:, k].any() else np.nan for k in range(6)] for kind in (member, ~member)
    ]
    moved = np.nanmean(np.subtract(*means))
    squares = [
        sum(((shadow[kind[:, k], k] - mean[k]) ** 2).sum() for k in range(6) if kind[:, k].any())
        / sum(max(0, kind[:, k].sum() - 1) for k in range(6))
        for kind, mean in zip((member, ~member), means, strict=True)
    ]
    for k, (inside, out) in enumerate([(means[1][0] + moved, means[1][0]), (means[0][1], means[0][1] - moved)]):
        expected = norm.logpdf(target[k], inside, squares[0] ** 0.5) - norm.logpdf(target[k], out, squares[1] ** 0.5)
        assert online[k] == pytest.approx(expected)
    offline = lira_scores(shadow, member, target, False, "global")
    assert offline[1] == pytest.approx((target[1] - np.nanmean(means[1])) / squares[1] ** 0.5)
    assert np.isfinite(lira_scores(shadow, member, target, True, "sample")).all()


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 999),
    models=st.integers(6, 20),
    online=st.booleans(),
    variance=st.sampled_from(["sample", "global"]),
)
def test_scores_depend_on_neither_unit_nor_origin(seed, models, online, variance):
    shadow, member, target, _ = drawn(models, 30, 1.0, np.random.default_rng(seed))
    first = lira_scores(shadow, member, target, online, variance)
    second = lira_scores(3 * shadow + 5, member, 3 * target + 5, online, variance)
    np.testing.assert_allclose(first, second, rtol=1e-6, atol=1e-6)
    order = np.random.default_rng(seed).permutation(30)
    moved = lira_scores(shadow[:, order], member[:, order], target[order], online, variance)
    np.testing.assert_allclose(moved, first[order], rtol=1e-6, atol=1e-6)


def test_models_that_all_say_the_same_give_finite_scores():
    member = np.arange(6)[:, None] % 2 == np.array([0, 1])
    for target in (np.zeros(2), np.ones(2)):
        for online in (True, False):
            assert np.isfinite(lira_scores(np.zeros((6, 2)), member, target, online, "sample")).all()


MEMBER = np.array([[1, 0], [0, 1], [1, 0], [0, 1]], bool)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"shadow": np.zeros((4, 3))}, r"shadow \(4, 3\)"),
        ({"target": np.zeros(3)}, r"target \(3,\)"),
        ({"member": MEMBER.astype(int)}, "member of int64"),
        ({"target": np.array([0, np.inf])}, "finite"),
        ({"variance": "own"}, "variance 'own'"),
        ({"member": np.ones((4, 2), bool)}, "two that are out"),
        ({"member": np.zeros((4, 2), bool)}, "two that are in"),
        ({"member": np.array([[1, 0]] * 4, bool)}, "both one that is in and one that is out"),
    ],
)
def test_bad_input_is_refused(changed, named):
    good = {"shadow": np.zeros((4, 2)), "member": MEMBER, "target": np.zeros(2), "online": True, "variance": "global"}
    with pytest.raises(InputError, match=named):
        lira_scores(**good | changed)
    if next(iter(changed)) in ("shadow", "target") or changed.get("member", MEMBER).dtype != bool:
        with pytest.raises(InputError, match=named):
            lira_shift_scores(**{name: (good | changed)[name] for name in ("shadow", "member", "target")})


@pytest.mark.parametrize(
    ("rows", "labels", "named"),
    [
        (np.full((2, 2), 0.5), np.zeros(3, int), r"labels \(3,\)"),
        (np.full((2, 2), 0.5), np.array([0, 2]), "labels from 0 to 2"),
        (np.full((2, 2), -0.5), np.zeros(2, int), "probabilities"),
        (np.full((2, 2), np.nan), np.zeros(2, int), "probabilities"),
    ],
)
def test_confidences_of_what_does_not_fit_are_refused(rows, labels, named):
    with pytest.raises(InputError, match=named):
        logit_confidence(rows, labels)
