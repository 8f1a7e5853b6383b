"""A training that goes on, step by step, from where it was stopped to its end."""

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
import torch

from lib.core.checkpoint import State
from lib.training.context import Context


class Resumable(Protocol):
    """A training at a step that can be saved and restored."""

    @property
    def step(self) -> int:
        """Steps done."""

    @property
    def epoch_steps(self) -> int:
        """Steps of an epoch."""

    @property
    def steps(self) -> int:
        """Steps in all."""

    def advance(self) -> object:
        """Take one step; nobody reads what this returns."""

    def state(self) -> State:
        """All that `restore` needs to go on from here."""

    def restore(self, state: Mapping) -> None:
        """Go on from what `state` returned."""


def run_to_end(
    trainer: Resumable,
    context: Context,
    saved: Mapping[str, "np.ndarray | torch.Tensor | int"] | None = None,
    more: Mapping[str, "np.ndarray | torch.Tensor | int"] | None = None,
) -> None:
    """Advance to the last step, from the context's state; save it whenever that is due.

    Progress counts epochs. saved: the state to go on from where the caller has loaded it, empty for none. more: saved
    beside the trainer's.
    """
    if saved is None:
        saved = context.saved()
    if saved:
        trainer.restore(saved)
    while trainer.step < trainer.steps:
        trainer.advance()
        if context.checkpoint and context.checkpoint.due():
            context.checkpoint.save({**(more or {}), **trainer.state()})
        if trainer.step % trainer.epoch_steps == 0:
            context.progress(trainer.step // trainer.epoch_steps, trainer.steps // trainer.epoch_steps)


class Measured:
    """A training with its curves: measures of it before the first step and after each epoch."""

    def __init__(self, trainer: Resumable, measure: Callable[[], Mapping[str, torch.Tensor]]) -> None:
        """`measure`: (R,) by name, of R networks trained at once."""
        self._trainer, self._measure = trainer, measure
        self._values: dict[str, list[np.ndarray]] = {}

    @property
    def step(self) -> int:
        """Steps done."""
        return self._trainer.step

    @property
    def steps(self) -> int:
        """Steps in all."""
        return self._trainer.steps

    @property
    def epoch_steps(self) -> int:
        """Steps of an epoch."""
        return self._trainer.epoch_steps

    @property
    def curves(self) -> dict[str, np.ndarray]:
        """(R, epochs done + 1) by name."""
        return {name: np.stack(values, axis=1) for name, values in self._values.items()}

    def advance(self) -> None:
        """Take one step."""
        if self.step == 0:
            self._note()
        self._trainer.advance()
        if self.step % self.epoch_steps == 0:
            self._note()

    def _note(self) -> None:
        for name, values in self._measure().items():
            self._values.setdefault(name, []).append(values.double().cpu().numpy())

    def state(self) -> State:
        """Return the trainer's state and the curves so far."""
        curves: State = {f"curve.{name}": values for name, values in self.curves.items()}
        return curves | self._trainer.state()

    def restore(self, state: Mapping) -> None:
        """Go on from what `state` returned."""
        self._trainer.restore(state)
        self._values = {name: list(values.T) for name, values in under("curve", state).items()}


def under(prefix: str, state: Mapping) -> dict[str, np.ndarray]:
    """Entries of a state whose names begin with `prefix.`, without it."""
    return {key.partition(".")[2]: value for key, value in state.items() if key.startswith(f"{prefix}.")}
