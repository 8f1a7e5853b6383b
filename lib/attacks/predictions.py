"""Keep the predictions of a target's and a shadow's networks on the data of an attack in one file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lib.attacks.sides import SIDES
from lib.attacks.task import PARTS, Task
from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays


@dataclass(frozen=True)
class Predictions:
    """Predictions of the networks of one side, alone or as ensembles, on the rows of an attack.

    probabilities (E, n, classes) float64; part (n,), places in PARTS; labels (n,), those that were trained on; sizes
    (E,), the number of members of each ensemble, 1 for a network alone.
    """

    probabilities: np.ndarray
    part: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray

    def of(self, ensemble: int, *parts: str) -> np.ndarray:
        """Probabilities (k, classes) that one ensemble gives to the rows of some parts, one after the other."""
        return np.concatenate([self.probabilities[ensemble][self.part == PARTS.index(name)] for name in parts])

    def halves(self, ensemble: int, side: str) -> tuple[np.ndarray, np.ndarray]:
        """Return predictions on both halves of a side's data, and which samples are in the half that is trained on."""
        names = f"{side}_train", f"{side}_out"
        counts = [int((self.part == PARTS.index(name)).sum()) for name in names]
        return self.of(ensemble, *names), np.repeat([True, False], counts)

    def majority(self, part: str) -> float:
        """Share of a part's rows with its most frequent label: the accuracy of whoever learned nothing else."""
        return float(
            np.bincount(self.labels[self.part == PARTS.index(part)]).max() / (self.part == PARTS.index(part)).sum()
        )

    def accuracy(self, ensemble: int, part: str) -> float:
        """Share of a part's rows whose label is the most probable class."""
        rows = self.part == PARTS.index(part)
        return float((self.probabilities[ensemble][rows].argmax(1) == self.labels[rows]).mean())


def ensembles_of(members: int, sizes: Sequence[int]) -> list[list[int]]:
    """Every network alone, and for each larger size the first so many; InputError for a size beyond the members."""
    if not sizes or max(sizes) > members or min(sizes) < 1:
        raise InputError(f"sizes {list(sizes)}: allowed are ensembles of 1 to {members}")
    return [[k] for k in range(members)] + [list(range(size)) for size in sizes if size > 1]


def asked(task: Task, repetition: int, side: str, alone: bool = False) -> np.ndarray:
    """Rows that a side's networks are asked about: the target's of all, the shadow's of its own halves.

    alone: without a shadow the target is asked about neither of the shadow's halves.
    """
    halves = ("shadow_train", "shadow_out")
    target = [name for name in PARTS if not (alone and name in halves)]
    return task.rows(repetition, *(target if side == "target" else halves))


def write_predictions(path: str | Path, predictions: Mapping[int, Mapping[str, Predictions]]) -> None:
    """Write the predictions of SIDES, or of the target alone, in each repetition as .npz."""
    places = {f"{repetition}.{side}": said for repetition, own in predictions.items() for side, said in own.items()}
    save_arrays(path, **{f"{place}.{name}": a for place, own in places.items() for name, a in vars(own).items()})


def read_predictions(path: str | Path) -> dict[int, dict[str, Predictions]]:
    """Read what `write_predictions` wrote; InputError names a file that is none."""
    arrays = load_arrays(path)
    try:
        sides = SIDES if any(key.split(".")[1] == SIDES[1] for key in arrays) else SIDES[:1]
        return {
            repetition: {
                side: Predictions(*(arrays[f"{repetition}.{side}.{name}"] for name in Predictions.__annotations__))
                for side in sides
            }
            for repetition in sorted({int(key.partition(".")[0]) for key in arrays})
        }
    except (ValueError, KeyError, IndexError) as error:
        raise InputError(f"{path}: not predictions of both sides ({error})") from error
