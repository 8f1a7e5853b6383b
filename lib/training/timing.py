"""How long an epoch of training takes, several trainings measured in turn."""

import time
from collections.abc import Mapping
from typing import Protocol, TypeVar

import numpy as np
import torch

Name = TypeVar("Name")


class Trainer(Protocol):
    """A training that goes on step by step."""

    epoch_steps: int

    def advance(self) -> None:
        """One batch."""


def clock(device: torch.device) -> float:
    """Seconds: processor time on the CPU, which other work lengthens little, wall time elsewhere."""
    if device.type == "cpu":
        return time.process_time()
    torch.cuda.synchronize(device)
    return time.perf_counter()


def epoch_seconds(trainers: Mapping[Name, Trainer], epochs: int, device: torch.device) -> dict[Name, np.ndarray]:
    """Seconds (epochs,) of each training's epochs, after a first step; all have an epoch before any has the next."""
    for trainer in trainers.values():
        trainer.advance()
    spent: dict[Name, list[float]] = {name: [] for name in trainers}
    for _ in range(epochs):
        for name, trainer in trainers.items():
            start = clock(device)
            for _ in range(trainer.epoch_steps):
                trainer.advance()
            spent[name].append(clock(device) - start)
    return {name: np.array(seconds) for name, seconds in spent.items()}
