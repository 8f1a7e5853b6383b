"""The first patients of the tissue-like patches, which replace breast histology where that is not at hand."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lib.data.spec import DatasetSpec
from lib.data.tissue import TissuePatches

_SEED = 2018
_PATIENTS, _PATCHES = 80, 150


def read(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """X (n, 50, 50, 3) uint8, 0 to 255, RGB; y (n,) int64, 0 or 1; group (n,), the patients. There are no files."""
    tissue = TissuePatches(_PATCHES, _SEED)
    x, y = zip(*(tissue.samples(patient) for patient in range(_PATIENTS)), strict=True)
    groups = [f"{patient:02d}" for patient, labels in enumerate(y) for _ in labels]
    return {"x": np.concatenate(x), "y": np.concatenate(y), "group": np.array(groups)}


DATASETS = {
    "tissue_patches": DatasetSpec(
        title="Tissue-like patches of 80 synthetic patients: generated, nobody's tissue",
        samples="11,682 patches of 50 x 50 x 3, 2 classes, 28 % of class 1",
        fingerprint="648689830ee194a43b1f54e4af465bb09c5bdc78581b225244c9d624f38f4ea2",
        licence="that of this project; nothing else went into it",
        homepage="docs/textured_shapes.md",
        obtain="nothing to obtain: it is generated where it is needed",
        sources=("embedded",),
        read=read,
    )
}
