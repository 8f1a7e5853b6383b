"""notMNIST is the same data as one .npz and as idx files, in whatever order its samples come."""

import gzip
import struct
from dataclasses import replace

import numpy as np
import pytest

from lib.core.errors import InputError
from lib.core.files import fingerprint
from lib.data import registry
from lib.data.sources import notmnist
from lib.data.spec import canonical

SPEC = notmnist.DATASETS["notmnist"]


def idx(array: np.ndarray) -> bytes:
    """A gzip-compressed idx file of unsigned bytes."""
    header = struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape)
    return gzip.compress(header + array.astype(np.uint8).tobytes())


@pytest.fixture
def small(monkeypatch) -> dict[str, np.ndarray]:
    """A few images, registered as `notmnist` for the length of the test."""
    rng = np.random.default_rng(0)
    arrays = {"x": rng.integers(0, 256, (7, 28, 28), dtype=np.uint8), "y": rng.integers(0, 10, 7, dtype=np.int64)}
    known = replace(SPEC, fingerprint=fingerprint(**canonical(arrays, SPEC.unordered)))
    monkeypatch.setitem(notmnist.DATASETS, "notmnist", known)
    return arrays


def test_both_layouts_in_any_order_decode_to_the_same_samples(tmp_path, small):
    np.savez_compressed(tmp_path / "notmnist_10k.npz", **small)
    first = registry.load("notmnist", "notmnist", "data_root", tmp_path)
    (tmp_path / "notmnist_10k.npz").unlink()
    for file, array in zip(SPEC.layouts[1], small.values(), strict=True):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(idx(array[::-1]))
    second = registry.load("notmnist", "notmnist", "data_root", tmp_path)
    assert (second["x"].dtype, second["y"].dtype) == (np.uint8, np.int64)
    for name, array in first.items():
        np.testing.assert_array_equal(second[name], array)


@pytest.mark.parametrize(
    ("name", "array", "fault"),
    [
        ("x", np.zeros((7, 28, 27), np.uint8), "shape"),
        ("x", np.zeros((7, 28, 28), np.float32), "dtype"),
        ("x", np.full((7, 28, 28), 300, np.uint16), "values"),
        ("y", np.full(7, 10), "values"),
        ("y", np.zeros(6, int), "6 labels for 7 images"),
    ],
)
def test_other_arrays_are_refused_by_name(tmp_path, small, name, array, fault):
    np.savez(tmp_path / "notmnist_10k.npz", **{**small, name: array})
    with pytest.raises(InputError, match=rf"notmnist_10k\.npz: .*{fault}"):
        registry.load("notmnist", "notmnist", "data_root", tmp_path)


def test_the_real_images_have_their_fingerprint_and_are_balanced(data_root):
    arrays = registry.load("notmnist", "notmnist", "data_root", data_root)
    np.testing.assert_array_equal(np.bincount(arrays["y"]), [1000] * 10)
