"""What the scripts share that work on prepared volumes: who is in which part, and how a task is measured.

Importing torch takes longer than some of them do: it is left to those that compute with networks.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lib.core.code_inputs import digest
from lib.data.volumes.prepared import PreparedVolumes, read_prepared
from lib.data.volumes.split import split_subjects
from lib.segmentation.dice import CLASSES, DiceScores, best_threshold, dice, hard_labels
from scripts import cli

if TYPE_CHECKING:
    import torch

    from lib.core.checkpoint import Checkpoint

_FILES = ("volumes", "checkpoint", "output", "weights", "answers", "codes", "fitted")  # paths among the arguments

LEVELS = 255  # teachers' soft answers are kept as whole numbers of 1/255


@dataclass(frozen=True)
class SegmentationJob:
    """One job: its arguments, the volumes of its task, and where it computes."""

    arguments: argparse.Namespace
    volumes: PreparedVolumes

    @cached_property
    def device(self) -> torch.device:
        """Where networks compute; asked for before they do, for it also says how."""
        from lib.training.device import choose_device

        return choose_device(self.arguments.device, self.arguments.threads)

    @property
    def task(self) -> dict:
        """The task's block of the configuration."""
        return self.arguments.task

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """(C, X, Y, Z) of the task's soft masks."""
        classes = self.task["classes"]
        return (1 if classes == 1 else classes + 1, *self.volumes.label.shape[1:])

    @cached_property
    def rows(self) -> dict[str, np.ndarray]:
        """Rows of the volumes in each part, in this repetition; no patient is in two."""
        return rows_of(self.volumes, self.task, self.arguments.seed, self.arguments.repetition)

    def masks(self, part: str, first: int | None = None) -> np.ndarray:
        """The true soft masks (n, C, X, Y, Z) of a part, or of the first so many in it."""
        return self.volumes.masks(self.rows[part][:first], self.task["classes"])

    def labels(self, rows: np.ndarray) -> np.ndarray:
        """Labels (n, X, Y, Z) uint8 in memory; only those of some rows are filled in."""
        labels = np.zeros(self.volumes.label.shape, np.uint8)
        for row in rows:
            labels[row] = self.volumes.label[row]
        return labels

    def dice(self, masks: Iterable[np.ndarray], rows: np.ndarray, threshold: float | None = None) -> DiceScores:
        """Dice of soft masks (C, X, Y, Z) of some rows, one at a time, whole volumes, against what is true of them."""
        found = np.stack([hard_labels(mask[None], threshold)[0] for mask in masks])
        true, classes = self.volumes.label[rows], self.task["classes"]
        regions = {"tumour": (1,)} if classes == 1 else CLASSES
        return dice(found, (true > 0).astype(np.uint8) if classes == 1 else true, regions, "skip")

    def threshold(self, masks: np.ndarray, rows: np.ndarray) -> float:
        """The best threshold of soft masks (n, C, X, Y, Z) of public volumes."""
        return best_threshold(masks, self.volumes.label[rows])[0]

    def checkpoint(self, script: str, *part: str, given: str = "") -> Checkpoint:
        """Where half-done work is kept.

        script: the job's file. part: of a job that trains one after the other. given: fingerprint of what is learned
        beside the volumes.
        """
        from lib.core.checkpoint import Checkpoint, state_key

        arguments = {key: value for key, value in vars(self.arguments).items() if key not in _FILES}
        key = state_key(arguments, digest(f"scripts/{Path(script).name}"), self.volumes.fingerprint + given)
        path = Path(self.arguments.checkpoint)
        return Checkpoint(path.with_stem("-".join((path.stem, *part))), key)

    def record(self) -> dict:
        """What every record of such a job says."""
        arguments = self.arguments
        return {
            "job": arguments.job,
            "preset": arguments.preset,
            "seed": arguments.seed,
            "dataset": arguments.dataset,
            "fingerprint": self.volumes.fingerprint,
            "device": arguments.device,
        }


def rows_of(volumes: PreparedVolumes, task: dict, seed: int, repetition: int) -> dict[str, np.ndarray]:
    """Rows of the volumes in each part, in a repetition; no patient is in two parts.

    `apart` of the task: so many repetitions share no patient either; others divide the patients anew.
    """
    parts, apart = task["parts"], task["apart"]
    round_, place = divmod(repetition - 1, apart)
    sizes = {part: size * apart for part, size in parts.items()}
    rows = split_subjects(volumes.groups, sizes, seed, "segmentation", task["name"], str(round_))
    return {part: rows[part][place * size : (place + 1) * size] for part, size in parts.items()}


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser with what all these jobs are told."""
    made = cli.job_parser(description)
    made.add_argument("--volumes", required=True, help="index.json of the prepared volumes")
    cli.add_json(made, "--task", "the task's block of the configuration, with its name")
    made.add_argument("--repetition", type=int, required=True, help="which division of the patients")
    cli.add_device(made)
    return made


def training_parser(description: str | None) -> argparse.ArgumentParser:
    """A parser of those that train, and go on where they were stopped."""
    made = parser(description)
    made.add_argument("--checkpoint", required=True, help="file for the state of half-done work")
    return made


def read_job(made: argparse.ArgumentParser, argv: list[str] | None) -> SegmentationJob:
    """The job of a command line."""
    arguments = made.parse_args(argv)
    return SegmentationJob(arguments, read_prepared(arguments.volumes))


def scores_of(found: DiceScores, name: str = "dice") -> dict[str, float]:
    """Mean Dice, and that of each region; what no subject has is left out."""
    named = {name: found.mean()} | {f"{name}_{region}": value for region, value in found.by_region().items()}
    return {name: value for name, value in named.items() if value is not None}
