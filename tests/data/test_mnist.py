"""MNIST is the same data in every container that it comes in."""

import gzip

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.core.files import fingerprint
from lib.data import registry
from lib.data.sources import mnist

LAYOUTS = mnist.DATASETS["mnist"].layouts


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout[0])
def test_every_layout_decodes_to_the_same_samples(tmp_path, small_mnist, write_mnist, layout):
    write_mnist(tmp_path, layout, small_mnist)
    found = registry.load("mnist", "mnist", "data_root", tmp_path)
    for name, array in small_mnist.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == (np.uint8 if name.startswith("x") else np.int64)


def test_real_mnist_has_its_fingerprint_in_every_layout(tmp_path, data_root, write_mnist):
    arrays = registry.load("mnist", "mnist", "data_root", data_root)
    np.testing.assert_array_equal(
        np.bincount(arrays["y_test"]), [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    )
    np.testing.assert_array_equal(arrays["y_train"][:10], [5, 0, 4, 1, 9, 2, 1, 3, 1, 4])
    write_mnist(tmp_path, LAYOUTS[1], arrays)
    again = registry.load("mnist", "mnist", "data_root", tmp_path)
    assert fingerprint(**again) == mnist.DATASETS["mnist"].fingerprint


@pytest.mark.parametrize(
    ("name", "array", "fault"),
    [
        ("x_train", np.zeros((7, 28, 27), np.uint8), "shape"),
        ("x_train", np.zeros((7, 28, 28), np.float32), "dtype"),
        ("x_test", np.full((3, 28, 28), 300, np.uint16), "values"),
        ("y_train", np.zeros((7, 10), np.uint8), "shape"),
        ("y_test", np.array([0, 1, 10], np.uint8), "values"),
        ("y_test", np.array([0, 1], np.uint8), "2 labels for 3 images"),
    ],
)
def test_other_arrays_are_refused_by_name(tmp_path, small_mnist, write_mnist, name, array, fault):
    write_mnist(tmp_path, ("mnist.npz",), {**small_mnist, name: array})
    with pytest.raises(InputError, match=rf"mnist\.npz: .*{fault}"):
        registry.load("mnist", "mnist", "data_root", tmp_path)


def test_altered_and_truncated_files_are_refused_by_name(tmp_path, small_mnist, write_mnist):
    layout = LAYOUTS[2]
    write_mnist(tmp_path, layout, small_mnist)
    path = tmp_path / layout[0]
    good = path.read_bytes()
    pixels = bytearray(gzip.decompress(good))
    pixels[100] ^= 1
    path.write_bytes(gzip.compress(bytes(pixels)))
    with pytest.raises(InputError, match=rf"{layout[0]}.*expected fingerprint .* found"):
        registry.load("mnist", "mnist", "data_root", tmp_path)
    path.write_bytes(good[:-20])
    with pytest.raises(InputError, match=rf"{layout[0]}: not a readable MNIST file"):
        registry.load("mnist", "mnist", "data_root", tmp_path)


@pytest.mark.parametrize("damage", ["truncated", "too long", "text", "of numbers", "empty"])
@pytest.mark.parametrize("number", range(4))
def test_damaged_idx_files_are_refused_by_name(tmp_path, small_mnist, write_mnist, number, damage):
    write_mnist(tmp_path, LAYOUTS[1], small_mnist)
    path = tmp_path / LAYOUTS[1][number]
    good = path.read_bytes()
    path.write_bytes(
        {
            "truncated": good[:-1],
            "too long": good + b"0",
            "text": b"<html>not found</html>",
            "of numbers": good[:2] + b"\x0d" + good[3:],
            "empty": b"",
        }[damage]
    )
    with pytest.raises(InputError) as caught:
        registry.load("mnist", "mnist", "data_root", tmp_path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    assert "not readable as torchvision's MNIST" in str(caught.value)
