"""Teachers of one world, each on its own slots, and their votes about the public pool."""

from collections.abc import Mapping

import numpy as np
from sklearn.base import ClassifierMixin

from lib.core.errors import InputError
from lib.models.classifiers import make_classifier
from lib.pate.classification import count_votes, teacher_labels
from lib.pate.networks import teacher_network, teacher_recipe
from lib.pate.replicas import replica_labels
from lib.training.context import Context


def owners(records: int, teachers: int) -> np.ndarray:
    """Return the teacher of each slot, (n,), in turn, so that slots side by side are spread over teachers.

    It depends on nothing but the two numbers: one record that is replaced changes one teacher's part, and no other.
    """
    if not 1 <= teachers <= records:
        raise InputError(f"teachers {teachers}: allowed are 1 to {records}, one record each at least")
    return np.arange(records) % teachers


def teacher_votes(
    x: np.ndarray,
    y: np.ndarray,
    teachers: int,
    model: Mapping,
    asked: np.ndarray,
    classes: int,
    context: Context,
) -> np.ndarray:
    """Histogram (p, classes) int64 of the teachers' votes about the public records asked (p, ...).

    x (n, ...), y (n,): a world's records in the order of slots. model: a classifier of `make_classifier`, or a network
    of `teacher_network` with its `recipe` and how many are trained `together` (records uint8). Draws are keyed by
    the job and the teacher. Raises InputError for too many teachers, and as the training does.
    """
    own = owners(len(y), teachers)

    def part(teacher: int) -> tuple[np.ndarray, np.ndarray]:
        return x[own == teacher], y[own == teacher]

    def make(teacher: int) -> ClassifierMixin:
        return make_classifier(dict(model), context.integer_seed(f"teacher {teacher}"))

    if "recipe" not in model:
        labels = teacher_labels(part, range(teachers), asked, make)
    else:
        labels = replica_labels(
            teacher_network(dict(model), x.shape[1:], classes),
            part,
            range(teachers),
            asked,
            teacher_recipe(dict(model)),
            context,
            model.get("together", 10),
        )
    return count_votes(labels, classes)
