"""MNIST, from an `.npz` of its four arrays or from the four idx files."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lib.data.formats import labelled_splits, read_npz
from lib.data.spec import DatasetSpec
from lib.data.torchvision_sets import decoded, download

_ARRAYS = ("x_train", "y_train", "x_test", "y_test")
_MOST = 60_000 * 28 * 28 + 16  # bytes of an array, and of an idx file with its header
_IDX_FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
_RAW = tuple(f"MNIST/raw/{file}" for file in _IDX_FILES)  # where torchvision puts them


def read(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """x_train (60000, 28, 28), x_test (10000, 28, 28) uint8, 0 to 255; y_train, y_test (n,) int64, 0 to 9.

    `files` is one `.npz`, or the idx files, compressed or not, in the order of `_IDX_FILES`.
    Raises InputError, naming the file, if it holds something else.
    """
    if len(files) == 1:
        arrays = read_npz(files[0], _ARRAYS, _MOST)
    else:
        named = {f"{name}{path.suffix}": path for name, path in zip(_RAW, files, strict=True)}
        arrays = decoded("MNIST", named, _MOST)
    return labelled_splits(files, arrays, shape=(28, 28), classes=10)


DATASETS = {
    "mnist": DatasetSpec(
        title="MNIST handwritten digits",
        samples="60,000 + 10,000 images of 28 x 28, 10 classes",
        classes=10,
        fingerprint="1617c37fd386b7a0b28c003d943cc87d56820db3cbb59431237e3668cf8311b1",
        licence="CC BY-SA 3.0, as it is usually distributed (Y. LeCun, C. Cortes, C. Burges)",
        homepage="http://yann.lecun.com/exdb/mnist/",
        obtain=(
            "get it with source 'download' (torchvision.datasets.MNIST), or take Keras's mnist.npz "
            f"(arrays {', '.join(_ARRAYS)})"
        ),
        sources=("data_root", "download"),
        read=read,
        layouts=(
            ("mnist.npz",),
            *(
                tuple(f"{folder}{file}{suffix}" for file in _IDX_FILES)
                for folder in ("MNIST/raw/", "")
                for suffix in ("", ".gz")
            ),
        ),
        downloaded=_RAW,
        download=partial(download, kind="MNIST"),
    )
}
