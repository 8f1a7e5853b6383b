"""Readers of `.npy`, `.npz` and idx files that name the file and the fault when they cannot read it."""

import gzip
import math
import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.core.files import reading

_IDX_UNSIGNED_BYTES = b"\x00\x00\x08"


def read_npy(path: Path) -> np.ndarray:
    """The array of a `.npy` file, whatever its dtype and shape, pickled objects excepted.

    Raises InputError, naming the file, if it is missing, empty, truncated or something else.
    """
    with reading(path, ".npy"), open(path, "rb") as stream:
        return np.lib.format.read_array(stream, allow_pickle=False)


def read_npz(path: Path, names: Sequence[str]) -> dict[str, np.ndarray]:
    """The arrays `names` of a `.npz` file, whatever their dtypes and shapes, pickled objects excepted.

    Raises InputError, naming the file, if it is missing, empty, truncated, something else, or lacks an array.
    """
    with reading(path, ".npz"), zipfile.ZipFile(path) as archive:
        members = {member.removesuffix(".npy") for member in archive.namelist()}
        missing = [name for name in names if name not in members]
        if missing:
            raise InputError(f"{path}: lacks the arrays {missing}; it has {sorted(members)}")
        arrays = {}
        for name in names:
            with archive.open(f"{name}.npy") as stream:
                arrays[name] = np.lib.format.read_array(stream, allow_pickle=False)
        return arrays


def read_idx(path: Path) -> np.ndarray:
    """The array (uint8) of an idx file of unsigned bytes, gzip-compressed where its name ends in `.gz`.

    Raises InputError, naming the file, if it is missing, empty, truncated, too long or something else.
    """
    with reading(path, "idx"), gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as stream:
        content = stream.read()
    dimensions = content[3] if len(content) > 3 else 0
    header = 4 + 4 * dimensions
    if content[:3] != _IDX_UNSIGNED_BYTES or len(content) < header:
        raise InputError(f"{path}: not a readable idx file (no header of unsigned bytes in its {len(content)} bytes)")
    shape = struct.unpack(f">{dimensions}I", content[4:header])
    expected = header + math.prod(shape)
    if len(content) != expected:
        raise InputError(f"{path}: {len(content)} bytes, but its header, shape {shape}, asks for {expected}")
    return np.frombuffer(content, np.uint8, offset=header).reshape(shape).copy()


def labelled_images(
    where: object, x: np.ndarray, y: np.ndarray, *, shape: tuple[int, ...], classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Images (n, *shape) as uint8, 0 to 255, and their labels (n,) as int64, 0 to classes - 1.

    Raises InputError, naming `where`, the file or files, if they are anything else.
    """
    check_array(where, x, kinds="u", shape=(None, *shape))
    check_array(where, y, kinds="ui", shape=(None,))
    check_range(where, x, 0, 255)
    check_range(where, y, 0, classes - 1)
    if len(x) != len(y):
        raise InputError(f"{where}: {len(y)} labels for {len(x)} images")
    return x.astype(np.uint8), y.astype(np.int64)


def labelled_splits(
    files: Sequence[Path], arrays: Mapping[str, np.ndarray], *, shape: tuple[int, ...], classes: int
) -> dict[str, np.ndarray]:
    """The same of x_train and y_train, and of x_test and y_test; InputError names the files."""
    found, where = {}, ", ".join(map(str, files))
    for split in ("train", "test"):
        x, y = f"x_{split}", f"y_{split}"
        found[x], found[y] = labelled_images(where, arrays[x], arrays[y], shape=shape, classes=classes)
    return found


def check_array(where: object, array: np.ndarray, *, kinds: str, shape: tuple[int | None, ...]) -> None:
    """Raise InputError, naming the file, unless the dtype's kind is in `kinds` and the shape fits (None: any)."""
    if array.dtype.kind not in kinds:
        raise InputError(f"{where}: dtype {array.dtype}, expected one of the kinds {'/'.join(kinds)}")
    fits = array.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, array.shape, strict=True))
    if not fits:
        expected = ", ".join("any" if length is None else str(length) for length in shape)
        raise InputError(f"{where}: shape {array.shape}, expected ({expected})")


def check_range(where: object, array: np.ndarray, low: int, high: int) -> None:
    """Raise InputError, naming the file, unless every value lies in low..high (both included)."""
    if array.size and not (low <= array.min() and array.max() <= high):
        raise InputError(f"{where}: values {array.min()} to {array.max()}, expected {low} to {high}")
