"""Students of masks as their jobs kept them."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from lib.core.shards import load_unit


def student_weights(shards: Iterable[Path], unit: str, labelling: str) -> dict[str, np.ndarray]:
    """Return the weights of one student, by name. unit: source/encoder; InputError if no shard has it."""
    start = f"{labelling}/"
    return {
        name.removeprefix(start): array for name, array in load_unit(shards, unit).items() if name.startswith(start)
    }
