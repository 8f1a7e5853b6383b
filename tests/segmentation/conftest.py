"""PATE for masks on a few tiny phantoms, from prepared volumes on: every job is run once, as its rule runs it."""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
import torch

from lib.core.shards import load_unit
from lib.data.volumes.prepared_folder import PreparedVolumes, read_prepared
from lib.encoders.build import build_encoder
from lib.encoders.encoder import Encoder
from lib.reporting.records import read_records
from lib.segmentation.job import rows_of
from lib.training.device import choose_device
from scripts import (
    aggregate_masks,
    measure_components,
    measure_limits,
    measure_mask_teachers,
    measure_reconstruction,
    prepare_volumes,
    train_mask_dp_sgd,
    train_mask_encoder,
    train_mask_students,
    train_mask_teachers,
)

SIDES = (32, 32, 16)
VOLUMES = {
    "settings": {"shape": SIDES, "seed": 5, "subjects": 9},
    "crop": None,
    "shape": SIDES,
    "label_mode": "nearest",
    "images": True,
}
RECIPE = {"steps": 3, "batch": 1, "rate": 0.01, "warm_up": 1, "longest": 1.0}
RECIPE |= {"patch": SIDES, "foreground": 0.34, "augmented": 0.5}
TASK = {
    "name": "tiny",
    "volumes": "made",
    "label": "made phantoms",
    "stands_for": "MSD Task01",
    "protocol": "reduced: tiny",
    "classes": 3,
    "coded_classes": 3,
    "parts": {"teachers": 4, "student": 3, "test": 2},
    "apart": 1,
    "encoder_part": "student",
    "teachers": 2,
    "shard": 2,
    "widths": [2, 2, 4, 4, 4],
    "window": SIDES,
    "teacher": RECIPE | {"loss": "dice_and_cross_entropy"},
    "student": RECIPE | {"loss": "cross_entropy"},
    "tries": 1,
}
# of one class, whose public masks are nobody else's
WHOLE = TASK | {
    "name": "whole",
    "classes": 1,
    "coded_classes": 1,
    "encoder_part": "public",
    "teachers": None,
    "shard": None,
}
WHOLE |= {"label": "whole tumours", "stands_for": "BraTS 2019", "parts": {"public": 4, "student": 3, "test": 2}}

NETWORK = {"kind": "autoencoder", "dimensions": 3, "widths": [2, 2], "grid": None, "radius": None}
NETWORK |= {"recipe": {"epochs": 2, "sigma": 0.2, "batch": 2, "rate": 0.01, "moved": False, "loss": "cross_entropy"}}
ENCODERS = {
    "naive": {"kind": "identity", "radius": None},
    "pca": {"kind": "pca", "block": None, "components": 2, "radius": "cube"},
    "blocks": {"kind": "pca", "block": [8, 8, 8], "components": 3, "radius": 2.0},
    "ball": NETWORK | {"bound": "ball", "latent_dim": 3},
    "clip": NETWORK | {"bound": "clip", "latent_dim": 4},
    "slices": NETWORK | {"bound": "clip", "latent_dim": 2, "dimensions": 2},
    "coarse": NETWORK | {"bound": "ball", "latent_dim": 3, "grid": [16, 16, 8]},
}
# whole tumours alone, whatever the task encodes
ALL_ENCODERS = ENCODERS | {"whole_naive": ENCODERS["naive"] | {"coded_classes": 1}}
ACCOUNTING = {"orders": {"linear": [1.5, 64.0, 0.5], "logarithmic": [64.0, 256.0, 10]}}
SGD = {"sigma": 2.0, "delta": 1e-3, "recipe": {"batch": 2, "epochs": 1, "rate": 0.01, "clip": 4.0}}
SGD["recipe"] |= {"clipping": "layers", "patch": SIDES, "foreground": 0.34, "augmented": 0.5, "loss": "cross_entropy"}
SEED = 1


def labelling(source: str, epsilon: float | None, teachers: int = 2, queries: int = 3, route: str = "rdp") -> dict:
    """As the rules make them."""
    name = f"noiseless-n{queries}" if epsilon is None else f"k{teachers}-n{queries}-e{epsilon:g}"
    made = {"name": name, "teachers": teachers, "queries": queries, "epsilon": epsilon, "delta": 1e-3}
    return made | {"route": route, "private": epsilon is not None and source == "teachers"}


# what is released of the answers of two teachers, and of true labels as if many teachers agreed on them
MADE = {
    "teachers": [labelling("teachers", epsilon) for epsilon in (8.0, 1e6, None)],
    "labels": [
        labelling("labels", epsilon, 1000, queries, "analytic") for queries in (1, 2) for epsilon in (1.0, 8.0, None)
    ],
    "truth": [{"name": "n3", "queries": 3, "epsilon": None, "private": False}],
    "mean_mask": [{"name": "n3", "queries": 3, "epsilon": None, "private": False}],
}

TRUTH = "truth/none"  # students on true labels
MEAN_MASK = "mean_mask/none"  # on the mean public mask


class Work:
    """A folder in which jobs run; each returns where its files begin, without their ends.

    Jobs of several units are told of them by name: an encoder's, or SOURCE/ENCODER.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self._made = folder, set()
        self.index = folder / "volumes" / "index.json"
        prepare_volumes.main(["--name=brain_phantom", "--block", json.dumps(VOLUMES), f"--index={self.index}"])
        self.volumes: PreparedVolumes = read_prepared(self.index)

    def common(self, task: dict, repetition: int, job: tuple[str, ...], checkpoint: str | None = None) -> list[str]:
        """Arguments of every job; checkpoint: where its state is kept, beside its results by default."""
        return [
            *[f"--volumes={self.index}", "--task", json.dumps(task), f"--repetition={repetition}", "--preset=tiny"],
            *[f"--seed={SEED}", "--job", *job, "--dataset=made", "--device=cpu", "--threads=1"],
            *([f"--checkpoint={checkpoint}"] if checkpoint else []),
        ]

    def once(self, place: str, run, again: str = "") -> Path:
        """Where the files of a job begin; it is run unless it was; again: elsewhere, a second time."""
        path = self.folder / (again or place)
        if path not in self._made:
            path.parent.mkdir(parents=True, exist_ok=True)
            run(path)
            self._made.add(path)
        return path

    def encoder(self, *names: str, task: dict = TASK, repetition: int = 1, again: str = "", **settings) -> Path:
        """What was fitted for some encoders, and their records."""
        job = ("train_mask_encoder", task["name"])

        def run(path: Path) -> None:
            arguments = self.common(task, repetition, job, f"{path}_half.npz")
            blocks = [[name, ALL_ENCODERS[name] | settings] for name in names]
            arguments += ["--encoders", json.dumps(blocks), f"--weights={path}.npz"]
            train_mask_encoder.main([*arguments, f"--records={path}.json"])

        return self.once(f"{'/'.join(job)}/{'+'.join(names)}/{repetition}", run, again)

    def fitted(self, name: str, task: dict = TASK, repetition: int = 1) -> dict[str, np.ndarray]:
        """What was fitted for one encoder."""
        return load_unit([f"{self.encoder(name, task=task, repetition=repetition)}.npz"], name)

    def built(self, name: str, task: dict = TASK, repetition: int = 1) -> Encoder:
        """The encoder itself."""
        return build_encoder(ENCODERS[name], self.shape(task), self.fitted(name, task, repetition), torch.device("cpu"))

    def shape(self, task: dict) -> tuple[int, int, int, int]:
        """Of soft masks."""
        return (1 if task["classes"] == 1 else 4, *SIDES)

    def rows(self, part: str, task: dict = TASK, repetition: int = 1) -> np.ndarray:
        """The volumes of a part."""
        return rows_of(self.volumes, task, SEED, repetition)[part]

    def masks(self, part: str, task: dict = TASK, repetition: int = 1) -> np.ndarray:
        """The true masks of a part."""
        return self.volumes.masks(self.rows(part, task, repetition), task["classes"])

    def teachers(self, shard: int = 0, first: int = 0, last: int = 2, again: str = "", task: dict = TASK) -> Path:
        """Answers (.answers.npz), weights and record of some teachers."""
        job = ("train_mask_teachers", task["name"], "1", str(shard))

        def run(path: Path) -> None:
            arguments = self.common(task, 1, job, f"{path}_half.npz")
            arguments += [f"--first={first}", f"--last={last}", f"--answers={path}.answers.npz"]
            arguments += [f"--weights={path}.npz", f"--curves={path}_curves.csv"]
            train_mask_teachers.main([*arguments, f"--record={path}.json"])

        return self.once("/".join((*job, f"{first}-{last}")), run, again)

    def codes(
        self,
        *units: str,
        answers: list[Path] | None = None,
        fitted: list[Path] | None = None,
        again: str = "",
        task: dict | None = None,
    ) -> Path:
        """What is released through some encoders: codes (.npz) and records.

        answers, fitted: in place of those of all teachers, and of these encoders, each in a file of its own.
        """
        task = task or task_of(units)
        job = ("aggregate_masks", task["name"])

        def run(path: Path) -> None:
            asked = any(unit.startswith("teachers/") for unit in units)
            given = answers or ([self.teachers(task=task)] if asked else [])
            arguments = [*self.common(task, 1, job), "--units", json.dumps([described(unit) for unit in units])]
            arguments += ["--accounting", json.dumps(ACCOUNTING), "--fitted"]
            arguments += [f"{it}.npz" for it in fitted or self._encoders(units, task)]
            arguments += ["--answers", *(f"{it}.answers.npz" for it in given)] if given else []
            aggregate_masks.main([*arguments, f"--codes={path}.npz", f"--records={path}.json"])

        return self.once(place_of(job, units), run, again)

    def students(self, *units: str, task: dict | None = None, **other) -> Path:
        """Students on all labellings of some units; of truth/none: on true labels.

        other: labellings and codes in place of those released, half (where their state is kept) and again.
        """
        task = task or task_of(units)
        job = ("train_mask_students", task["name"])

        def run(path: Path) -> None:
            arguments = self.common(task, 1, job, other.get("half") or f"{path}_half.npz")
            blocks = [described(unit) for unit in units]
            if "labellings" in other:
                blocks = [block | {"labellings": other["labellings"]} for block in blocks]
            arguments += ["--units", json.dumps(blocks)]
            if taught := [unit for unit in units if not unit.endswith("/none")]:
                codes = [other["codes"]] if "codes" in other else [self.codes(unit) for unit in taught]
                arguments += ["--codes", *(f"{it}.npz" for it in codes)]
                arguments += ["--fitted", *(f"{it}.npz" for it in self._encoders(taught, task))]
            arguments += [f"--weights={path}.npz", f"--patients={path}.csv", f"--curves={path}_curves.csv"]
            train_mask_students.main([*arguments, f"--records={path}.json"])

        return self.once(place_of(job, units), run, other.get("again", ""))

    def _encoders(self, units: Iterable[str], task: dict) -> list[Path]:
        return [self.encoder(name, task=task) for name in dict.fromkeys(unit.partition("/")[2] for unit in units)]

    def sgd(self, noise: str = "printed") -> Path:
        """The baseline by DP-SGD."""
        job = ("train_mask_dp_sgd", "tiny", noise, "1")

        def run(path: Path) -> None:
            arguments = [*self.common(TASK, 1, job, f"{path}_half.npz"), "--sgd", json.dumps(SGD)]
            arguments += [f"--noise={noise}", "--epsilon=8", f"--weights={path}.npz", f"--patients={path}.csv"]
            train_mask_dp_sgd.main([*arguments, "--accounting", json.dumps(ACCOUNTING), f"--record={path}.json"])

        return self.once("/".join(job), run)

    def baselines(self) -> Path:
        """The teachers measured."""
        job = ("measure_mask_teachers", "tiny", "1")

        def run(path: Path) -> None:
            answers = f"--answers={self.teachers()}.answers.npz"
            files = [f"--record={path}.json", f"--patients={path}.csv"]
            measure_mask_teachers.main([*self.common(TASK, 1, job), answers, *files])

        return self.once("/".join(job), run)

    def measured(self, script: str, *encoders: str, settings: dict, repetition: int = 1) -> Path:
        """A table of some encoders of the whole tumours."""
        job = (script, "whole")
        main = {"measure_reconstruction": measure_reconstruction, "measure_limits": measure_limits}[script].main

        def run(path: Path) -> None:
            fitted = [f"{self.encoder(name, task=WHOLE, repetition=repetition)}.npz" for name in encoders]
            arguments = [*self.common(WHOLE, repetition, job), "--fitted", *fitted]
            arguments += ["--encoders", json.dumps([[name, ENCODERS[name]] for name in encoders])]
            main([*arguments, "--settings", json.dumps(settings), f"--table={path}.csv"])

        return self.once(f"{'/'.join(job)}/{'+'.join(encoders)}/{repetition}", run)

    def components(self, settings: dict, repetition: int = 1) -> Path:
        """Tables of the components of blocks: .csv, .formula.csv and .errors.csv."""
        job = ("measure_components", "whole", str(repetition))

        def run(path: Path) -> None:
            arguments = [*self.common(WHOLE, repetition, job), "--settings", json.dumps(settings)]
            arguments += [f"--components={path}.csv", f"--formula={path}.formula.csv"]
            measure_components.main([*arguments, f"--errors={path}.errors.csv"])

        return self.once("/".join(job), run)


def task_of(units: Iterable[str]) -> dict:
    """The task of some units: true labels stand in for answers where masks are whole tumours."""
    return WHOLE if any(unit.startswith("labels/") for unit in units) else TASK


def described(unit: str) -> dict:
    """A unit as the rules describe it to a script."""
    source, _, encoder = unit.partition("/")
    return {"source": source, "encoder": encoder, "settings": ALL_ENCODERS.get(encoder), "labellings": MADE[source]}


def place_of(job: tuple[str, ...], units: Iterable[str]) -> str:
    """Where the files of a job of some units begin."""
    return "/".join((*job, "+".join(unit.replace("/", "-") for unit in units), "1"))


def arrays_of(path: Path, unit: str) -> dict[str, np.ndarray]:
    """The arrays of a unit in the file of a job."""
    return load_unit([f"{path}.npz"], unit)


def record_of(path: Path, place: int = 0) -> dict:
    """The record of a job, or one of those of its units."""
    return read_records(f"{path}.json")[place]


@pytest.fixture(scope="module", autouse=True)
def device():
    """Not `one_thread`, which comes after the fixtures of a module: these run jobs, too."""
    threads, deterministic = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    yield choose_device("cpu", 1)
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(deterministic)


@pytest.fixture(scope="session")
def work(tmp_path_factory) -> Work:
    """Prepared volumes, and functions that run the jobs on them."""
    return Work(tmp_path_factory.mktemp("masks"))
