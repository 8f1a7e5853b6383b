"""Teachers, students and baselines that are ordinary classifiers of flat features."""

from collections.abc import Callable

import numpy as np
from sklearn.base import ClassifierMixin

from lib.errors import InputError


def features(x: np.ndarray) -> np.ndarray:
    """Samples (n, ...) as float64 rows (n, d)."""
    return np.asarray(x, float).reshape(len(x), -1)


def teacher_labels(
    x: np.ndarray,
    y: np.ndarray,
    teacher: np.ndarray,
    queries: np.ndarray,
    make: Callable[[int], ClassifierMixin],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> np.ndarray:
    """Labels (q, T) that T teachers give to the queries.

    x (n, ...), y (n,): private samples and labels; teacher (n,): the owner of each, 0..T-1; queries (q, ...). Teacher
    t is `make(t)` fitted on its own part only. Called `progress(done, total)` after each.
    """
    count = int(teacher.max()) + 1
    inputs, asked = features(x), features(queries)
    labels = np.empty((len(asked), count), np.int64)
    for t in range(count):
        own = teacher == t
        labels[:, t] = make(t).fit(inputs[own], y[own]).predict(asked)
        progress(t + 1, count)
    return labels


def accuracy(model: ClassifierMixin, x: np.ndarray, y: np.ndarray, test_x: np.ndarray, test_y: np.ndarray) -> float:
    """Accuracy in percent on the test samples of `model` fitted on (x, y); InputError if nothing is there to fit."""
    if len(np.unique(y)) < 2:
        raise InputError(f"{len(y)} labelled samples of {len(np.unique(y))} classes: a classifier needs at least two")
    return 100 * float(model.fit(features(x), y).score(features(test_x), test_y))


def count_votes(labels: np.ndarray, classes: int) -> np.ndarray:
    """Histogram (q, classes) of teacher labels (q, T)."""
    votes = np.zeros((len(labels), classes), np.int64)
    for label in labels.T:
        votes[np.arange(len(labels)), label] += 1
    return votes
