"""Noise of the shape of the images, records and votes that papers used: what shows what a job costs, and nothing else.

Only the preset smoke is made of it. Patches of patients and volumes are made as files instead, by bench/made_files.py.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lib.data.spec import DatasetSpec

_SEED = 2018
_TEACHERS = 250


def images(files: Sequence[Path], shape: tuple[int, ...], train: int, test: int, classes: int) -> dict[str, np.ndarray]:
    """x_train (train, *shape), x_test (test, *shape) uint8, and y_train, y_test int64; x and y where test is 0."""
    rng, arrays = np.random.default_rng(_SEED), {}
    for ending, count in (("_train", train), ("_test", test)) if test else (("", train),):
        arrays[f"x{ending}"] = rng.integers(0, 256, (count, *shape), np.uint8)
        arrays[f"y{ending}"] = rng.permutation(np.arange(count) % classes)
    return arrays


def records(files: Sequence[Path], train: int, test: int, columns: int) -> dict[str, np.ndarray]:
    """x_train (train, columns), x_test (test, columns) int32, 0 or 1; y_train, y_test int64, the first column.

    Labels of both classes are as frequent as each other: of a rare one, a few small trees would never vote for it.
    """
    rng, arrays = np.random.default_rng(_SEED), {}
    for split, count in (("train", train), ("test", test)):
        arrays[f"x_{split}"] = x = rng.integers(0, 2, (count, columns), np.int32)
        arrays[f"y_{split}"] = x[:, 0].astype(np.int64)
    return arrays


def votes(files: Sequence[Path], queries: int, classes: int, published: int, labelled: bool) -> dict[str, np.ndarray]:
    """votes (queries, classes) int16, most of them for one class; what the published files have beside them."""
    rng = np.random.default_rng(_SEED)
    labels = rng.integers(0, classes, queries)
    agreeing = rng.integers(_TEACHERS // 2, _TEACHERS + 1, queries)
    counts = rng.multinomial(_TEACHERS - agreeing, np.full(classes, 1 / classes))
    counts[np.arange(queries), labels] += agreeing
    arrays: dict[str, np.ndarray] = {"votes": counts.astype(np.int16)}
    if published:
        arrays |= {"published_indices": rng.permutation(queries)[:published], "published_labels": labels}
    return arrays | ({"labels": labels} if labelled else {})


def _spec(what: str, samples: str, read: Callable, classes: int | None = None) -> DatasetSpec:
    return DatasetSpec(
        title=f"Noise of the shape of {what}",
        samples=samples,
        classes=classes,
        fingerprint=None,
        known_by="made from one seed",
        licence="that of this project; nothing else went into it",
        homepage="docs/running.md",
        obtain="nothing to obtain: it is generated where it is needed",
        sources=("embedded",),
        read=read,
    )


def _images(what: str, shape: tuple[int, ...], train: int, test: int, classes: int) -> DatasetSpec:
    sides = " x ".join(map(str, shape))
    read = partial(images, shape=shape, train=train, test=test, classes=classes)
    counted = f"{train:,} + {test:,}" if test else f"{train:,}"
    return _spec(what, f"{counted} images of {sides}, {classes} classes", read, classes)


def _votes(what: str, queries: int, classes: int, published: int = 0, labelled: bool = False) -> DatasetSpec:
    read = partial(votes, queries=queries, classes=classes, published=published, labelled=labelled)
    return _spec(f"the votes of {_TEACHERS} teachers on {what}", f"{queries:,} queries x {classes} classes", read)


DATASETS = {
    "mnist": _images("MNIST", (28, 28), 60_000, 10_000, 10),
    "usps": _images("USPS", (16, 16), 11_000, 0, 10),
    "notmnist": _images("notMNIST", (28, 28), 10_000, 0, 10),
    "cifar10": _images("CIFAR-10", (32, 32, 3), 50_000, 10_000, 10),
    "cifar100": _images("CIFAR-100", (32, 32, 3), 50_000, 10_000, 100),
    "svhn": _images("SVHN", (32, 32, 3), 73_257, 26_032, 10),
    "adult": _spec(
        "Adult", "32,561 + 16,281 records, 2 classes", partial(records, train=32_561, test=16_281, columns=105)
    ),
    "pate_votes_mnist": _votes("MNIST", 9_000, 10, published=100),
    "pate_votes_svhn": _votes("SVHN", 26_032, 10, labelled=True),
    "pate_votes_adult": _votes("Adult", 16_281, 2),
}
