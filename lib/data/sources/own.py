"""A person's own labelled images, as one `.npz`: for attacks and methods on data that the project does not know."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.data.formats import check_array, labelled_images, read_npz
from lib.data.spec import DatasetSpec

_MOST = 2**33  # bytes of an array


def read(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """X (n, h, w) or (n, h, w, c) uint8, 0 to 255, of 1 or 3 channels; y (n,) int64, 0 to classes - 1, all of them.

    Raises InputError, naming the file, if it holds something else.
    """
    (file,) = files
    arrays = read_npz(file, ("x", "y"), _MOST)
    x, y = arrays["x"], arrays["y"]
    if x.ndim not in (3, 4) or (x.ndim == 4 and x.shape[3] not in (1, 3)) or 0 in x.shape:
        raise InputError(
            f"{file}: x of shape {x.shape}, expected (images, height, width) or (.., 1 or 3 channels), none of them 0"
        )
    check_array(f"{file}: y", y, kinds="ui", shape=(None,))
    if not len(y) or len(np.unique(y)) != int(y.max()) + 1:
        raise InputError(f"{file}: labels {np.unique(y)[:10].tolist()}, expected all of 0 to classes - 1")
    x, y = labelled_images(file, x, y, shape=x.shape[1:], classes=int(y.max()) + 1)
    return {"x": x, "y": y}


DATASETS = {
    "own_images": DatasetSpec(
        title="Your own images",
        samples="as many as there are",
        fingerprint=None,
        known_by="its own samples, whatever they are",
        licence="yours",
        homepage="docs/own_images.md",
        obtain="write it with numpy.savez: x, images as uint8, and y, labels from 0",
        sources=("data_root",),
        read=read,
        layouts=(("own_images.npz",),),
        private=True,
    )
}
