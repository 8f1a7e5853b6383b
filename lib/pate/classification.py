"""Teachers, students and baselines that are ordinary classifiers of flat features."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from lib.core.errors import InputError

if TYPE_CHECKING:
    from sklearn.base import ClassifierMixin  # counting votes should not wait for it

Part = Callable[[int], tuple[np.ndarray, np.ndarray]]


def features(x: np.ndarray) -> np.ndarray:
    """Return samples (n, ...) as float64 rows (n, d)."""
    return np.asarray(x, float).reshape(len(x), -1)


def teacher_labels(
    part: Part,
    teachers: range,
    queries: np.ndarray,
    make: Callable[[int], ClassifierMixin],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> np.ndarray:
    """Labels (q, T) that T teachers give to the queries (q, ...).

    part(t): samples (n, ...) and labels (n,) of teacher t, on which alone `make(t)` is fitted; where they are of one
    class, that is its answer. Calls progress(done, total) after each.
    """
    from sklearn.dummy import DummyClassifier  # see above

    asked = features(queries)
    labels = np.empty((len(asked), len(teachers)), np.int64)
    for column, t in enumerate(teachers):
        x, y = part(t)
        # not every classifier can be fitted to a single class, and a run may not stop because of a private record
        model = make(t) if len(np.unique(y)) > 1 else DummyClassifier(strategy="most_frequent")
        labels[:, column] = model.fit(features(x), y).predict(asked)
        progress(column + 1, len(teachers))
    return labels


def accuracy(model: ClassifierMixin, x: np.ndarray, y: np.ndarray, test_x: np.ndarray, test_y: np.ndarray) -> float:
    """Accuracy in percent on the test samples of `model` fitted on (x, y); InputError if nothing is there to fit."""
    if len(np.unique(y)) < 2:
        raise InputError(f"{len(y)} labelled samples of {len(np.unique(y))} classes: a classifier needs at least two")
    return 100 * float(model.fit(features(x), y).score(features(test_x), test_y))


def probabilities(model: ClassifierMixin, x: np.ndarray, classes: int) -> np.ndarray:
    """Class probabilities (n, classes) float32 of a fitted model; classes that it never saw have probability 0."""
    known = model.predict_proba(features(x))
    spread = np.zeros((len(x), classes), np.float32)
    spread[:, model.classes_] = known
    return spread


def count_votes(labels: np.ndarray, classes: int) -> np.ndarray:
    """Histogram (q, classes) of teacher labels (q, T); InputError for a label that is no class."""
    if labels.size and not (labels.min() >= 0 and labels.max() < classes):
        raise InputError(f"labels from {labels.min()} to {labels.max()}; allowed are 0 to {classes - 1}")
    votes = np.zeros((len(labels), classes), np.int64)
    for label in labels.T:
        votes[np.arange(len(labels)), label] += 1
    return votes
