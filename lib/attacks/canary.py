"""Data sets that differ by one record, a canary made to be noticed, or by one of many such records."""

from dataclasses import dataclass

import numpy as np

from lib.core.errors import InputError
from lib.core.seeding import generator

KINDS = {"with": True, "without": False}  # of runs: is the canary among the images?


@dataclass(frozen=True)
class Neighbours:
    """Images x (n + 1, height, width[, channels]) uint8 and labels y (n + 1,), the canary's last; n without it."""

    x: np.ndarray
    y: np.ndarray

    def rows(self, with_canary: bool) -> np.ndarray:
        """Rows of the larger or of the smaller data set."""
        return np.arange(len(self.y) - (not with_canary))


def neighbours(x: np.ndarray, y: np.ndarray, count: int, classes: int, seed: int, job: tuple[str, ...]) -> Neighbours:
    """Draw `count` of the images x (N, height, width[, channels]) uint8 with labels y (N,), and a canary.

    The canary has independent uniform pixels, and the label of the class that the drawn images have least of. A private
    mechanism is so for all neighbours, so any canary is allowed; one that no image explains shows most. Draws are keyed
    by (seed, job). Raises InputError for images that are not uint8, for labels beyond `classes`, and for more images
    than there are.
    """
    if not 1 <= count <= len(y):
        raise InputError(f"samples {count}: allowed is 1 to {len(y)}, the training images")
    checked(x, y, classes)
    rows = np.sort(generator(seed, *job, "samples").choice(len(y), count, replace=False))
    x, y = x[rows], y[rows].astype(np.int64)
    pixels = generator(seed, *job, "canary").integers(0, 256, x.shape[1:], dtype=np.uint8)
    label = int(np.bincount(y, minlength=classes).argmin())
    return Neighbours(np.concatenate([x, pixels[None]]), np.append(y, label))


@dataclass(frozen=True)
class Slots:
    """Records of which a training set holds some: of two candidates for each of its first slots one, and all others.

    x (2m + n - m, height, width[, channels]) uint8 and labels y: the candidates 2i and 2i + 1 of each of m slots, both
    with a wrong label, then the records that every set of n holds.
    """

    x: np.ndarray
    y: np.ndarray
    canaries: int

    def rows(self, second: np.ndarray) -> np.ndarray:
        """Rows (n,) of the set in which slots take their second candidate where second (m,) bool says so."""
        return np.concatenate([2 * np.arange(self.canaries) + second, np.arange(2 * self.canaries, len(self.y))])


def draw_slots(
    x: np.ndarray, y: np.ndarray, count: int, canaries: int, classes: int, seed: int, job: tuple[str, ...]
) -> Slots:
    """Draw the records of sets of `count`, in each of which `canaries` slots take one of two candidates.

    All are different ones of the images x (N, height, width[, channels]) uint8 with labels y (N,). A candidate's label
    is uniform over the other classes: a network learns it by heart or not at all. Draws are keyed by (seed, job).
    Raises InputError for what does not fit, and for too few images.
    """
    if not 1 <= canaries <= count:
        raise InputError(f"canaries {canaries}: allowed is 1 to {count}, the images of a training set")
    if count + canaries > len(y):
        raise InputError(f"samples {count} and canaries {canaries}: allowed are {len(y)} in all, the training images")
    checked(x, y, classes)
    order = generator(seed, *job, "samples").permutation(len(y))[: count + canaries]
    labels = y[order].astype(np.int64)
    wrong = generator(seed, *job, "wrong labels").integers(1, classes, 2 * canaries)
    labels[: 2 * canaries] = (labels[: 2 * canaries] + wrong) % classes
    return Slots(x[order], labels, canaries)


def checked(x: np.ndarray, y: np.ndarray, classes: int) -> None:
    """Raise InputError for images that are not uint8, and for labels beyond `classes`."""
    if x.dtype != np.uint8:
        raise InputError(f"images of {x.dtype}: allowed are pixels of uint8")
    if y.min() < 0 or y.max() >= classes:
        raise InputError(f"labels from {y.min()} to {y.max()}: allowed are 0 to {classes - 1}")
