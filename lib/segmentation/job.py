"""One job on prepared volumes: who is in which part, and how a task is measured.

Importing torch takes longer than some of these jobs do: it is left to those that compute with networks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from lib.core.code_inputs import digest
from lib.core.command import Job, progress
from lib.data.volumes.prepared_folder import PreparedVolumes, read_prepared
from lib.data.volumes.split import split_subjects
from lib.segmentation.dice import best_threshold

if TYPE_CHECKING:
    import torch

    from lib.core.checkpoint import Checkpoint
    from lib.training.context import Context

LEVELS = 255  # teachers' soft answers are kept as whole numbers of 1/255


@dataclasses.dataclass(frozen=True)
class SegmentationJob(Job):
    """One job on the volumes of one task.

    volumes: index.json of the prepared volumes. task: what is read of the task's block of the configuration, with its
    name. repetition: which division of the patients. device: cpu or cuda. threads: threads on the CPU.
    """

    volumes: Path
    task: dict
    repetition: int
    device: str
    threads: int

    @cached_property
    def prepared(self) -> PreparedVolumes:
        """The volumes of the task."""
        return read_prepared(self.volumes)

    @cached_property
    def place(self) -> torch.device:
        """Where networks compute; asked for before they do, for it also says how."""
        from lib.training.device import choose_device

        return choose_device(self.device, self.threads)

    def of_unit(self, *names: str) -> Self:
        """Return the job of one unit of a shard: rule, task and unit key its draws and name its record."""
        unit = dataclasses.replace(self, job=(self.job[0], self.task["name"], *names, str(self.repetition)))
        unit.__dict__["prepared"] = self.prepared  # read once for all units
        return unit

    def coded(self, encoder: Mapping[str, Any] | None = None) -> Self:
        """Return the job on the classes that the encoder keeps (only the whole tumour for one-class encoders).

        encoder: its block of the configuration; None where there is none.
        """
        classes = (encoder or {}).get("coded_classes", self.task["coded_classes"])
        own = dataclasses.replace(self, task=self.task | {"classes": classes})
        own.__dict__["prepared"] = self.prepared
        return own

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """(C, X, Y, Z) of the task's soft masks."""
        classes = self.task["classes"]
        return (1 if classes == 1 else classes + 1, *self.prepared.label.shape[1:])

    @cached_property
    def rows(self) -> dict[str, np.ndarray]:
        """Rows of the volumes in each part, in this repetition; no patient is in two."""
        return rows_of(self.prepared, self.task, self.seed, self.repetition)

    def masks(self, part: str, first: int | None = None) -> np.ndarray:
        """Return the true soft masks (n, C, X, Y, Z) of a part, or of the first so many in it."""
        return self.prepared.masks(self.rows[part][:first], self.task["classes"])

    def labels(self, rows: np.ndarray) -> np.ndarray:
        """Labels (n, X, Y, Z) uint8 in memory; only those of some rows are filled in."""
        labels = np.zeros(self.prepared.label.shape, np.uint8)
        for row in rows:
            labels[row] = self.prepared.label[row]
        return labels

    def threshold(self, masks: Iterable[np.ndarray], rows: np.ndarray) -> float:
        """Return the best threshold of soft masks (n, C, X, Y, Z) of public volumes."""
        return best_threshold(masks, self.prepared.label[rows])[0]

    def identity(self) -> dict[str, Any]:
        """Return the entries that every record of such a job has."""
        return super().identity() | {"fingerprint": self.prepared.fingerprint, "device": self.device}


@dataclasses.dataclass(frozen=True)
class SegmentationTraining(SegmentationJob):
    """A job that trains, and goes on where it was stopped.

    checkpoint: file for the state of half-done work.
    """

    checkpoint: Path
    settings: dict

    def context(self, checkpoint: Checkpoint, units: str) -> Context:
        """Return the context of a training with one of the job's states, entered; units: what progress counts."""
        from lib.training.context import Context

        return Context(self.seed, self.job, self.place, checkpoint, progress(units))

    def state(self, *part: str, given: str = "") -> Checkpoint:
        """Where half-done work is kept.

        part: of a job that trains one after the other. given: fingerprint of what is learned beside the volumes.
        """
        from lib.core.checkpoint import Checkpoint, state_key

        key = state_key(self.settings, digest(self.script), self.prepared.fingerprint + given)
        return Checkpoint(self.checkpoint.with_stem("-".join((self.checkpoint.stem, *part))), key)


def rows_of(volumes: PreparedVolumes, task: dict, seed: int, repetition: int) -> dict[str, np.ndarray]:
    """Rows of the volumes in each part, in a repetition; no patient is in two parts.

    `apart` of the task: so many repetitions share no patient either; others divide the patients anew.
    """
    parts, apart = task["parts"], task["apart"]
    round_, place = divmod(repetition - 1, apart)
    sizes = {part: size * apart for part, size in parts.items()}
    rows = split_subjects(volumes.groups, sizes, seed, "segmentation", task["name"], str(round_))
    return {part: rows[part][place * size : (place + 1) * size] for part, size in parts.items()}
