"""RMIA: its score by hand and by its definition over all pairs, and what it finds."""

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import binom

from lib.attacks.rmia import rmia_scores
from lib.attacks.roc import auc_interval
from lib.core.errors import InputError
from tests.attacks.test_lira import drawn

SHADOW = logit(np.array([[0.5, 0.2], [0.25, 0.4]]))
MEMBER = np.array([[True, False], [False, True]])
TARGET = logit(np.array([0.75, 0.15]))


def test_the_score_by_hand():
    """Means 0.375 and 0.3, ratios 2 and 0.5: the first is 4 times the second."""
    np.testing.assert_array_equal(rmia_scores(SHADOW, MEMBER, TARGET), [1.0, 0.5])
    np.testing.assert_array_equal(rmia_scores(SHADOW, MEMBER, TARGET, gamma=2.0), [0.5, 0.0])
    np.testing.assert_array_equal(rmia_scores(SHADOW, MEMBER, TARGET, gamma=5.0), [0.0, 0.0])


@pytest.mark.parametrize("gamma", [1.0, 1.5])
def test_the_score_is_the_share_of_pairs(gamma):
    """Three models had the first record and one had not: each kind has the weight one half all the same."""
    rng = np.random.default_rng(1)
    shadow, member, target = rng.normal(0, 2, (4, 9)), rng.random((4, 9)) < 0.5, rng.normal(0, 2, 9)
    member[:, 0], member[:, 1] = [True, True, True, False], True
    found = 1 / (1 + np.exp(-shadow))
    means = []
    for record in range(9):
        kinds = [found[kind[:, record], record] for kind in (member, ~member)]
        means.append(np.mean([kind.mean() for kind in kinds if len(kind)]))
    ratio = 1 / (1 + np.exp(-target)) / np.array(means)
    pairs = ratio[:, None] / ratio[None, :] >= gamma * (1 - 1e-12)
    np.testing.assert_allclose(rmia_scores(shadow, member, target, gamma), pairs.mean(1))


def test_it_finds_members_and_nothing_where_nothing_is():
    shadow, member, target, inside = drawn(8, 2000, 1.5, np.random.default_rng(2))
    assert auc_interval(rmia_scores(shadow, member, target), inside).auc > 0.75
    covered = 0
    for seed in range(100):
        shadow, member, target, inside = drawn(8, 300, 0.0, np.random.default_rng(seed))
        found = auc_interval(rmia_scores(shadow, member, target), inside)
        covered += found.low <= 0.5 <= found.high
    assert binom.ppf(1e-3, 100, 0.95) <= covered


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="target"):
        rmia_scores(SHADOW, MEMBER, TARGET[:1])
