"""The reader of USPS: both of its files give the same samples, and anything else is named."""

import hashlib

import numpy as np
import pytest
import scipy.io

from lib.core.errors import InputError
from lib.data import registry
from lib.data.sources import usps
from tests.data.made_sets import arrays_of, publish, register

RNG = np.random.default_rng(3)
IMAGES = RNG.integers(0, 256, (20, 16, 16), np.uint8)  # two of each class: 1, 1, 2, 2, ..., 0, 0
CLASSES = np.repeat(np.arange(1, 11) % 10, 2)


@pytest.fixture
def mat(tmp_path, monkeypatch):
    """The images in a file of MATLAB that is taken for the authors'."""
    path = tmp_path / "usps_all.mat"
    scipy.io.savemat(path, {"data": columns()})
    monkeypatch.setattr(usps, "MAT_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path


def columns():
    """The images as MATLAB stores them: pixels (column-major) x images x class."""
    return IMAGES.transpose(0, 2, 1).reshape(10, 2, 256).transpose(2, 1, 0)


def test_both_files_hold_the_same_samples(tmp_path, mat):
    np.savez(tmp_path / "usps_all.npz", x=IMAGES, y=CLASSES)
    for path in (tmp_path / "usps_all.npz", mat):
        found = usps.read([path])
        np.testing.assert_array_equal(found["x"], IMAGES)
        np.testing.assert_array_equal(found["y"], CLASSES)
        assert (found["x"].dtype, found["y"].dtype) == (np.uint8, np.int64)


def test_what_is_no_such_file_is_refused_by_name(tmp_path):
    short = tmp_path / "usps_all.npz"
    np.savez(short, x=IMAGES, y=CLASSES[:-1])
    for path in (short, tmp_path / "usps_all.mat"):
        with pytest.raises(InputError, match=path.name):
            usps.read([path])


def test_no_other_file_reaches_the_parser_of_matlabs_files(tmp_path, mat, monkeypatch):
    """It ends the process on some damaged files."""
    monkeypatch.setattr(scipy.io, "loadmat", lambda *_: pytest.fail("the parser was called"))
    good = mat.read_bytes()
    for content in (b"", b"no matrix", good[:231], good[:-1], good + b"\0", good[:300] + b"x" + good[301:]):
        mat.write_bytes(content)
        with pytest.raises(InputError, match=r"usps_all\.mat: not the file of .*: expected SHA-256"):
            usps.read([mat])


def test_torchvisions_set_is_another_and_read_from_its_two_files(tmp_path, monkeypatch):
    arrays = arrays_of("usps_libsvm")
    publish("usps_libsvm", tmp_path, arrays, monkeypatch)
    register("usps_libsvm", arrays, monkeypatch)
    found = registry.load("usps_libsvm", "usps", "data_root", tmp_path)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
    (tmp_path / "usps.t.bz2").write_bytes(b"another file")
    with pytest.raises(InputError, match=r"usps\.t\.bz2: not the file of torchvision's USPS: expected MD5"):
        registry.load("usps_libsvm", "usps", "data_root", tmp_path)
