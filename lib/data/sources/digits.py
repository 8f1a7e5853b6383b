"""The handwritten digits that ship inside scikit-learn."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lib.data.spec import DatasetSpec


def read(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """X (1797, 8, 8) uint8, 0 to 16; y (1797,) int64, 0 to 9. There are no files."""
    # Here, so that listing the datasets does not import scikit-learn.
    from sklearn.datasets import load_digits

    digits = load_digits()
    return {"x": digits.images.astype(np.uint8), "y": digits.target.astype(np.int64)}


DATASETS = {
    "digits": DatasetSpec(
        title="Optical recognition of handwritten digits (the UCI test set)",
        samples="1,797 images of 8 x 8, 10 classes",
        classes=10,
        fingerprint="f4f3dda052a7b50103aa2c677c5bcc2e3bc1871258ae3915f05a9f32f8e983c3",
        licence="CC BY 4.0",
        homepage="https://archive.ics.uci.edu/dataset/80/optical+recognition+of+handwritten+digits",
        obtain="it comes with scikit-learn (sklearn.datasets.load_digits)",
        sources=("embedded",),
        read=read,
    )
}
