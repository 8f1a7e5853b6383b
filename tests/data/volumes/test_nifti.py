"""Damaged and odd NIfTI files are read as they are, or refused in one line that names the file."""

import gzip
import struct
import tracemalloc

import nibabel
import numpy as np
import pytest

from lib.core.errors import InputError
from lib.data.volumes.nifti import MOST_VOXELS, load, load_image

SHAPE = (5, 4, 3)


def written(path, array, affine=None):
    nibabel.save(nibabel.Nifti1Image(array, np.eye(4) if affine is None else affine), path)
    return path


def flipped(content: bytes, bit: int) -> bytes:
    """The content with one bit changed."""
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def refusal(path) -> str:
    with pytest.raises(InputError) as caught:
        load(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one.nii", "one.nii.gz"])
def test_a_changed_file_is_read_or_refused(tmp_path, name):
    """Bytes overwritten at random, most of them in the header, and files cut off."""
    rng = np.random.default_rng(0)
    good = written(tmp_path / name, rng.integers(0, 9, SHAPE).astype(np.int16)).read_bytes()
    refused = 0
    for _ in range(800):
        text = bytearray(gzip.decompress(good)) if rng.random() < 0.7 and name.endswith(".gz") else bytearray(good)
        for _ in range(rng.integers(1, 9)):
            text[int(rng.integers(min(len(text), 352 if rng.random() < 0.8 else len(text))))] = int(rng.integers(256))
        text = text[: int(rng.integers(len(text)))] if rng.random() < 0.1 else text
        if len(text) > len(good) and name.endswith(".gz"):
            text = gzip.compress(bytes(text), 1)
        (tmp_path / name).write_bytes(text)
        try:
            load_image(tmp_path / name)
        except InputError as error:
            assert str(tmp_path / name) in str(error) and "\n" not in str(error)
            refused += 1
    assert 100 < refused < 800


def test_a_compressed_file_with_a_flipped_bit_is_never_read_with_other_voxels(tmp_path):
    """gzip's checksum stands at the end of the stream, behind the last voxel."""
    rng = np.random.default_rng(1)
    expected = rng.integers(0, 900, (20, 20, 20)).astype(np.int16)
    path = written(tmp_path / "one.nii.gz", expected)
    good, refused = path.read_bytes(), 0
    for bit in rng.integers(8 * 10, 8 * len(good), 200):
        path.write_bytes(flipped(good, int(bit)))
        try:
            np.testing.assert_array_equal(load(path)[0], expected)
        except InputError as error:
            assert str(path) in str(error) and "\n" not in str(error)
            refused += 1
    assert refused > 190


def test_a_stream_that_goes_on_behind_the_voxels_is_read_no_further_than_allowed(tmp_path):
    path = written(tmp_path / "one.nii.gz", np.ones(SHAPE, np.uint8))
    whole = gzip.decompress(path.read_bytes())
    path.write_bytes(gzip.compress(whole + bytes(2**21), 1))
    load(path)
    with pytest.raises(InputError, match=r"one\.nii\.gz: .*unpacks to more than"):
        load(path, 60)


def test_numbers_that_are_not_real_are_refused(tmp_path):
    """The real part of complex numbers would be another image."""
    assert "complex64" in refusal(written(tmp_path / "complex.nii", np.ones(SHAPE, np.complex64)))
    colours = np.zeros(SHAPE, [("R", "u1"), ("G", "u1"), ("B", "u1")])
    assert "allowed are real numbers" in refusal(written(tmp_path / "colours.nii", colours))


def test_a_header_that_promises_more_than_there_is_costs_no_memory(tmp_path):
    path = written(tmp_path / "huge.nii.gz", np.zeros(SHAPE, np.uint8))
    text = bytearray(gzip.decompress(path.read_bytes()))
    text[40:56] = np.array([3, 32000, 32000, 32000, 1, 1, 1, 1], "<i2").tobytes()
    path.write_bytes(gzip.compress(bytes(text)))
    tracemalloc.start()
    try:
        assert f"1 to {MOST_VOXELS} voxels" in refusal(path)
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


def test_an_axis_without_a_direction_is_refused(tmp_path):
    path = written(tmp_path / "flat.nii", np.ones(SHAPE, np.uint8))
    image = nibabel.load(path)
    image.header["sform_code"], image.header["qform_code"] = 1, 0
    image.header["srow_z"] = 0
    text = bytearray(path.read_bytes())
    text[:348] = image.header.binaryblock
    path.write_bytes(bytes(text))
    assert "without a direction" in refusal(path)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int32, np.float32])
@pytest.mark.parametrize(("slope", "inter"), [(1.0, 0.0), (0.1, 0.0), (1.0, -3.0), (2.5, 7.0)])
def test_numbers_are_scaled_and_turned_as_by_nibabel(tmp_path, kind, slope, inter):
    turned = np.array([[0, -2, 0, 1], [-3, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]])
    path = written(tmp_path / "one.nii", np.arange(60).reshape(SHAPE).astype(kind), turned)
    content = bytearray(path.read_bytes())
    struct.pack_into("<ff", content, 112, slope, inter)  # scl_slope and scl_inter of the header
    path.write_bytes(content)
    expected = np.asarray(nibabel.as_closest_canonical(nibabel.load(path)).dataobj)
    found, _ = load(path)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(load_image(path)[0], expected.astype(np.float32))
