"""Arrays of several units in one file: what a job writes that does many small pieces of work in one process."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays

_UNITS = "units"


def save_shard(path: str | Path, units: Mapping[str, Mapping[str, np.ndarray]]) -> None:
    """Write the arrays of every unit, with their digest; a unit may have none."""
    arrays = {f"{unit}/{name}": array for unit, own in units.items() for name, array in own.items()}
    save_arrays(path, **{_UNITS: np.array(list(units))}, **arrays)


def load_unit(paths: Iterable[str | Path], unit: str) -> dict[str, np.ndarray]:
    """Return the arrays of one unit, from the shard that has it; InputError if none has, or one is no shard."""
    paths = list(paths)
    for path in paths:
        arrays = load_arrays(path)
        if _UNITS not in arrays:
            raise InputError(f"{path}: not arrays by unit: it lacks {_UNITS!r}; it has {sorted(arrays)}")
        if unit in arrays[_UNITS]:
            return {
                name.removeprefix(f"{unit}/"): array for name, array in arrays.items() if name.startswith(f"{unit}/")
            }
    raise InputError(f"{', '.join(map(str, paths))}: no arrays of {unit}")
