"""The samples of a prepared dataset as one list, whether or not it comes with a test set of its own."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.core.files import load_arrays


@dataclass(frozen=True)
class Samples:
    """x (n, ...), y (n,), the dataset's fingerprint, `official_train` and `groups`.

    `official_train` is the number of samples of the official training set, which come first and in their order, the
    official test set after them; None where the dataset has no official split.
    `groups` (n,) text is whose sample each is (a patient's), None where samples are nobody's.
    """

    x: np.ndarray
    y: np.ndarray
    fingerprint: str
    official_train: int | None
    groups: np.ndarray | None = None


def read_samples(path: str | Path) -> Samples:
    """Read a prepared dataset with arrays x, y (and group), or x_train, y_train, x_test, y_test.

    InputError names the file.
    """
    return samples_of(path, load_arrays(path))


def samples_of(path: str | Path, arrays: dict[str, np.ndarray]) -> Samples:
    """Return the samples in the arrays of the file `path`, which is read already."""
    if {"x", "y", "fingerprint"} <= set(arrays):
        return Samples(arrays["x"], arrays["y"], str(arrays["fingerprint"]), None, arrays.get("group"))
    if not {"x_train", "y_train", "x_test", "y_test", "fingerprint"} <= set(arrays):
        raise InputError(
            f"{path}: holds {sorted(arrays)}, expected fingerprint and x, y or x_train, y_train, x_test, y_test"
        )
    x, y = (np.concatenate([arrays[f"{name}_train"], arrays[f"{name}_test"]]) for name in "xy")
    return Samples(x, y, str(arrays["fingerprint"]), len(arrays["y_train"]))
