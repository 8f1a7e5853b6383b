"""Readers of `.npy`, `.npz` and idx files that name the file and the fault when they cannot read it."""

import gzip
import io
import math
import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from lib.core.errors import InputError
from lib.core.files import reading

_IDX_UNSIGNED_BYTES = b"\x00\x00\x08"
_KINDS = {"u": "unsigned integers (uint8)", "i": "signed integers (int64)", "f": "floating-point numbers (float64)"}
_LONGEST_HEADER = 10_000  # bytes of a .npy header, as numpy has it


def read_npy(path: Path, most: int) -> np.ndarray:
    """Read the array of a `.npy` file of at most so many bytes, whatever its dtype and shape, pickled objects excepted.

    Raises InputError, naming the file, if it is missing, empty, truncated, larger or something else.
    """
    with reading(path, ".npy"), open(path, "rb") as stream:
        return _read_array(stream, most)


def read_npz(path: Path, names: Sequence[str], most: int) -> dict[str, np.ndarray]:
    """Return the arrays `names` of a `.npz` file, whatever their dtypes and shapes, pickled objects excepted.

    most: bytes of one array; a small file may unpack to any number of them. Raises InputError, naming the file, if it
    is missing, empty, truncated, something else, or lacks an array, or if one is larger.
    """
    with reading(path, ".npz"), zipfile.ZipFile(path) as archive:
        members = {member.removesuffix(".npy") for member in archive.namelist()}
        missing = [name for name in names if name not in members]
        if missing:
            raise InputError(f"{path}: lacks the arrays {missing}; it has {sorted(members)}")
        arrays = {}
        for name in names:
            with archive.open(f"{name}.npy") as stream:
                arrays[name] = _read_array(stream, most)
        return arrays


def _read_array(stream: IO[bytes], most: int) -> np.ndarray:
    """Read the array of a stream in numpy's format; ValueError before one that its header says is larger."""
    check_header(stream, most)
    stream.seek(0)
    return np.lib.format.read_array(stream, allow_pickle=False)


def check_header(stream: IO[bytes], most: int) -> None:
    """ValueError unless a stream in numpy's format holds at most so many bytes, by its header, and plain numbers."""
    lengths = {(1, 0): "<H", (2, 0): "<I"}
    version = np.lib.format.read_magic(stream)
    if version not in lengths:
        raise ValueError(f"version {version} of the format; allowed are 1.0 and 2.0")
    size = stream.read(struct.calcsize(lengths[version]))
    (length,) = struct.unpack(lengths[version], size)
    if length > _LONGEST_HEADER:
        raise ValueError(f"a header of {length} bytes; allowed are {_LONGEST_HEADER}")
    header = io.BytesIO(size + stream.read(length))
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}[version]
    shape, _, dtype = read(header)
    if min(shape, default=1) < 0 or math.prod(shape) * dtype.itemsize > most:
        raise ValueError(f"{dtype} of shape {shape}; allowed are {most} bytes")


def read_idx(path: Path, most: int) -> np.ndarray:
    """Return the array (uint8) of an idx file of unsigned bytes, gzip-compressed where its name ends in `.gz`.

    most: values that it may hold. Raises InputError, naming the file, if it is missing, empty, truncated, too long or
    something else, or if its header asks for more.
    """
    with reading(path, "idx"), gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as stream:
        start = stream.read(4)
        dimensions = start[3] if len(start) > 3 else 0
        lengths = stream.read(4 * dimensions)
        if start[:3] != _IDX_UNSIGNED_BYTES or len(lengths) < 4 * dimensions:
            found = len(start) + len(lengths)
            raise InputError(f"{path}: not a readable idx file (no header of unsigned bytes in its {found} bytes)")
        shape = struct.unpack(f">{dimensions}I", lengths)
        if math.prod(shape) > most:
            raise InputError(f"{path}: its header, shape {shape}, asks for more than the {most} values expected")
        content = stream.read(math.prod(shape))
        if len(content) != math.prod(shape) or stream.read(1):
            how = "more" if len(content) == math.prod(shape) else f"{len(content)}"
            raise InputError(
                f"{path}: {how} bytes of values, but its header, shape {shape}, asks for {math.prod(shape)}"
            )
    return np.frombuffer(content, np.uint8).reshape(shape).copy()


def labelled_images(
    where: object,
    x: np.ndarray,
    y: np.ndarray,
    *,
    shape: tuple[int, ...],
    classes: int,
    names: tuple[str, str] = ("x", "y"),
) -> tuple[np.ndarray, np.ndarray]:
    """Images (n, *shape) as uint8, 0 to 255, and their labels (n,) as int64, 0 to classes - 1.

    Raises InputError, naming `where`, the file or files, and the array by its name in there, if they are anything else.
    """
    check_array(f"{where}: {names[0]}", x, kinds="u", shape=(None, *shape))
    check_array(f"{where}: {names[1]}", y, kinds="ui", shape=(None,))
    check_range(f"{where}: {names[0]}", x, 0, 255)
    check_range(f"{where}: {names[1]}", y, 0, classes - 1)
    if len(x) != len(y):
        raise InputError(f"{where}: {len(y)} labels for {len(x)} images")
    return x.astype(np.uint8), y.astype(np.int64)


def labelled_splits(
    files: Sequence[Path], arrays: Mapping[str, np.ndarray], *, shape: tuple[int, ...], classes: int
) -> dict[str, np.ndarray]:
    """Return x_train, y_train, x_test and y_test, checked as `labelled_images` does; InputError names the files."""
    found, where = {}, ", ".join(map(str, files))
    for split in ("train", "test"):
        x, y = f"x_{split}", f"y_{split}"
        found[x], found[y] = labelled_images(where, arrays[x], arrays[y], shape=shape, classes=classes, names=(x, y))
    return found


def check_array(where: object, array: np.ndarray, *, kinds: str, shape: tuple[int | None, ...]) -> None:
    """Raise InputError, naming `where`, unless the dtype's kind is in `kinds` and the shape fits (None: any)."""
    if array.dtype.kind not in kinds:
        raise InputError(f"{where}: dtype {array.dtype}, expected {' or '.join(_KINDS[kind] for kind in kinds)}")
    fits = array.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, array.shape, strict=True))
    if not fits:
        expected = ", ".join("any" if length is None else str(length) for length in shape)
        raise InputError(f"{where}: shape {array.shape}, expected ({expected})")


def check_range(where: object, array: np.ndarray, low: int, high: int) -> None:
    """Raise InputError, naming the file, unless every value lies in low..high (both included)."""
    if array.size and not (low <= array.min() and array.max() <= high):
        raise InputError(f"{where}: values {array.min()} to {array.max()}, expected {low} to {high}")
