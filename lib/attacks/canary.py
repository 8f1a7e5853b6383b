"""Two data sets that differ by one record, a canary made to be noticed."""

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
    if x.dtype != np.uint8:
        raise InputError(f"images of {x.dtype}: allowed are pixels of uint8")
    rows = np.sort(generator(seed, *job, "samples").choice(len(y), count, replace=False))
    x, y = x[rows], y[rows].astype(np.int64)
    if y.min() < 0 or y.max() >= classes:
        raise InputError(f"labels from {y.min()} to {y.max()}: allowed are 0 to {classes - 1}")
    pixels = generator(seed, *job, "canary").integers(0, 256, x.shape[1:], dtype=np.uint8)
    label = int(np.bincount(y, minlength=classes).argmin())
    return Neighbours(np.concatenate([x, pixels[None]]), np.append(y, label))
