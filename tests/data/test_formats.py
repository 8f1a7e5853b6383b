"""Files are read exactly, and damaged ones are refused in one line that names them."""

import gzip
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.data.formats import check_array, check_range, read_idx, read_npy, read_npz

MOST = 2**20  # bytes
IDX = bytes([0, 0, 8, 2]) + struct.pack(">II", 2, 3) + bytes([5, 0, 255, 1, 2, 3])


def contents(tmp_path) -> dict:
    """One small good file of each kind: name -> (bytes, reader)."""
    np.save(tmp_path / "good.npy", np.arange(6.0).reshape(2, 3))
    np.savez_compressed(tmp_path / "good.npz", a=np.arange(40), b=np.zeros(3))
    return {
        "x.npy": ((tmp_path / "good.npy").read_bytes(), lambda path: read_npy(path, MOST)),
        "x.npz": ((tmp_path / "good.npz").read_bytes(), lambda path: read_npz(path, ("a", "b"), MOST)),
        "x-idx2-ubyte": (IDX, lambda path: read_idx(path, MOST)),
        "x-idx2-ubyte.gz": (gzip.compress(IDX), lambda path: read_idx(path, MOST)),
    }


KINDS = ("x.npy", "x.npz", "x-idx2-ubyte", "x-idx2-ubyte.gz")


def test_reads_known_arrays(tmp_path):
    for name, (content, reader) in contents(tmp_path).items():
        path = tmp_path / name
        path.write_bytes(content)
        found = reader(path)
        if name == "x.npy":
            np.testing.assert_array_equal(found, [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
        elif name == "x.npz":
            assert sorted(found) == ["a", "b"]
            np.testing.assert_array_equal(found["a"], np.arange(40))
        else:
            assert found.dtype == np.uint8
            np.testing.assert_array_equal(found, [[5, 0, 255], [1, 2, 3]])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", ["missing", "empty", "truncated", "text", "directory"])
def test_refuses_damaged_files_by_name(tmp_path, kind, damage):
    content, reader = contents(tmp_path)[kind]
    path = tmp_path / kind
    if damage == "directory":
        path.mkdir()
    elif damage != "missing":
        path.write_bytes({"empty": b"", "truncated": content[:-5], "text": b"<html>\nnot found\n"}[damage])
    with pytest.raises(InputError) as caught:
        reader(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_damage_escapes_as_another_exception(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damaged")
    kind = data.draw(st.sampled_from(KINDS))
    content, reader = contents(folder)[kind]
    damaged = bytearray(content)
    for position in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=4)):
        damaged[position] = data.draw(st.integers(0, 255))
    path = folder / kind
    path.write_bytes(bytes(damaged[: data.draw(st.integers(0, len(content)))]))
    try:
        reader(path)
    except InputError as error:
        assert str(path) in str(error)


def test_refuses_pickled_objects(tmp_path):
    objects = np.array([{"a": 1}], dtype=object)
    np.save(tmp_path / "x.npy", objects)
    np.savez(tmp_path / "x.npz", a=objects)
    with pytest.raises(InputError, match=r"x\.npy"):
        read_npy(tmp_path / "x.npy", MOST)
    with pytest.raises(InputError, match=r"x\.npz"):
        read_npz(tmp_path / "x.npz", ("a",), MOST)


def test_names_the_arrays_an_npz_lacks(tmp_path):
    np.savez(tmp_path / "x.npz", a=np.zeros(2), b=np.zeros(2))
    with pytest.raises(InputError, match=r"x\.npz: lacks the arrays \['c'\]; it has \['a', 'b'\]"):
        read_npz(tmp_path / "x.npz", ("a", "c"), MOST)


@pytest.mark.parametrize("content", [IDX + b"\x00", IDX[:-1], bytes([0, 0, 13, 1, 0, 0, 0, 0]), b"\x00\x00\x08"])
def test_refuses_idx_files_of_another_length_or_type(tmp_path, content):
    path = tmp_path / "x-idx2-ubyte"
    path.write_bytes(content)
    with pytest.raises(InputError, match="x-idx2-ubyte"):
        read_idx(path, MOST)


@pytest.mark.parametrize(
    "array", [np.zeros((2, 3)), np.zeros((2, 4), np.int32), np.zeros(2, np.int32), np.zeros((2, 3, 1), np.int32)]
)
def test_refuses_other_dtypes_and_shapes(tmp_path, array):
    path = tmp_path / "x.npy"
    check_array(path, np.zeros((5, 3), np.int32), kinds="ui", shape=(None, 3))
    with pytest.raises(InputError, match=r"x\.npy: (dtype|shape)"):
        check_array(path, array, kinds="ui", shape=(None, 3))


def test_refuses_values_out_of_range(tmp_path):
    path = tmp_path / "x.npy"
    check_range(path, np.array([0, 9]), 0, 9)
    check_range(path, np.array([], int), 0, 9)
    with pytest.raises(InputError, match=r"x\.npy: values 0 to 10, expected 0 to 9"):
        check_range(path, np.array([0, 10]), 0, 9)
