"""USPS digits: the 11,000 images that the authors of DP-MAC used, and the 9,298 that torchvision has, another set.

The former come from the `.mat` file that the authors publish or as an `.npz`, the latter as torchvision gets them.
"""

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import scipy.io

from lib.core.errors import InputError
from lib.core.files import reading
from lib.data.formats import labelled_images, labelled_splits, read_npz
from lib.data.spec import DatasetSpec
from lib.data.torchvision_sets import decoded, download

_MOST = 11_000 * 16 * 16  # bytes of an array
MAT_SHA256 = "da2c8d6e8bd743da00c67020f444e0f28250dfbd16c55d8135c50ffa7719a5f9"
_LIBSVM_FILES = ("usps.bz2", "usps.t.bz2")


def read(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """X (11000, 16, 16) uint8, 0 to 255; y (11000,) int64, 0 to 9.

    `files` is one `.npz` with x and y, or one `.mat` with `data` (256, 1100, 10), an image a column, by class.
    Raises InputError, naming the file, if it holds something else.
    """
    (path,) = files
    arrays = _read_mat(path) if path.suffix == ".mat" else read_npz(path, ("x", "y"), _MOST)
    x, y = labelled_images(path, arrays["x"], arrays["y"], shape=(16, 16), classes=10)
    return {"x": x, "y": y}


def read_libsvm(files: Sequence[Path]) -> dict[str, np.ndarray]:
    """x_train (7291, 16, 16), x_test (2007, 16, 16) uint8, 0 to 255; y_train, y_test (n,) int64, 0 to 9.

    Raises InputError, naming the file, if it is not one of torchvision's.
    """
    arrays = decoded("USPS", dict(zip(_LIBSVM_FILES, files, strict=True)))
    return labelled_splits(files, arrays, shape=(16, 16), classes=10)


def _read_mat(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of the authors' file, and of no other: scipy's parser crashes on some damaged ones."""
    with reading(path, ".mat"), open(path, "rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != MAT_SHA256:
            raise InputError(
                f"{path}: not the file of mijungi/dp_mac on GitHub: expected SHA-256 {MAT_SHA256}, found {found}; "
                "allowed is that file, or usps_all.npz with its x and y"
            )
        stream.seek(0)
        data = scipy.io.loadmat(stream)["data"]
    # columns of pixels, as MATLAB stores images; the classes are 1 to 9, then 0
    x = data.transpose(2, 1, 0).reshape(-1, 16, 16).transpose(0, 2, 1)
    return {"x": np.ascontiguousarray(x), "y": np.repeat(np.arange(1, 11) % 10, data.shape[1])}


DATASETS = {
    "usps": DatasetSpec(
        title="USPS handwritten digits, the set of 11,000",
        samples="11,000 images of 16 x 16, 10 classes of 1,100",
        classes=10,
        fingerprint="08e9645b259a3ef7ca14d7b260dcfed499cd8919ac73854a504005142c46a33f",
        licence="none stated (distributed for research by S. Roweis)",
        homepage="https://cs.nyu.edu/~roweis/data.html",
        obtain="take data/usps/usps_all.mat of mijungi/dp_mac on GitHub",
        sources=("data_root",),
        read=read,
        layouts=(("usps_all.npz",), ("usps_all.mat",)),
        unordered=(("x", "y"),),
    ),
    "usps_libsvm": DatasetSpec(
        title="USPS handwritten digits, the official split of 9,298, as LIBSVM distributes them",
        samples="7,291 + 2,007 images of 16 x 16, 10 classes",
        classes=10,
        fingerprint=None,  # no copy of these two files was there to take one from
        known_by="MD5 ec16c51db3855ca6c91edd34d0e9b197 (usps.bz2), 8ea070ee2aca1ac39742fdd1ef5ed118 (usps.t.bz2)",
        licence="none stated (J. J. Hull, 1994)",
        homepage="https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass.html#usps",
        obtain="get it with source 'download' (torchvision.datasets.USPS), or take both files from its homepage",
        sources=("data_root", "download"),
        read=read_libsvm,
        layouts=(_LIBSVM_FILES,),
        downloaded=_LIBSVM_FILES,
        download=partial(download, kind="USPS"),
    ),
}
