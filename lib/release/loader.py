"""Load the student of this folder, and test it: python load_student.py SAMPLES.npz

SAMPLES.npz has x_test (n, ...) and y_test (n,). Needs numpy and safetensors, and nothing of the project it came from.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file


@dataclass(frozen=True)
class Student:
    """Weights by name, and what to do with them.

    kind: random_forest, logistic_regression or dense. white: the pixel value that becomes 1, for a dense network.
    """

    kind: str
    classes: int
    white: float
    weights: dict[str, np.ndarray]

    def probabilities(self, x: np.ndarray) -> np.ndarray:
        """Class probabilities (n, classes) of samples (n, ...)."""
        return _KINDS[self.kind](self, x.reshape(len(x), -1))

    def accuracy(self, x: np.ndarray, y: np.ndarray) -> float:
        """Share of the samples whose most probable class is y (n,), in percent."""
        return 100 * float((self.probabilities(x).argmax(axis=1) == y).mean())


def load(folder: str | Path = Path(__file__).parent) -> Student:
    """Return the student of a release."""
    about = json.loads((Path(folder) / "student.json").read_text(encoding="utf-8"))
    return Student(about["kind"], about["classes"], about["white"], load_file(Path(folder) / "model.safetensors"))


def _forest(student: Student, x: np.ndarray) -> np.ndarray:
    """Average the class shares in each sample's leaf over trees; a sample goes left where feature <= threshold.

    Raises ValueError where a child does not come after its node: there a way down may never end.
    """
    weights, rows = student.weights, np.arange(len(x))
    inner = np.flatnonzero(weights["left"] >= 0)
    if (np.minimum(weights["left"], weights["right"])[inner] <= inner).any():
        raise ValueError("model.safetensors: a tree that leads back to itself")
    x = x.astype(np.float32)
    total = np.zeros((len(x), weights["value"].shape[1]))
    for root in weights["root"]:
        node = np.full(len(x), root)
        while (inner := weights["left"][node] >= 0).any():
            goes_left = x[rows, np.maximum(weights["feature"][node], 0)] <= weights["threshold"][node]
            child = np.where(goes_left, weights["left"][node], weights["right"][node])
            node = np.where(inner, child, node)
        total += weights["value"][node]
    return _spread(student, total / len(weights["root"]))


def _logistic(student: Student, x: np.ndarray) -> np.ndarray:
    """Softmax of a linear function of standardised features; of two classes, the logistic function."""
    weights = student.weights
    scores = (x.astype(float) - weights["mean"]) / weights["scale"] @ weights["coef"].T + weights["intercept"]
    if scores.shape[1] == 1:
        scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
    return _spread(student, _softmax(scores))


def _dense(student: Student, x: np.ndarray) -> np.ndarray:
    """Layers with ReLU between them, and a softmax."""
    hidden, layers = x.astype(np.float32) / np.float32(student.white), len(student.weights) // 2
    for layer in range(layers):
        hidden = hidden @ student.weights[f"weight_{layer}"].T + student.weights[f"bias_{layer}"]
        if layer < layers - 1:
            hidden = np.maximum(hidden, 0)
    return _softmax(hidden)


def _softmax(scores: np.ndarray) -> np.ndarray:
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def _spread(student: Student, known: np.ndarray) -> np.ndarray:
    """Probabilities of all classes; those that no label had are 0."""
    spread = np.zeros((len(known), student.classes))
    spread[:, student.weights["classes"]] = known
    return spread


_KINDS = {"random_forest": _forest, "logistic_regression": _logistic, "dense": _dense}


if __name__ == "__main__":
    with np.load(sys.argv[1], allow_pickle=False) as samples:
        print(f"accuracy: {load().accuracy(samples['x_test'], samples['y_test']):.2f} %")
