"""The context that every training receives beside its data and its settings."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.command import Training, progress
from lib.core.seeding import Draws
from lib.training.device import choose_device

Progress = Callable[[int, int], None]  # of epochs or steps done, and of all


def silent(done: int, total: int) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Context(Draws):
    """Seed, job, device, checkpoint and progress of one training; a prediction has no need of the last two.

    seed, job: key all its random draws. device: where it computes. checkpoint: where it keeps its state, entered;
    training goes on from that and gives the same bytes. None keeps no state. progress: called with what is done, of how
    many, after every epoch, or every step of a training without epochs.
    """

    device: torch.device
    checkpoint: Checkpoint | None = None
    progress: Progress = silent

    def stream(self, *role: str) -> torch.Generator:
        """Return a generator of numbers on the device for one role, at its start."""
        return torch.Generator(self.device).manual_seed(self.integer_seed(*role))

    def saved(self) -> dict[str, Any]:
        """Return the state to go on from, empty for none."""
        return (self.checkpoint.load() if self.checkpoint else None) or {}

    def save(self, state: Mapping[str, "np.ndarray | torch.Tensor | int"]) -> None:
        """Save a state, where any is kept."""
        if self.checkpoint:
            self.checkpoint.save(state)


@contextmanager
def resumed(draws: Draws, training: Training, script: str, data: str, units: str, **given: str) -> Iterator[Context]:
    """Enter the context of a job that trains; its state is removed at the end, unless an error comes first.

    script: the job's file. data: fingerprint of what it trains on. units: what progress counts. given: fingerprints of
    all else that the state depends on.
    """
    device = choose_device(training.device, training.threads)
    key = state_key(training.settings | given, digest(script), data)
    with Checkpoint(training.checkpoint, key) as checkpoint:
        yield Context(draws.seed, draws.job, device, checkpoint, progress(units))
        checkpoint.remove()
