"""Draw the data of a membership attack from a dataset."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split

from lib.attacks.split import QUARTERS, split_attack
from lib.attacks.task import PARTS, Task
from lib.core.errors import InputError
from lib.core.seeding import Draws
from lib.data.grouped import GroupedSplit, scaled, split_groups
from lib.data.samples import Samples


def draw_task(
    path: str | Path,
    data: Samples,
    quarter: int | None,
    test: int | None,
    largest: float,
    draws: Draws,
    repetition: int,
    patients: Mapping | None = None,
) -> tuple[Task, GroupedSplit | None]:
    """One draw of a dataset, `data` as read from `path`, and how groups were divided where samples are somebody's.

    quarter: samples of each of QUARTERS, test: of the test set, in the proportions of the classes; None
    takes all there are. A dataset with an official test set keeps it. Samples of groups are divided by group, as
    `patients` says: `train` and `test`, samples of class 0 and 1, out of `of`, which are scaled to what there is; the
    training set is then quartered by sample, as the paper does. Draws are keyed by the job and the repetition.
    Raises InputError where there are too few samples, or pixels that are not whole numbers from 0 to `largest`.
    """
    own = draws.of(str(repetition))
    if quarter is not None and test is not None and data.groups is None:
        _check_sizes(path, data, quarter, test)
    pools, groups = _pools(path, data, test, own, patients)
    wanted = {"train": None if quarter is None else len(QUARTERS) * quarter, "test": test}
    train, tested = (
        _draw(path, name, pool, data.y, wanted[name], own.integer_seed(f"draw {name}")) for name, pool in pools.items()
    )
    quarters = split_attack(len(train), own.generator("quarters"))
    rows = [train[quarters[name]] for name in QUARTERS] + [tested]
    place = np.concatenate(rows)
    part = np.repeat(np.arange(len(PARTS), dtype=np.int8), [len(each) for each in rows])
    x, y = whole_pixels(path, data.x[place], largest), data.y[place].astype(np.int64)
    return Task(x, y, part, np.full(len(y), repetition), data.fingerprint), groups


def check_classes(path: str | Path, labels: np.ndarray, classes: int, key: str) -> None:
    """Raise InputError, naming file and key, unless the labels (n,) are all of 0 to classes - 1."""
    found = np.unique(labels)
    if not np.array_equal(found, np.arange(classes)):
        raise InputError(
            f"{path}: {len(found)} classes, labels from {found.min()} to {found.max()}, and {key} = {classes}; "
            f"allowed is as many classes as it says, all of 0 to {classes - 1}"
        )


def whole_pixels(path: str | Path, x: np.ndarray, largest: float) -> np.ndarray:
    """Images (n, h, w[, c]) as (n, h, w, c) uint8; InputError unless pixels are whole numbers from 0 to `largest`."""
    pixels = x.astype(np.uint8)
    if (pixels != x).any() or pixels.max() > largest:
        raise InputError(f"{path}: pixels from {x.min():g} to {x.max():g}; allowed are whole numbers, 0 to {largest:g}")
    return pixels[..., None] if x.ndim == 3 else pixels


def _check_sizes(path: str | Path, data: Samples, quarter: int, test: int) -> None:
    """Refuse more samples than there are in the words of the settings, of which nobody sets the training set's size."""
    count, train = len(data.y), len(QUARTERS) * quarter
    if data.official_train is None and train + test > count:
        raise InputError(
            f"{path}: has {count} samples; quarter = {quarter} and test = {test} need {train + test}, "
            f"{len(QUARTERS)} quarters and the test set"
        )
    if data.official_train is not None and train > data.official_train:
        raise InputError(
            f"{path}: has {data.official_train} training samples; quarter = {quarter} needs {train}, "
            f"{len(QUARTERS)} quarters"
        )


def _pools(
    path: str | Path, data: Samples, test: int | None, draws: Draws, patients: Mapping | None
) -> tuple[dict[str, np.ndarray], GroupedSplit | None]:
    """Return the samples that may be trained on, and those of the test set."""
    rows = np.arange(len(data.y))
    if (data.groups is None) != (patients is None):
        raise InputError(f"{path}: samples of groups need the setting patients, and others must not have it")
    if data.groups is not None and patients is not None:
        targets = {name: tuple(patients[name]) for name in ("train", "test")}
        targets = scaled(targets, tuple(patients["of"]), data.y)
        split = split_groups(data.groups, data.y, targets, "validation", draws.seed, *draws.job)
        return {name: split.rows(name, data.groups) for name in targets}, split
    if data.official_train is not None:
        return {"train": rows[: data.official_train], "test": rows[data.official_train :]}, None
    if test is None or not 0 < test < len(rows):
        raise InputError(f"{path}: test {test}; it has no test set of its own, allowed is 1 to {len(rows) - 1}")
    tested = _draw(path, "test", rows, data.y, test, draws.integer_seed("test"))
    return {"train": np.setdiff1d(rows, tested), "test": tested}, None


def _draw(
    path: str | Path, what: str, pool: np.ndarray, labels: np.ndarray, count: int | None, seed: int
) -> np.ndarray:
    """`count` of a pool's rows, stratified and sorted; all of them for None."""
    if count is None or count == len(pool):
        return pool
    if not 0 < count < len(pool):
        raise InputError(f"{path}: {count} {what} samples; allowed is 1 to {len(pool)}")
    try:
        drawn, _ = train_test_split(pool, train_size=count, stratify=labels[pool], random_state=seed)
    except ValueError as error:
        classes, counts = np.unique(labels[pool], return_counts=True)
        raise InputError(
            f"{path}: {count} {what} samples of {len(pool)}, the smallest of whose {len(classes)} classes has "
            f"{counts.min()}; allowed is to draw and to leave at least {len(classes)}, of classes of at least 2"
        ) from error
    return np.sort(drawn)
