"""Trainings are timed in turn, each epoch of one beside the same epoch of the others."""

import numpy as np
import pytest
import torch

from lib.training import timing


class Counted:
    """A training that notes who advanced, and takes a stated time a step."""

    def __init__(self, name, steps, seconds, calls, clock):
        self.name, self.epoch_steps, self.seconds, self.calls, self.clock = name, steps, seconds, calls, clock

    def advance(self):
        self.calls.append(self.name)
        self.clock[0] += self.seconds


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(timing, "clock", lambda device: now[0])
    return now


def test_epochs_are_timed_in_turn_after_a_first_step(clock):
    calls = []
    trainers = {"a": Counted("a", 2, 1.0, calls, clock), "b": Counted("b", 3, 0.5, calls, clock)}
    spent = timing.epoch_seconds(trainers, 2, torch.device("cpu"))
    assert "".join(calls) == "ab" + "aabbb" * 2
    np.testing.assert_array_equal(spent["a"], [2.0, 2.0])
    np.testing.assert_array_equal(spent["b"], [1.5, 1.5])


def test_the_clock_of_a_cpu_counts_work_and_not_waiting():
    device = torch.device("cpu")
    start = timing.clock(device)
    torch.ones(400, 400) @ torch.ones(400, 400)
    assert timing.clock(device) > start
