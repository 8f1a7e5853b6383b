"""The test part of notMNIST, letters A to J from many fonts, in the layout of MNIST."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lib.data.formats import labelled_images, read_idx, read_npz
from lib.data.spec import DatasetSpec

_ARRAYS = ("x", "y")
_MOST = 10_000 * 28 * 28  # bytes of an array


def read(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """x (10000, 28, 28) uint8, 0 to 255, ink bright; y (10000,) int64, 0 to 9 for A to J.

    `files` is one `.npz`, or the idx files of images and labels.
    Raises InputError, naming the file, if it holds something else.
    """
    if len(files) == 1:
        arrays = read_npz(files[0], _ARRAYS, _MOST)
    else:
        arrays = {name: read_idx(path, _MOST) for name, path in zip(_ARRAYS, files, strict=True)}
    x, y = labelled_images(", ".join(map(str, files)), arrays["x"], arrays["y"], shape=(28, 28), classes=10)
    return {"x": x, "y": y}


DATASETS = {
    "notmnist": DatasetSpec(
        title="notMNIST, test part",
        samples="10,000 images of 28 x 28, 10 classes",
        classes=10,
        fingerprint="d5841750c8f5df1c2aa77802fdff3413360e902ddd669edfae43f2de84a66c7c",
        licence="none stated (Y. Bulatov, 2011; glyphs of publicly available fonts)",
        homepage="http://yaroslavvb.blogspot.com/2011/09/notmnist-dataset.html",
        obtain="take the t10k images and labels of davidflanagan/notMNIST-to-MNIST on GitHub",
        sources=("data_root",),
        read=read,
        layouts=(
            ("notmnist_10k.npz",),
            ("notmnist_10k/t10k-images-idx3-ubyte.gz", "notmnist_10k/t10k-labels-idx1-ubyte.gz"),
        ),
        unordered=(("x", "y"),),
    )
}
