"""Trainings that are stopped on purpose, for tests that they go on to the same bytes."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from lib.core.checkpoint import Checkpoint

ROOT = Path(__file__).parents[1]


class _Stopping(Checkpoint):
    """A checkpoint that keeps every state and stops the job after so many."""

    def __init__(self, path, saves):
        super().__init__(path, "key", seconds=0)
        self._left = saves

    def save(self, state):
        super().save(state)
        self._left -= 1
        if self._left == 0:
            raise KeyboardInterrupt


def stopped_and_resumed(run, path, saves):
    """What `run(checkpoint)` returns when it is stopped after so many saved states, and then run again."""
    with pytest.raises(KeyboardInterrupt), _Stopping(path, saves) as checkpoint:
        run(checkpoint)
    with Checkpoint(path, "key", seconds=0) as checkpoint:
        return run(checkpoint)


class StoppedError(Exception):
    """What `stop_after` raises."""


def stop_after(steps):
    """A note of progress that ends the training after so many steps."""

    def progress(done, *_):
        if done == steps:
            raise StoppedError

    return progress


def counting(done):
    """A note of progress that adds each step's number to the list."""
    return lambda step, *_: done.append(step)


def kill_at(module, step, path):
    """Run the `train` of a test module in a process of its own, which kills itself after so many steps."""
    program = f"""
import os, signal, torch
from lib.core.checkpoint import Checkpoint
from {module} import train
torch.set_num_threads({torch.get_num_threads()})
kill = lambda done, *_: os.kill(os.getpid(), signal.SIGKILL) if done == {step} else None
with Checkpoint({str(path)!r}, "key", seconds=0) as checkpoint:
    train(checkpoint=checkpoint, progress=kill)
"""
    killed = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
