"""Models by name."""

import numpy as np
import pytest

from lib.models.classifiers import make_classifier

SETTINGS = [{"kind": "random_forest", "trees": 15}, {"kind": "logistic_regression", "iterations": 200}]


def clouds(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that are easy to tell apart, one feature a thousand times the other."""
    rng = np.random.default_rng(seed)
    y = np.arange(80) % 2
    return (rng.normal(size=(80, 2)) + 4 * y[:, None]) * [1, 1000], y


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings["kind"])
def test_models_learn_and_repeat_with_their_seed(settings):
    x, y = clouds(1)
    test_x, test_y = clouds(2)
    first, again = (make_classifier(settings, 5).fit(x, y) for _ in range(2))
    assert (first.predict(test_x) == test_y).mean() > 0.95
    np.testing.assert_array_equal(first.predict_proba(test_x), again.predict_proba(test_x))


def test_the_seed_of_a_forest_is_used():
    x, y = clouds(1)
    noisy = np.where(np.random.default_rng(0).random(80) < 0.3, 1 - y, y)
    one, other = (make_classifier(SETTINGS[0], seed).fit(x, noisy).predict_proba(x) for seed in (1, 2))
    assert not np.array_equal(one, other)


def test_hyperparameters_are_used():
    assert len(make_classifier({"kind": "random_forest", "trees": 7}, 1).fit(*clouds(1)).estimators_) == 7
    assert make_classifier({"kind": "logistic_regression", "iterations": 3}, 1)[-1].max_iter == 3


def test_global_random_state_is_not_used():
    x, y = clouds(1)
    found = []
    for state in (1, 2):
        np.random.seed(state)
        found.append(make_classifier(SETTINGS[0], 5).fit(x, y).predict_proba(x))
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("kind", ["forest", "", None, "RandomForest"])
def test_an_unknown_kind_is_refused_with_the_known_ones(kind):
    with pytest.raises(ValueError, match=r"unknown classifier .* random_forest, logistic_regression"):
        make_classifier({"kind": kind, "trees": 10, "iterations": 10}, 1)
