"""The vote histograms that the authors of PATE published, with the files that go with them."""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.data.formats import check_array, check_range, read_npy
from lib.data.spec import DatasetSpec
from lib.data.transfer import fetch_file
from pate_accountant.votes import check_votes

_VOTES_2018 = (
    "https://raw.githubusercontent.com/frhrdr/patepy/2d0189f33656b3848f2946f5ba158b1b28eafebe/"
    "test_application/pate2018_test_data/"
)
_FILES_2017 = (
    "https://raw.githubusercontent.com/npapernot/multiple-teachers-for-privacy/"
    "e10667aceeb4c2890099d1af71a76aba285c42c6/"
)
# What can be downloaded: where from, the name, the SHA-256.
_MNIST_FILES = (
    (_VOTES_2018, "mnist_250_teachers.npy", "da4832fc6613b515a54918d4fa32fdeffca4e8330f576d77a273fa1ecdd0a423"),
    (
        _FILES_2017,
        "mnist_250_teachers_100_indices_used_by_student.npy",
        "eca12d5b3b838f3b5a87832203fb4cd4b2b8bee80249662a431023a057b32c4d",
    ),
    (
        _FILES_2017,
        "mnist_250_student_labels_lap_20.npy",
        "17601aba0f993e8d5a3bd5914f37081fe142b4ac3bea53a4da700fe83570336b",
    ),
)
_ADULT_FILES = (
    (_VOTES_2018, "adult_250_teachers.npy", "0b725d5d95b476f71f3ba74fcc879fc4a92e1d73690d2eabbf7645358ef15174"),
)
_FOLDER = "pate_votes"  # below the root
_HOMEPAGE = "https://github.com/tensorflow/privacy/tree/master/research/pate_2018"
_LICENCE = "none stated; published by the authors beside the Apache-2.0 code of tensorflow/privacy"


def read_votes(path: Path, *, queries: int, classes: int, teachers: int) -> np.ndarray:
    """Return the votes (queries, classes) int16: how many of the `teachers` voted for each class.

    Raises InputError, naming the file and the first bad row, unless the file holds whole numbers, none negative,
    that sum to `teachers` in every row.
    """
    votes = read_npy(path, 8 * queries * classes)
    check_array(path, votes, kinds="uif", shape=(queries, classes))
    # Signed, so that the difference of two counts does not wrap around.
    return check_votes(votes, teachers, str(path)).astype(np.int16)


def _read_integers(path: Path, shape: tuple[int, ...], below: int) -> np.ndarray:
    """Read an int64 array of values 0 to below - 1; raises InputError, naming the file, if it holds something else."""
    array = read_npy(path, 8 * math.prod(shape))
    check_array(path, array, kinds="ui", shape=shape)
    check_range(path, array, 0, below - 1)
    return array.astype(np.int64)


def read_mnist(
    files: Sequence[Path], *, queries: int, classes: int, teachers: int, published: int
) -> dict[str, np.ndarray]:
    """Votes (queries, classes) int16, published_indices (published,) int64, published_labels (queries,) int64.

    Raises InputError, naming the file, if it holds something else, or an index twice.
    """
    votes_file, indices_file, labels_file = files
    votes = read_votes(votes_file, queries=queries, classes=classes, teachers=teachers)
    indices = _read_integers(indices_file, (published,), queries)
    if len(np.unique(indices)) != published:
        raise InputError(f"{indices_file}: the same query index twice, expected {published} different ones")
    labels = _read_integers(labels_file, (queries,), classes)
    return {"votes": votes, "published_indices": indices, "published_labels": labels}


def read_svhn(files: Sequence[Path], *, queries: int, classes: int, teachers: int) -> dict[str, np.ndarray]:
    """Votes (queries, classes) int16, labels (queries,) int64; raises InputError as `read_votes` does."""
    votes_file, labels_file = files
    votes = read_votes(votes_file, queries=queries, classes=classes, teachers=teachers)
    return {"votes": votes, "labels": _read_integers(labels_file, (queries,), classes)}


def read_adult(files: Sequence[Path], *, queries: int, classes: int, teachers: int) -> dict[str, np.ndarray]:
    """Votes (queries, classes) int16; raises InputError as `read_votes` does."""
    (votes_file,) = files
    return {"votes": read_votes(votes_file, queries=queries, classes=classes, teachers=teachers)}


def download(root: Path, files: Sequence[tuple[str, str, str]]) -> None:
    """Put each file (base of its URL, name, SHA-256) below `root`; raises OSError."""
    for base, name, sha256 in files:
        target = root / _FOLDER / name
        target.parent.mkdir(exist_ok=True)
        fetch_file(base + name, target, sha256)


def _layout(files: Sequence[tuple[str, str, str]]) -> tuple[str, ...]:
    """Where `download` puts them."""
    return tuple(f"{_FOLDER}/{name}" for _, name, _ in files)


DATASETS = {
    "pate_votes_mnist": DatasetSpec(
        title="Votes of the authors' 250 MNIST teachers on the first test images",
        samples="9,000 queries x 10 classes; 100 published query indices; 9,000 published noisy labels",
        fingerprint="ba666872c9ad3f41e645b16c991e642cc2f25342fb5e3a1c4291a2e1a08e166a",
        licence=_LICENCE,
        homepage=_HOMEPAGE,
        obtain=(
            "get it with source 'download', or by hand: the votes from frhrdr/patepy "
            "(test_application/pate2018_test_data) or with research/pate_2018/ICLR2018/download.py of "
            "tensorflow/privacy, indices and labels from npapernot/multiple-teachers-for-privacy, all on GitHub"
        ),
        sources=("data_root", "download"),
        read=partial(read_mnist, queries=9000, classes=10, teachers=250, published=100),
        layouts=(_layout(_MNIST_FILES),),
        downloaded=_layout(_MNIST_FILES),
        download=partial(download, files=_MNIST_FILES),
    ),
    "pate_votes_svhn": DatasetSpec(
        title="Votes of the authors' 250 SVHN teachers on the test images, and the true labels",
        samples="26,032 queries x 10 classes",
        fingerprint="28d049be88ff813b7fe83e67a097e9fbfd09deed44ec61b1565580fdcc81d925",
        licence=f"{_LICENCE}; SVHN itself is for non-commercial use",
        homepage=_HOMEPAGE,
        obtain=(
            "by hand: the votes from frhrdr/patepy on GitHub (test_application/pate2018_test_data) or with "
            "research/pate_2018/ICLR2018/download.py of tensorflow/privacy; the labels are y modulo 10 of SVHN's "
            "test_32x32.mat (http://ufldl.stanford.edu/housenumbers), one dimension, any integer dtype, numpy.save"
        ),
        sources=("data_root",),
        read=partial(read_svhn, queries=26032, classes=10, teachers=250),
        layouts=((f"{_FOLDER}/svhn_250_teachers.npy", f"{_FOLDER}/svhn_test_labels.npy"),),
    ),
    "pate_votes_adult": DatasetSpec(
        title="Votes of the authors' 250 UCI Adult teachers on the rows of adult.test",
        samples="16,281 queries x 2 classes (class 1: income above 50K)",
        fingerprint="d797cb1c26251c03cc57288a3e2461888c09fe8263ef79f0072dd6a18a3fc0b0",
        licence=_LICENCE,
        homepage=_HOMEPAGE,
        obtain=(
            "get it with source 'download', or by hand from frhrdr/patepy on GitHub "
            "(test_application/pate2018_test_data) or with research/pate_2018/ICLR2018/download.py of "
            "tensorflow/privacy"
        ),
        sources=("data_root", "download"),
        read=partial(read_adult, queries=16281, classes=2, teachers=250),
        layouts=(_layout(_ADULT_FILES),),
        downloaded=_layout(_ADULT_FILES),
        download=partial(download, files=_ADULT_FILES),
    ),
}
