"""CIFAR's Python batches: pickles that are read without running anything they name.

A pickle may call any function that it names. These name three, all of numpy, to rebuild one array; in their place stand
records that only keep what they are given, and every other name is refused.
"""

import io
import pickle
from typing import Any

import numpy as np

from lib.core.errors import InputError
from lib.core.files import reading

_RECONSTRUCT = "_reconstruct"
_MODULES = ("numpy.core.multiarray", "numpy._core.multiarray")
_SIDE = 32


class _Record:
    """What a pickle says of a numpy object: the arguments it is made with, and its state."""

    def __init__(self, *arguments: Any) -> None:
        self.arguments, self.state = arguments, ()

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _Inert(pickle.Unpickler):
    """An unpickler that knows dicts, lists, text, numbers and records of numpy's arrays."""

    def find_class(self, module: str, name: str) -> type:
        """The record that stands for a numpy name; UnpicklingError for all others."""
        if (module in _MODULES and name == _RECONSTRUCT) or (module == "numpy" and name in ("ndarray", "dtype")):
            return _Record
        raise pickle.UnpicklingError(f"it names {module}.{name}")


def parse_batch(content: bytes, label: str, where: str) -> tuple[np.ndarray, np.ndarray]:
    """X (n, 32, 32, 3) uint8, 0 to 255, and y (n,) int64 of one batch, given its bytes.

    label: the key of its labels, `labels` or `fine_labels`; where: the name of the file.
    Raises InputError, naming `where`, if it is damaged, names anything but numpy's arrays, or holds something else.
    """
    with reading(where, "CIFAR batch"):
        try:
            batch = _Inert(io.BytesIO(content), encoding="bytes").load()
        except (pickle.UnpicklingError, AttributeError, IndexError, OverflowError) as error:
            raise ValueError(error) from error
    entries = {_text(key): value for key, value in batch.items()} if isinstance(batch, dict) else {}
    if not {"data", label} <= set(entries):
        raise InputError(f"{where}: lacks data or {label}; it has {sorted(entries)}")
    y = entries[label]
    if not isinstance(y, list) or not all(type(value) is int for value in y):
        raise InputError(f"{where}: {label} is not a list of integers")
    planes = _pixels(entries["data"], where)
    if len(y) != len(planes):
        raise InputError(f"{where}: {len(y)} labels for {len(planes)} images")
    return np.ascontiguousarray(planes.transpose(0, 2, 3, 1)), np.array(y, np.int64)


def _pixels(record: Any, where: str) -> np.ndarray:
    """The planes (n, 3, 32, 32) uint8 that a record of an array of unsigned bytes holds."""
    state = getattr(record, "state", ())
    fault = f"{where}: its data are not an array of unsigned bytes (n, {3 * _SIDE * _SIDE}) in C order"
    if not isinstance(state, tuple) or len(state) != 5:
        raise InputError(fault)
    _, shape, dtype, fortran, content = state
    kind = _text(dtype.arguments[0]) if isinstance(dtype, _Record) and dtype.arguments else ""
    count = len(content) // (3 * _SIDE * _SIDE) if isinstance(content, bytes) else 0
    if kind != "u1" or fortran or shape != (count, 3 * _SIDE * _SIDE) or len(content) != count * 3 * _SIDE * _SIDE:
        raise InputError(fault)
    return np.frombuffer(content, np.uint8).reshape(count, 3, _SIDE, _SIDE)


def _text(value: Any) -> str:
    """Text of a pickle, which Python 2 wrote as bytes."""
    return value.decode("ascii", "replace") if isinstance(value, bytes) else str(value)
