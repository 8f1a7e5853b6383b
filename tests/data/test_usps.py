"""The reader of USPS: both of its files give the same samples, and anything else is named."""

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


def mat(path, data):
    scipy.io.savemat(path, {"data": data})
    return path


def columns():
    """The images as MATLAB stores them: pixels (column-major) x images x class."""
    return IMAGES.transpose(0, 2, 1).reshape(10, 2, 256).transpose(2, 1, 0)


def test_both_files_hold_the_same_samples(tmp_path):
    np.savez(tmp_path / "usps_all.npz", x=IMAGES, y=CLASSES)
    for path in (tmp_path / "usps_all.npz", mat(tmp_path / "usps_all.mat", columns())):
        found = usps.read([path])
        np.testing.assert_array_equal(found["x"], IMAGES)
        np.testing.assert_array_equal(found["y"], CLASSES)
        assert (found["x"].dtype, found["y"].dtype) == (np.uint8, np.int64)


def test_what_is_no_such_file_is_refused_by_name(tmp_path):
    broken = tmp_path / "usps_all.mat"
    broken.write_bytes(b"no matrix")
    other = mat(tmp_path / "other.mat", np.zeros((255, 2, 10), np.uint8))
    lacking = tmp_path / "lacking.mat"
    scipy.io.savemat(lacking, {"images": columns()})
    short = tmp_path / "usps_all.npz"
    np.savez(short, x=IMAGES, y=CLASSES[:-1])
    for path in (broken, other, lacking, short):
        with pytest.raises(InputError, match=path.name):
            usps.read([path])


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
