"""The first samples of textured shapes, which replace CIFAR-10 and CIFAR-100 where these are not at hand."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lib.data.spec import DatasetSpec
from lib.data.textured_shapes import SPLITS, TexturedShapes

_SEED = 2018
_SAMPLES = {"train": 8000, "test": 2000}


def read(files: Sequence[Path], classes: int) -> dict[str, np.ndarray]:
    """x_train (8000, 32, 32, 3), x_test (2000, 32, 32, 3) uint8, 0 to 255, RGB; y_train, y_test (n,) int64.

    There are no files.
    """
    shapes = TexturedShapes(classes, _SEED)
    arrays = {}
    for split in SPLITS:
        arrays[f"x_{split}"], arrays[f"y_{split}"] = shapes.samples(split, 0, _SAMPLES[split])
    return arrays


_FINGERPRINTS = {
    10: "82df38bb4d319d4af6dcba9e42ef947c1c92f35633e3b4f2568fc56246d0e142",
    100: "63c45236ac8f6ef58c0a9a1ccea86db78dc37488bdb72711fb2631df5dc32a82",
}

DATASETS = {
    f"textured_shapes_{classes}": DatasetSpec(
        title=f"Textured shapes, {classes} classes: generated images of a shape with a texture",
        samples=f"8,000 + 2,000 images of 32 x 32 x 3, {classes} classes",
        fingerprint=fingerprint,
        licence="that of this project; nothing else went into it",
        homepage="docs/textured_shapes.md",
        obtain="nothing to obtain: it is generated where it is needed",
        sources=("embedded",),
        read=partial(read, classes=classes),
    )
    for classes, fingerprint in _FINGERPRINTS.items()
}
