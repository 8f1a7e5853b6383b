"""Teachers' labels, votes and accuracies on models whose answers are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.pate.classification import accuracy, count_votes, features, teacher_labels

FIXED = settings(derandomize=True, deadline=None, max_examples=80)


class Nearest:
    """Answers with the label of the nearest sample it was fitted on."""

    def fit(self, x, y):
        assert x.dtype == np.float64 and x.ndim == 2
        self.x, self.y = x, y
        return self

    def predict(self, x):
        assert x.dtype == np.float64 and x.ndim == 2
        return self.y[((x[:, None] - self.x[None]) ** 2).sum(axis=2).argmin(axis=1)]

    def score(self, x, y):
        return (self.predict(x) == y).mean()


# ---------------------------------------------------------------- features and labels


def test_features_are_flat_rows():
    x = np.arange(24, dtype=np.uint8).reshape(4, 2, 3)
    np.testing.assert_array_equal(features(x), np.arange(24.0).reshape(4, 6))
    assert features(x).dtype == np.float64
    np.testing.assert_array_equal(features(np.array([1, 2])), [[1.0], [2.0]])


def test_each_teacher_answers_from_its_own_samples_and_one_of_a_single_class_with_that():
    parts = {
        0: (np.array([[0.0], [10.0]]), np.array([0, 1])),
        1: (np.array([[0.0], [10.0]]), np.array([1, 0])),
        2: (np.array([[5.0]]), np.array([7])),
    }
    made, seen = [], []

    def make(t):
        made.append(t)
        return Nearest()

    labels = teacher_labels(parts.__getitem__, range(3), np.array([[1.0], [9.0]]), make, lambda *n: seen.append(n))
    np.testing.assert_array_equal(labels, [[0, 1, 7], [1, 0, 7]])
    assert labels.dtype == np.int64
    assert made == [0, 1] and seen == [(1, 3), (2, 3), (3, 3)]


def test_a_shard_of_the_teachers_gives_the_same_columns():
    rng = np.random.default_rng(1)
    parts = {t: (rng.normal(size=(5, 2, 2)), rng.integers(0, 3, 5)) for t in range(6)}
    asked = rng.normal(size=(7, 2, 2))
    whole = teacher_labels(parts.__getitem__, range(6), asked, lambda t: Nearest())
    shards = [teacher_labels(parts.__getitem__, r, asked, lambda t: Nearest()) for r in (range(4), range(4, 6))]
    np.testing.assert_array_equal(np.concatenate(shards, axis=1), whole)


# ---------------------------------------------------------------- votes


@given(st.integers(1, 12), st.integers(1, 20), st.integers(2, 6), st.integers(0, 999), st.sampled_from("bBhq"))
@FIXED
def test_votes_equal_a_count_one_by_one(queries, teachers, classes, seed, code):
    labels = np.random.default_rng(seed).integers(0, classes, (queries, teachers)).astype(code)
    votes = count_votes(labels, classes)
    expected = [[sum(int(label) == j for label in row) for j in range(classes)] for row in labels]
    np.testing.assert_array_equal(votes, expected)
    assert votes.dtype == np.int64
    assert (votes.sum(axis=1) == teachers).all()


def test_the_order_of_the_teachers_changes_no_vote():
    labels = np.random.default_rng(3).integers(0, 4, (9, 15))
    np.testing.assert_array_equal(count_votes(labels, 4), count_votes(labels[:, ::-1], 4))


@given(st.integers(0, 999), st.integers(0, 14), st.integers(0, 3))
@FIXED
def test_one_teacher_moves_one_vote_a_query(seed, teacher, answer):
    """What the sensitivity of every mechanism rests on."""
    labels = np.random.default_rng(seed).integers(0, 4, (9, 15))
    other = labels.copy()
    other[:, teacher] = answer
    change = count_votes(other, 4) - count_votes(labels, 4)
    assert (np.abs(change).sum(axis=1) <= 2).all() and (change.sum(axis=1) == 0).all()


def test_no_teachers_and_no_queries_make_no_votes():
    assert count_votes(np.zeros((3, 0), int), 4).tolist() == [[0] * 4] * 3
    assert count_votes(np.zeros((0, 5), int), 4).shape == (0, 4)


@pytest.mark.parametrize(
    "label",
    [
        4,
        250,
        -1,
    ],
)
def test_a_label_that_is_no_class_is_not_counted_for_another(label):
    with pytest.raises((IndexError, ValueError)):
        count_votes(np.array([[0, 1], [label, 1]]), 4)


# ---------------------------------------------------------------- accuracy


def test_accuracy_is_in_percent():
    x, y = np.array([[0.0], [10.0]]), np.array([0, 1])
    test_x = np.array([[1.0], [2.0], [8.0], [9.0]])
    for truth, expected in (([0, 0, 1, 1], 100.0), ([0, 0, 1, 0], 75.0), ([1, 1, 0, 0], 0.0)):
        found = accuracy(Nearest(), x, y, test_x, np.array(truth))
        assert found == expected and type(found) is float


@pytest.mark.parametrize(("labels", "classes"), [([], 0), ([3], 1), ([2, 2, 2], 1)])
def test_too_few_labels_to_fit_are_refused_in_one_line(labels, classes):
    x = np.zeros((len(labels), 2))
    with pytest.raises(InputError) as caught:
        accuracy(Nearest(), x, np.array(labels, int), np.zeros((1, 2)), np.zeros(1))
    assert str(caught.value).startswith(f"{len(labels)} labelled samples of {classes} classes")
    assert "\n" not in str(caught.value)
