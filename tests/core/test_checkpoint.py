"""The state of a job on disk: what it keeps, what it ignores, and who may write it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
HOLDER = """
import sys, time
from lib.core.checkpoint import Checkpoint
with Checkpoint(sys.argv[1], "key") as checkpoint:
    checkpoint.save({"step": 3})
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "states" / "job.npz"


def test_it_gives_back_what_was_saved(path):
    state = {"step": 7, "w": torch.randn(3, 2), "adam": torch.tensor(4.0), "votes": np.arange(6, dtype=np.uint8)}
    with Checkpoint(path, "key") as checkpoint:
        assert checkpoint.load() is None
        checkpoint.save(state)
    with Checkpoint(path, "key") as checkpoint:
        loaded = checkpoint.load()
    assert loaded["step"] == 7 and isinstance(loaded["step"], int)
    assert loaded["w"].tobytes() == state["w"].numpy().tobytes()
    assert loaded["adam"].dtype == np.float32 and loaded["adam"].shape == ()
    assert loaded["votes"].dtype == np.uint8
    assert set(loaded) == set(state)
    assert os.listdir(path.parent) == ["job.npz"]


def test_a_state_of_another_key_is_none_and_is_replaced(path):
    with Checkpoint(path, "key") as checkpoint:
        checkpoint.save({"step": 1})
    with Checkpoint(path, "other") as checkpoint:
        assert checkpoint.load() is None
        assert not path.exists()
        checkpoint.save({"step": 2})
        assert checkpoint.load() == {"step": 2}


@pytest.mark.parametrize("keep", [0, 1, 40, 0.5, -1])
def test_a_truncated_file_is_none(path, keep):
    with Checkpoint(path, "key") as checkpoint:
        checkpoint.save({"w": np.random.default_rng(0).random(1000)})
        content = path.read_bytes()
        path.write_bytes(content[: int(keep * len(content)) if isinstance(keep, float) else keep])
        assert checkpoint.load() is None
        assert not path.exists()


def test_every_flipped_byte_is_harmless(path):
    state = {"step": 5, "w": np.arange(20.0)}
    with Checkpoint(path, "key") as checkpoint:
        checkpoint.save(state)
        content = path.read_bytes()
        for place in range(0, len(content), 7):
            path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
            loaded = checkpoint.load()
            assert loaded is None or (loaded["step"] == 5 and np.array_equal(loaded["w"], state["w"]))


def test_due_by_time(path, monkeypatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Checkpoint(path, "key", seconds=0.05) as checkpoint:
        now += 0.04
        assert not checkpoint.due()
        now += 0.02
        assert checkpoint.due()
        checkpoint.save({"step": 1})
        now += 0.04
        assert not checkpoint.due()


def test_remove_and_leaving_no_lock_behind(path):
    with Checkpoint(path, "key") as checkpoint:
        checkpoint.save({"step": 1})
        checkpoint.remove()
        checkpoint.remove()
    assert os.listdir(path.parent) == []


def test_an_error_inside_gives_the_lock_back(path):
    with pytest.raises(ZeroDivisionError), Checkpoint(path, "key"):
        raise ZeroDivisionError
    with Checkpoint(path, "key"):
        pass


def test_saving_outside_with_is_refused(path):
    with pytest.raises(ValueError, match="inside `with`"):
        Checkpoint(path, "key").save({"step": 1})


@pytest.mark.slow
def test_a_second_process_is_refused_while_the_first_runs_and_served_after_it_was_killed(path):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=f"process {holder.pid} on .* still works on it") as error:
            Checkpoint(path, "key").__enter__()
        assert str(path) in str(error.value) and "\n" not in str(error.value)
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    assert (path.parent / "job.npz.lock").exists()
    leftover = path.parent / f".{holder.pid}.job.npz"  # as if it had been killed while writing
    leftover.write_bytes(b"half")
    other = path.parent / f".{holder.pid}.other.npz"
    other.write_bytes(b"another job's")
    with Checkpoint(path, "key") as checkpoint:
        assert checkpoint.load() == {"step": 3}
    assert sorted(os.listdir(path.parent)) == sorted([other.name, "job.npz"])


def test_a_job_that_goes_on_says_so(tmp_path, capsys):
    with Checkpoint(tmp_path / "job.npz", "key") as checkpoint:
        assert checkpoint.load() is None
        assert capsys.readouterr().err == ""
        checkpoint.save({"step": 3})
        checkpoint.load()
    assert capsys.readouterr().err == f"going on from {tmp_path / 'job.npz'}\n"


def test_a_state_of_another_torch_is_not_gone_on_from(monkeypatch):
    before = state_key({}, "code", "data")
    monkeypatch.setattr(torch, "__version__", "0.0")
    assert state_key({}, "code", "data") != before


def test_the_key_depends_on_everything():
    keys = {
        state_key({"steps": 1, "rate": 0.1}, "code", "data"),
        state_key({"steps": 2, "rate": 0.1}, "code", "data"),
        state_key({"steps": 1, "rate": 0.1}, "code 2", "data"),
        state_key({"steps": 1, "rate": 0.1}, "code", "data 2"),
    }
    assert len(keys) == 4
    assert state_key({"rate": 0.1, "steps": 1}, "code", "data") in keys
