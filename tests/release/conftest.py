"""A small release, made by the scripts as the rules call them, once for all tests."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

from lib.core.files import fingerprint, save_arrays
from lib.data.split import split_samples
from scripts import aggregate, public_part, release, release_student, sanitize_epsilon

RUN = {
    "aggregator": "confident_gnmax",
    "queries": 200,
    "threshold": 40,
    "sigma_threshold": 20.0,
    "sigma": 8.0,
    "max_answered": 120,
    "delta": 1e-3,
}
ENSEMBLE = {"label": "digits", "teachers": 60, "private": 300, "public": 200, "test": 100, "classes": 10}
ACCOUNTING = {"orders": {"linear": [1.5, 20.0, 0.5], "logarithmic": [20.0, 100.0, 10]}, "moments": 8}
SANITIZE = {"first": 0.3, "last": 0.495, "step": 0.05, "fixed_beta": 0.3, "fixed_sigma_ss": 5.0}
MODEL = {"kind": "logistic_regression", "iterations": 200}


@dataclass(frozen=True)
class Made:
    """Where a run of the scripts left its files; all paths are relative to `root`, as they are in a run."""

    root: Path

    DATA = "results/tiny/private/data/digits.npz"
    SPLIT = "results/tiny/private/splits/digits/1.npz"
    VOTES = "results/tiny/private/votes/digits/1.npz"
    SAMPLES = "results/tiny/public/digits/1.npz"
    PUBLIC = "results/tiny/public/digits/1.json"
    LABELS = "results/tiny/scalable_pate/aggregated/run/1.npz"
    AGGREGATED = "results/tiny/scalable_pate/aggregated/run/1.json"
    SANITIZED = "results/tiny/scalable_pate/sanitized/run/1.json"
    WEIGHTS = "results/tiny/release_parts/run/1.safetensors"
    STUDENT = "results/tiny/release_parts/run/1.json"
    FOLDER = "results/tiny/release"

    def job(self, rule: str, of: str = "run") -> list[str]:
        return ["--preset", "tiny", "--seed", "1", "--dataset", "digits", "--job", rule, of, "1"]

    def data(self) -> None:
        digits = load_digits()
        x, y = digits.images.astype(np.uint8), digits.target.astype(np.int64)
        rng = np.random.default_rng(1)
        split = split_samples(len(y), 300, 200, 100, 60, rng)
        save_arrays(self.DATA, x=x, y=y, fingerprint=np.array(fingerprint(x=x, y=y)))
        save_arrays(self.SPLIT, **split, fingerprint=np.array(fingerprint(x=x, y=y)))
        votes = np.array([rng.multinomial(60, 0.85 * np.eye(10)[label] + 0.015) for label in y[split["public"]]])
        save_arrays(self.VOTES, votes=votes, fingerprint=np.array(fingerprint(x=x, y=y)))

    def mechanisms(self, noise_seed: str | None = "7", run: dict = RUN) -> None:
        given = ["--votes", self.VOTES, "--teachers", "60", "--run", json.dumps(run)]
        given += ["--accounting", json.dumps(ACCOUNTING), *(["--noise-seed", noise_seed] if noise_seed else [])]
        aggregate.main([*self.job("aggregate"), *given, "--record", self.AGGREGATED, "--labels", self.LABELS])
        if run.get("noise") != "discrete":
            sanitize = ["--sanitize", json.dumps(SANITIZE), "--record", self.SANITIZED]
            sanitize_epsilon.main([*self.job("sanitize_epsilon"), *given, *sanitize])

    def student(self, model: dict = MODEL) -> None:
        split = ["--data", self.DATA, "--split", self.SPLIT, "--samples", self.SAMPLES, "--record", self.PUBLIC]
        public_part.main([*self.job("public_part", "digits"), *split])
        given = ["--samples", self.SAMPLES, "--labels", self.LABELS, "--classes", "10", "--model", json.dumps(model)]
        release_student.main(
            [*self.job("release_student"), *given, "--weights", self.WEIGHTS, "--record", self.STUDENT]
        )

    def all(self) -> None:
        self.data()
        self.mechanisms()
        self.student()
        self.release()

    def records(self) -> list[str]:
        return [self.STUDENT, self.PUBLIC, self.AGGREGATED, self.SANITIZED]

    def release(self, records: list[str] | None = None, largest: float = 10) -> Path:
        given = ["--records", *(records or self.records()), "--ensemble", json.dumps(ENSEMBLE)]
        given += ["--accounting", json.dumps(ACCOUNTING), "--largest-epsilon", str(largest)]
        release.main([*given, "--folder", self.FOLDER])
        return self.root / self.FOLDER


@pytest.fixture(scope="session")
def original(tmp_path_factory):
    root = tmp_path_factory.mktemp("release")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        made = Made(root)
        made.all()
    return made


@pytest.fixture
def made(original, tmp_path, monkeypatch):
    """A copy of all of it that a test may change; the working folder is its root."""
    shutil.copytree(original.root, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    return Made(tmp_path / "copy")


@pytest.fixture
def folder(made):
    """The release in that copy."""
    return made.root / made.FOLDER
