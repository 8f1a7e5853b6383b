"""Every training, on an accelerator that is pretended: no fault, the CPU's numbers, and one wait a step.

`pytest tests/accelerator -s` prints waits and operations a step.
"""

from statistics import median_low

import numpy as np
import pytest
import torch

from lib.core.checkpoint import Checkpoint
from tests.accelerator.pretended import DEVICE, pretended_device
from tests.core import test_resume_contract as contract

pytestmark = pytest.mark.usefixtures("device")
CPU = torch.device("cpu")
NO_STEPS = {"belief network"}  # its states are whole layers, and epochs of several steps
KINDS = ("DP-MAC, first order", "DP-SGD", "residual", "segmentation", "mask autoencoder, 3", "teachers", "GAN student")


class Watched:
    """In a checkpoint's place: what was counted whenever a training could have saved its state, after each step."""

    def __init__(self, counted):
        self.counted, self.seen = counted, []

    def load(self):
        return None

    def due(self):
        self.seen.append((self.counted.waits, self.counted.operations))
        return False

    def save(self, state):
        pass  # some say themselves when a state is worth keeping

    def remove(self):
        pass

    def of_a_step(self):
        """Waits and operations of a step, without the evaluations that end an epoch."""
        return [median_low(found) for found in np.diff(self.seen, axis=0).T.tolist()]


def on_the_device(monkeypatch, name, checkpoint=None):
    """What a training gives there, and its waits and operations a step."""
    with pretended_device() as counted:
        monkeypatch.setattr(contract, "CPU", DEVICE)
        watched = checkpoint or Watched(counted)
        found = contract.TRAININGS[name].run(checkpoint=watched)
        monkeypatch.setattr(contract, "CPU", CPU)
    return found, watched


def assert_close(found, expected):
    """The layout of memory may differ there, and with it the rounding."""
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name not in KINDS)) for name in contract.TRAININGS]
)
def test_on_an_accelerator_it_gives_the_same_numbers_and_waits_once_a_step(name, monkeypatch):
    found, watched = on_the_device(monkeypatch, name)
    assert_close(found, contract.TRAININGS[name].run())
    if name not in NO_STEPS:
        waits, operations = watched.of_a_step()
        print(f"{name}: {waits} waits, {operations} operations a step")
        assert waits <= 1


# one of every kind of trainer


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name not in KINDS)) for name in contract.TRAININGS]
)
def test_a_state_that_an_accelerator_saved_is_gone_on_from_there(name, monkeypatch, tmp_path):
    class Last(Checkpoint):
        """Keeps the state of the middle of the training, and no later one."""

        def due(self):
            return not (tmp_path / "state.npz").exists()

        def remove(self):
            pass

    def run():
        with Last(tmp_path / "state.npz", "key") as checkpoint:
            return on_the_device(monkeypatch, name, checkpoint)[0]

    whole = run()
    assert (tmp_path / "state.npz").exists()
    assert_close(run(), whole)


def rows_left_on_the_host(batch):
    return lambda self: tuple(part.cpu() for part in batch(self))


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (lambda x: x + torch.ones(3), "two devices"),
        (lambda x: torch.mm(x[None], torch.ones(3, 1)), "two devices"),
        (lambda x: torch.randn(3, device=x.device, generator=torch.Generator("cpu")), "a generator of cpu"),
        (lambda x: x.numpy(), "numpy"),
    ],
)
def test_the_pretended_device_finds_what_a_cpu_forgives(what, message):
    what(torch.ones(3))
    with pretended_device(), pytest.raises((RuntimeError, TypeError), match=message):
        what(torch.ones(3).to(DEVICE))


def test_the_pretended_device_counts_every_number_that_is_read():
    with pretended_device() as counted:
        x = torch.ones(3).to(DEVICE)
        assert counted.waits == 0
        for read in (lambda: x.sum().item(), lambda: bool((x > 0).all()), x.tolist, x.cpu):
            before = counted.waits
            read()
            assert counted.waits == before + 1


def test_rows_left_on_the_host_are_found(monkeypatch):
    from lib.training.dp_sgd import SgdTrainer

    monkeypatch.setattr(SgdTrainer, "_batch", rows_left_on_the_host(SgdTrainer._batch))
    with pytest.raises(RuntimeError, match="two devices"):
        on_the_device(monkeypatch, "DP-SGD")


def test_a_number_read_of_every_parameter_is_found(monkeypatch):
    from lib.training.dp_sgd import SgdTrainer

    advance = SgdTrainer.advance

    def reading(self):
        advance(self)
        assert all(parameter.isfinite().all() for parameter in self.module.parameters())

    monkeypatch.setattr(SgdTrainer, "advance", reading)
    _, watched = on_the_device(monkeypatch, "DP-SGD")
    assert watched.of_a_step()[0] > 1
