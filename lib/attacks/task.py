"""The data of membership attacks: a target's and a shadow's halves and the test set, drawn anew in each repetition."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lib.attacks.split import QUARTERS
from lib.core.errors import InputError
from lib.core.files import load_arrays, save_arrays

PARTS = (*QUARTERS, "test")


@dataclass(frozen=True)
class Task:
    """Images x (n, h, w, c) uint8 and their labels y (n,), and the data's fingerprint.

    part (n,): which of PARTS each is in; repetition (n,): in which draw, from 1; draws of one dataset overlap.
    """

    x: np.ndarray
    y: np.ndarray
    part: np.ndarray
    repetition: np.ndarray
    fingerprint: str

    def rows(self, repetition: int, *names: str) -> np.ndarray:
        """Return the rows (k,) of some parts of a draw, one part after the other."""
        own = self.repetition == repetition
        return np.concatenate([np.flatnonzero(own & (self.part == PARTS.index(name))) for name in names])

    @property
    def repetitions(self) -> list[int]:
        """Numbers of the draws."""
        return np.unique(self.repetition).tolist()

    def select(self, rows: np.ndarray) -> "Task":
        """Return some of its rows (k,)."""
        return Task(self.x[rows], self.y[rows], self.part[rows], self.repetition[rows], self.fingerprint)

    def first(self, repetitions: int) -> "Task":
        """Return the first so many draws; InputError where there are fewer."""
        if not 1 <= repetitions <= len(self.repetitions):
            raise InputError(f"repetitions {repetitions}: allowed are 1 to {len(self.repetitions)}")
        return self.select(np.flatnonzero(self.repetition <= repetitions))

    def write(self, path: str | Path) -> None:
        """Write it as .npz."""
        save_arrays(path, **vars(self) | {"fingerprint": np.array(self.fingerprint)})


def read_task(path: str | Path) -> Task:
    """Read what `Task.write` wrote; InputError names a file that is none."""
    arrays: dict[str, Any] = load_arrays(path, *Task.__dataclass_fields__)
    return Task(**arrays | {"fingerprint": str(arrays["fingerprint"])})


def joined(tasks: Sequence[Task]) -> Task:
    """Draws of one dataset, one after the other, all with as many samples in a quarter as the smallest has.

    Patients do not divide evenly, and networks that are trained together need parts of one size.
    """
    least = min(len(task.rows(draw, name)) for task in tasks for draw in task.repetitions for name in QUARTERS)
    tasks = [
        task.select(np.concatenate([task.rows(draw, name)[: None if name == "test" else least] for name in PARTS]))
        for task in tasks
        for draw in task.repetitions
    ]
    arrays = {name: [getattr(task, name) for task in tasks] for name in ("x", "y", "part", "repetition")}
    return Task(**{name: np.concatenate(parts) for name, parts in arrays.items()}, fingerprint=tasks[0].fingerprint)
