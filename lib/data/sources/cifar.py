"""CIFAR-10 and CIFAR-100, from torchvision's folders, from the archives they come in, or as an `.npz`; a subset too.

Pixels and labels make the data: the order of the images, which differs between copies, does not. Folders and archives
hold pickles, which may run anything that they name: torchvision reads those only that have the published MD5 digests.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.data.formats import labelled_splits, read_npz
from lib.data.spec import DatasetSpec
from lib.data.torchvision_sets import decoded, download

_ARRAYS = ("x_train", "y_train", "x_test", "y_test")
_MOST = 50_000 * 32 * 32 * 3  # bytes of an array
_FOLDERS = {10: "cifar-10-batches-py", 100: "cifar-100-python"}
_BATCHES = {
    10: (*(f"data_batch_{number}" for number in range(1, 6)), "test_batch", "batches.meta"),
    100: ("train", "test", "meta"),
}
_ARCHIVES = {10: "cifar-10-python.tar.gz", 100: "cifar-100-python.tar.gz"}

# No copy of the whole CIFAR-100 was there to take a fingerprint from. The means and standard deviations of its training
# images, published to 16 digits, fix the sums of each channel's pixels and squares.
_SUMS_100 = (6620373279, 6352382090, 5756623363)
_SQUARES_100 = (1093977562105, 1007075543166, 901128318593)


def read(files: Sequence[Path], classes: int) -> dict[str, np.ndarray]:
    """x_train, x_test (n, 32, 32, 3) uint8, 0 to 255, RGB; y_train, y_test (n,) int64, 0 to classes - 1.

    `files` is one `.npz` of these arrays, one archive (`.tar.gz`), or what the archive holds.
    Raises InputError, naming the file, if it holds something else.
    """
    if files[0].suffix == ".npz":
        arrays = read_npz(files[0], _ARRAYS, _MOST)
    elif len(files) == 1:
        arrays = decoded(f"CIFAR{classes}", {_ARCHIVES[classes]: files[0]})
    else:
        arrays = decoded(f"CIFAR{classes}", dict(zip(_unpacked(classes), files, strict=True)))
    return labelled_splits(files, arrays, shape=(32, 32, 3), classes=classes)


def read_cifar100(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """Read the complete CIFAR-100, and check that it is complete; InputError says what differs."""
    arrays = read(files, 100)
    for split, count in (("train", 500), ("test", 100)):
        found = np.bincount(arrays[f"y_{split}"], minlength=100)
        if (found != count).any():
            raise InputError(
                f"{files[0]}: not the complete CIFAR-100: {found.min()} to {found.max()} {split} images of a class, "
                f"expected {count}; a subset is a dataset of its own"
            )
    pixels = arrays["x_train"].reshape(-1, 3)
    sums = tuple(int(channel.sum(dtype=np.int64)) for channel in pixels.T)
    squares = tuple(int(np.square(channel.astype(np.uint16)).sum(dtype=np.int64)) for channel in pixels.T)
    if (sums, squares) != (_SUMS_100, _SQUARES_100):
        raise InputError(
            f"{files[0]}: other training images than CIFAR-100's: their channels sum to {sums}, expected {_SUMS_100}"
        )
    return arrays


def _unpacked(classes: int) -> tuple[str, ...]:
    """torchvision's folder, file by file."""
    return tuple(f"{_FOLDERS[classes]}/{batch}" for batch in _BATCHES[classes])


def _layouts(classes: int) -> tuple[tuple[str, ...], ...]:
    """Return the `.npz`, torchvision's folder, the archive."""
    return (f"cifar{classes}.npz",), _unpacked(classes), (_ARCHIVES[classes],)


_LICENCE = "none stated (A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009)"
_HOMEPAGE = "https://www.cs.toronto.edu/~kriz/cifar.html"
_UNORDERED = (("x_train", "y_train"), ("x_test", "y_test"))
_OBTAIN = (
    "get it with source 'download' (torchvision.datasets.CIFAR{classes}), or write an .npz of its arrays "
    f"({', '.join(_ARRAYS)}; images as n x 32 x 32 x 3, RGB)"
)

DATASETS = {
    "cifar10": DatasetSpec(
        title="CIFAR-10 colour images",
        samples="50,000 + 10,000 images of 32 x 32 x 3, 10 classes",
        fingerprint="f44c4f4d1081e5fea52dd604a13010fc259d4c7236f58ea1ccc8d3f0b0328ded",
        licence=_LICENCE,
        homepage=_HOMEPAGE,
        obtain=_OBTAIN.format(classes=10),
        sources=("data_root", "download"),
        read=partial(read, classes=10),
        layouts=_layouts(10),
        downloaded=_unpacked(10),
        download=partial(download, kind="CIFAR10"),
        unordered=_UNORDERED,
    ),
    "cifar100": DatasetSpec(
        title="CIFAR-100 colour images, fine labels",
        samples="50,000 + 10,000 images of 32 x 32 x 3, 100 classes",
        fingerprint=None,
        known_by=(
            "MD5 of its files; as an .npz by its 500 + 100 images of a class and the sums of the training images' "
            "channels and of their squares"
        ),
        licence=_LICENCE,
        homepage=_HOMEPAGE,
        obtain=_OBTAIN.format(classes=100),
        sources=("data_root", "download"),
        read=read_cifar100,
        layouts=_layouts(100),
        downloaded=_unpacked(100),
        download=partial(download, kind="CIFAR100"),
        unordered=_UNORDERED,
    ),
    "cifar100_subset": DatasetSpec(
        title="CIFAR-100, a subset: 100 of 500 training and 50 of 100 test images of each class",
        samples="10,000 + 5,000 images of 32 x 32 x 3, 100 classes",
        fingerprint="4d82cd57924643c2176a346478e6a3f8ce024021cea3d584a98a720187fb4681",
        licence=_LICENCE,
        homepage=_HOMEPAGE,
        obtain=(
            "permute the sorted paths of train/ and test/ of cyizhuo/CIFAR-100-dataset on GitHub with "
            "numpy.random.RandomState(0).permutation, take the first 100 and 50 of each class, write an .npz of "
            f"{', '.join(_ARRAYS)}"
        ),
        sources=("data_root",),
        read=partial(read, classes=100),
        layouts=(("cifar100_subset.npz",),),
        unordered=_UNORDERED,
    ),
}
