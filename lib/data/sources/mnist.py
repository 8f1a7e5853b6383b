"""MNIST, from an `.npz` of its four arrays or from the four idx files."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.data.formats import check_array, check_range, read_idx, read_npz
from lib.data.spec import DatasetSpec, Download

_ARRAYS = ("x_train", "y_train", "x_test", "y_test")
_IDX_FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
_MIRRORS = ("https://ossci-datasets.s3.amazonaws.com/mnist/", "https://storage.googleapis.com/cvdf-datasets/mnist/")


def read(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """x_train (60000, 28, 28), x_test (10000, 28, 28) uint8, 0 to 255; y_train, y_test (n,) int64, 0 to 9.

    `files` is one `.npz`, or the idx files in the order of the arrays: x_train, y_train, x_test, y_test.
    Raises InputError, naming the file, if it holds something else.
    """
    if len(files) == 1:
        arrays = read_npz(files[0], _ARRAYS)
        paths = dict.fromkeys(_ARRAYS, files[0])
    else:
        paths = dict(zip(_ARRAYS, files, strict=True))
        arrays = {name: read_idx(path) for name, path in paths.items()}
    for split in ("train", "test"):
        x, y = f"x_{split}", f"y_{split}"
        check_array(paths[x], arrays[x], kinds="u", shape=(None, 28, 28))
        check_array(paths[y], arrays[y], kinds="ui", shape=(None,))
        check_range(paths[x], arrays[x], 0, 255)
        check_range(paths[y], arrays[y], 0, 9)
        if len(arrays[x]) != len(arrays[y]):
            raise InputError(f"{paths[y]}: {len(arrays[y])} labels for {len(arrays[x])} images")
        arrays[x], arrays[y] = arrays[x].astype(np.uint8), arrays[y].astype(np.int64)
    return arrays


def _download(file: str, size: int, sha256: str, md5: str) -> Download:
    """One of the four files, to where torchvision would put it."""
    urls = tuple(f"{mirror}{file}.gz" for mirror in _MIRRORS)
    return Download(urls=urls, target=f"MNIST/raw/{file}.gz", size=size, sha256=sha256, md5=md5)


DATASETS = {
    "mnist": DatasetSpec(
        title="MNIST handwritten digits",
        samples="60,000 + 10,000 images of 28 x 28, 10 classes",
        fingerprint="1617c37fd386b7a0b28c003d943cc87d56820db3cbb59431237e3668cf8311b1",
        licence="CC BY-SA 3.0, as it is usually distributed (Y. LeCun, C. Cortes, C. Burges)",
        homepage="http://yann.lecun.com/exdb/mnist/",
        obtain=(
            "get it with source 'download', or let torchvision.datasets.MNIST fetch it, or take Keras's mnist.npz "
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
        downloads=(
            _download(
                "train-images-idx3-ubyte",
                9912422,
                sha256="440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
                md5="f68b3c2dcbeaaa9fbdd348bbdeb94873",
            ),
            _download(
                "train-labels-idx1-ubyte",
                28881,
                sha256="3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
                md5="d53e105ee54ea40749a09fcbcd1e9432",
            ),
            _download(
                "t10k-images-idx3-ubyte",
                1648877,
                sha256="8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
                md5="9fb629c4189551a2d022fa330f9573f3",
            ),
            _download(
                "t10k-labels-idx1-ubyte",
                4542,
                sha256="f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
                md5="ec29112dd5afa0611ce80d1b7f02629c",
            ),
        ),
    )
}
