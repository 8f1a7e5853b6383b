"""A dataset of images divided into a training set, all of it private, and a test set."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from lib.core.errors import InputError
from lib.core.seeding import integer_seed
from lib.data.samples import read_samples


@dataclass(frozen=True)
class Images:
    """Images x (n, h, w), in colour (n, h, w, 3), float32 in [0, 1], not centred; their labels (n,).

    The same of the test set; and the dataset's fingerprint.
    """

    x: np.ndarray
    labels: np.ndarray
    test_x: np.ndarray
    test_labels: np.ndarray
    fingerprint: str


def divided(path: str | Path, train: int, test: int, largest: float, seed: int, *job: str) -> Images:
    """Draw `train` and `test` samples of a prepared dataset, of its classes in the proportions that it has them.

    Which samples are drawn depends on all labels, so what is promised is of a record of the training set once drawn.
    Of a dataset with an official test set, the test samples are drawn from that and the others from its training set.
    largest: the grey value that becomes 1. The draw is keyed by (seed, job). Raises InputError where there are too few,
    or where samples are a patient's, whom this would put on both sides (lib/data/grouped.py divides those).
    """
    data = read_samples(path)
    if data.groups is not None:
        raise InputError(f"{path}: its samples belong to groups; divide it by group")
    rows, official = np.arange(len(data.y)), data.official_train
    if official is None:
        pools = (rows, rows)
    else:
        pools = (rows[:official], rows[official:])
    for what, count, pool in (("training", train, pools[0]), ("test", test, pools[1])):
        if not 0 < count <= len(pool):
            raise InputError(f"{path}: {count} {what} samples; allowed is 1 to {len(pool)}")
    if official is None and train + test > len(rows):
        raise InputError(f"{path}: {train} training and {test} test samples; it has {len(rows)}")
    draw = partial(train_test_split, random_state=integer_seed(seed, *job))
    try:
        if official is None:
            drawn = draw(rows, train_size=train, test_size=test, stratify=data.y)
        else:
            drawn = [
                pool if count == len(pool) else draw(pool, train_size=count, stratify=data.y[pool])[0]
                for pool, count in zip(pools, (train, test), strict=True)
            ]
    except ValueError as error:  # too few for all classes to be on both sides
        raise InputError(f"{path}: {train} training and {test} test samples: {error}") from error
    x, test_x = ((data.x[part] / np.float32(largest)).astype(np.float32) for part in drawn)
    if max(x.max(), test_x.max()) > 1 or min(x.min(), test_x.min()) < 0:
        raise InputError(f"{path}: pixels from {data.x.min()} to {data.x.max()}; allowed is 0 to {largest:g}")
    return Images(x, data.y[drawn[0]], test_x, data.y[drawn[1]], data.fingerprint)
