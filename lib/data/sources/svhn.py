"""Street View House Numbers in their format of cropped digits, as torchvision gets them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lib.data.formats import labelled_splits
from lib.data.spec import DatasetSpec
from lib.data.torchvision_sets import decoded, download

_FILES = ("train_32x32.mat", "test_32x32.mat")


def read(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """x_train (73257, 32, 32, 3), x_test (26032, 32, 32, 3) uint8, 0 to 255, RGB; y_train, y_test (n,) int64, 0 to 9.

    The order is the files', on which published votes rely. Raises InputError, naming the file, if it is another.
    """
    arrays = decoded("SVHN", dict(zip(_FILES, files, strict=True)))
    images = {name: array.transpose(0, 2, 3, 1) if name[0] == "x" else array for name, array in arrays.items()}
    return labelled_splits(files, images, shape=(32, 32, 3), classes=10)


DATASETS = {
    "svhn": DatasetSpec(
        title="SVHN, digits of house numbers, without the extra images",
        samples="73,257 + 26,032 images of 32 x 32 x 3, 10 classes",
        fingerprint=None,  # no copy was there to take one from
        known_by=(
            "MD5 e26dedcc434d2e4c54c9b2d4a06d8373 (train_32x32.mat), eb5a983be6a315427106f1b164d9cef3 (test_32x32.mat)"
        ),
        licence="for non-commercial use only (Y. Netzer et al., 2011)",
        homepage="http://ufldl.stanford.edu/housenumbers",
        obtain="get it with source 'download' (torchvision.datasets.SVHN), or take both files from its homepage",
        sources=("data_root", "download"),
        read=read,
        layouts=(_FILES, tuple(f"svhn/{file}" for file in _FILES)),
        downloaded=_FILES,
        download=partial(download, kind="SVHN"),
    )
}
