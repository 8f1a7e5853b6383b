"""A half-done job is not gone on from once the data are divided anew: a record would reach two teachers."""

import json

import numpy as np
import pytest

from lib.core.files import save_arrays
from lib.data.split import split_samples
from lib.training import context
from scripts import train_network_student, train_network_teachers

TEACHERS = {
    "kind": "mlp",
    "hidden": [4],
    "together": 1,
    "recipe": {"steps": 1, "batch": 2, "rate": 0.1, "optimizer": "sgd"},
}


class _StoppedError(Exception):
    """Ends a job where it would take up its checkpoint, with the checkpoint's key."""


@pytest.mark.parametrize("script", [train_network_teachers, train_network_student])
def test_another_division_of_the_same_data_has_another_key(script, tmp_path, monkeypatch):
    def stop(path: str, key: str) -> None:
        raise _StoppedError(key)

    monkeypatch.setattr(context, "Checkpoint", stop)
    data, split = tmp_path / "data.npz", tmp_path / "split.npz"
    x = np.arange(400, dtype=np.uint8).reshape(100, 2, 2)
    save_arrays(data, x=x, y=np.arange(100) % 2, fingerprint=np.array("ab" * 32))
    shared = [f"--data={data}", f"--split={split}", "--seed=1", "--job", "job", "1", "--device=cpu", "--threads=1"]
    shared += [f"--checkpoint={tmp_path / 'half.npz'}", "--classes=2"]
    shared += [f"--model={json.dumps(TEACHERS)}"]
    own = {
        train_network_teachers: ["--teachers", "0", "4", f"--labels={tmp_path / 'out'}"],
        train_network_student: [
            "--preset=p",
            "--dataset=d",
            "--private=5",
            "--largest=255",
            f"--record={tmp_path / 'out'}",
        ],
    }[script]
    keys = []
    for private in (80, 40, 80):
        save_arrays(split, **split_samples(100, private, 10, 10, 4, np.random.default_rng(1)))
        with pytest.raises(_StoppedError) as stopped:
            script.main(shared + own)
        keys.append(str(stopped.value))
    assert keys[0] == keys[2] != keys[1]
