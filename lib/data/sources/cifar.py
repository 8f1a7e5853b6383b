"""CIFAR-10 and CIFAR-100, from torchvision's folders, from the archives they come in, or as an `.npz`; a subset too.

Pixels and labels make the data: the order of the images, which differs between copies, does not.
"""

import hashlib
import tarfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.core.files import reading
from lib.data.cifar_batches import parse_batch
from lib.data.formats import check_array, check_range, read_npz
from lib.data.spec import DatasetSpec, Download

_ARRAYS = ("x_train", "y_train", "x_test", "y_test")
_FOLDERS = {10: "cifar-10-batches-py", 100: "cifar-100-python"}
_BATCHES = {10: (*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"), 100: ("train", "test")}
_LABELS = {10: "labels", 100: "fine_labels"}
_ARCHIVES = {10: "cifar-10-python.tar.gz", 100: "cifar-100-python.tar.gz"}

# No copy of the whole CIFAR-100 was there to take a fingerprint from. Its files have these MD5 digests; the training
# images' means and standard deviations, published to 16 digits, fix the sums of each channel's pixels and squares.
_MD5_100 = {
    "train": "16019d7e3df5f24257cddd939b257f8d",
    "test": "f0ef6b0ae62326f3e7ffdfab6717acfc",
    _ARCHIVES[100]: "eb9058c3a382ffc7106e4002c42a8d85",
}
_SUMS_100 = (6620373279, 6352382090, 5756623363)
_SQUARES_100 = (1093977562105, 1007075543166, 901128318593)


def read(files: Sequence[Path], classes: int) -> dict[str, np.ndarray]:
    """x_train, x_test (n, 32, 32, 3) uint8, 0 to 255, RGB; y_train, y_test (n,) int64, 0 to classes - 1.

    `files` is one `.npz` of these arrays, one archive (`.tar.gz`), or its batches, those of the test set last.
    Raises InputError, naming the file, if it holds something else.
    """
    if files[0].suffix == ".npz":
        arrays = read_npz(files[0], _ARRAYS)
    else:
        arrays = _from_batches(_contents(files, classes), classes)
    path = files[0]
    for split in ("train", "test"):
        x, y = f"x_{split}", f"y_{split}"
        check_array(path, arrays[x], kinds="u", shape=(None, 32, 32, 3))
        check_array(path, arrays[y], kinds="ui", shape=(None,))
        check_range(path, arrays[x], 0, 255)
        check_range(path, arrays[y], 0, classes - 1)
        if len(arrays[x]) != len(arrays[y]):
            raise InputError(f"{path}: {len(arrays[y])} labels for {len(arrays[x])} images")
        arrays[x], arrays[y] = arrays[x].astype(np.uint8), arrays[y].astype(np.int64)
    return arrays


def read_cifar100(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """The same for the complete CIFAR-100, which it is checked to be; InputError says what differs."""
    for path in files:
        expected = _MD5_100.get(path.name)
        if expected is None:
            continue
        with reading(path, "CIFAR"), open(path, "rb") as stream:
            found = hashlib.file_digest(stream, partial(hashlib.md5, usedforsecurity=False)).hexdigest()
        if found != expected:
            raise InputError(f"{path}: another file than the dataset's: expected MD5 {expected}, found {found}")
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


def _contents(files: Sequence[Path], classes: int) -> list[tuple[str, bytes]]:
    """Name and bytes of each batch, from files or from the one archive."""
    if len(files) > 1:
        contents = []
        for path in files:
            with reading(path, "CIFAR batch"):
                contents.append((str(path), path.read_bytes()))
        return contents
    with reading(files[0], ".tar.gz"):
        try:
            with tarfile.open(files[0], "r:gz") as archive:
                members = [f"{_FOLDERS[classes]}/{batch}" for batch in _BATCHES[classes]]
                streams = [(member, archive.extractfile(member)) for member in members]
                return [(f"{files[0]}: {member}", stream.read() if stream else b"") for member, stream in streams]
        except tarfile.TarError as error:
            raise ValueError(error) from error


def _from_batches(contents: list[tuple[str, bytes]], classes: int) -> dict[str, np.ndarray]:
    """The four arrays from the batches, the last of which is the test set."""
    *train, test = [parse_batch(content, _LABELS[classes], where) for where, content in contents]
    x, y = (np.concatenate(parts) for parts in zip(*train, strict=True))
    return dict(zip(_ARRAYS, (x, y, *test), strict=True))


def _layouts(classes: int) -> tuple[tuple[str, ...], ...]:
    """The `.npz`, torchvision's folder, the archive."""
    batches = tuple(f"{_FOLDERS[classes]}/{batch}" for batch in _BATCHES[classes])
    return (f"cifar{classes}.npz",), batches, (_ARCHIVES[classes],)


def _download(classes: int, md5: str) -> tuple[Download]:
    """The archive from its author."""
    archive = _ARCHIVES[classes]
    return (Download(urls=(f"https://www.cs.toronto.edu/~kriz/{archive}",), target=archive, md5=md5),)


_LICENCE = "none stated (A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009)"
_HOMEPAGE = "https://www.cs.toronto.edu/~kriz/cifar.html"
_UNORDERED = (("x_train", "y_train"), ("x_test", "y_test"))
_OBTAIN = (
    "get it with source 'download', or let torchvision.datasets.CIFAR{classes} fetch it, or write an .npz of its "
    f"arrays ({', '.join(_ARRAYS)}; images as n x 32 x 32 x 3, RGB)"
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
        downloads=_download(10, "c58f30108f718f92721af3b95e74349a"),
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
        downloads=_download(100, _MD5_100[_ARCHIVES[100]]),
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
