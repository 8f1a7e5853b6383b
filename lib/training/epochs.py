"""A training that goes on, step by step, from where it was stopped to its end."""

from collections.abc import Callable, Mapping
from typing import Protocol

from lib.core.checkpoint import Checkpoint, State


class Resumable(Protocol):
    """A training at a step that can be saved and restored."""

    step: int
    steps: int
    epoch_steps: int

    def advance(self) -> None:
        """One batch."""

    def state(self) -> State:
        """All that `restore` needs to go on from here."""

    def restore(self, state: Mapping) -> None:
        """Go on from what `state` returned."""


def run_to_end(trainer: Resumable, checkpoint: Checkpoint | None, progress: Callable[[int, int], None]) -> None:
    """Advance to the last step; calls progress(done, total) after each epoch.

    With a checkpoint, which must be entered, training goes on where it stopped and is saved whenever that is due.
    """
    saved = checkpoint.load() if checkpoint else None
    if saved:
        trainer.restore(saved)
    while trainer.step < trainer.steps:
        trainer.advance()
        if trainer.step % trainer.epoch_steps == 0:
            progress(trainer.step // trainer.epoch_steps, trainer.steps // trainer.epoch_steps)
        if checkpoint and checkpoint.due():
            checkpoint.save(trainer.state())
