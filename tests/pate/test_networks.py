"""Students and baselines by the kind of their model."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from lib.core.checkpoint import Checkpoint
from lib.core.errors import InputError
from lib.pate.networks import train_student
from lib.training.context import Context

CPU = torch.device("cpu")
RECIPE = {"steps": 150, "batch": 32, "rate": 0.05, "momentum": 0.9, "average": 0.99}
MODELS = {
    "mlp": {"kind": "mlp", "hidden": [32], "together": 1, "recipe": RECIPE},
    "teacher_cnn": {
        "kind": "teacher_cnn",
        "convolutions": [8, 16],
        "connected": [32, 32],
        "together": 1,
        "recipe": RECIPE | {"optimizer": "adam", "rate": 0.01, "steps": 600},
    },
}


def digits():
    """Handwritten digits of 8 x 8 pixels: images uint8 and labels."""
    x, y = load_digits(return_X_y=True)
    return (x * 15).astype(np.uint8).reshape(-1, 8, 8), y


def train(path, model, x, y, seconds=1000.0, progress=lambda *done: None):
    with Checkpoint(path, "key", seconds) as checkpoint:
        context = Context(3, ("baseline", "1"), CPU, checkpoint, progress)
        return train_student(model, x, y, x, 10, 255, context)


@pytest.mark.parametrize("kind", sorted(MODELS))
def test_a_teachers_network_learns_alone_from_all_labelled_samples(tmp_path, kind):
    x, y = digits()
    trained = train(tmp_path / "state.npz", MODELS[kind], x[:1400], y[:1400])
    assert trained.accuracy(x[1400:], y[1400:]) > 80
    # whatever is predicted at a time
    whole = trained.predict_probabilities(x[:1001])
    assert whole.shape == (1001, 10) and np.allclose(whole.sum(1), 1, atol=1e-5)
    assert np.allclose(whole[1000:], trained.predict_probabilities(x[1000:1001]), atol=1e-5)


@pytest.mark.slow
def test_one_that_was_killed_goes_on_and_ends_with_the_same_predictions(tmp_path):
    x, y = digits()
    expected = train(tmp_path / "whole.npz", MODELS["teacher_cnn"], x, y).predict_probabilities(x)
    seen = []

    class KilledError(Exception):
        pass

    def kill(done, total):
        seen.append(done)
        if done == 90:
            raise KilledError

    with pytest.raises(KilledError):
        train(tmp_path / "state.npz", MODELS["teacher_cnn"], x, y, seconds=0, progress=kill)
    seen.clear()
    resumed = train(tmp_path / "state.npz", MODELS["teacher_cnn"], x, y, progress=lambda *done: seen.append(done))
    assert seen[0] == (91, 600) and seen[-1] == (600, 600)
    assert np.array_equal(resumed.predict_probabilities(x), expected)


def test_a_rate_that_diverges_is_said(tmp_path):
    x, y = digits()
    wild = MODELS["mlp"] | {"recipe": RECIPE | {"rate": 1e20}}
    with pytest.raises(InputError, match="not finite"):
        train(tmp_path / "state.npz", wild, x, y)
