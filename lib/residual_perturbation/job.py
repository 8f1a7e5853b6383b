"""Common parts of both trainings of attacked networks: data, network, recipe, and the files written."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lib.attacks.predictions import Predictions, asked, ensembles_of, write_predictions
from lib.attacks.sides import SIDES
from lib.attacks.task import PARTS, Task, read_task
from lib.core.command import Device, Job
from lib.core.errors import InputError
from lib.core.files import fingerprint, load_arrays, save_arrays
from lib.core.records import Statement, write_record
from lib.core.seeding import generator
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.noise import NoiseForm
from lib.residual_perturbation.prediction import predicted_probabilities
from lib.residual_perturbation.training import TrainedReplicas
from lib.training.context import Context
from lib.training.device import choose_device


@dataclass(frozen=True)
class Design:
    """How networks that are attacked are made.

    samples: the draws of draw_task. task: what is read of the task's block of the configuration. method: what is read
    of the method's.
    """

    samples: Path
    task: dict
    method: dict

    @property
    def largest(self) -> float:
        """The grey value that is white."""
        return self.task["largest"]

    def network(self, channels: int) -> PerturbedResNet8:
        """Return the architecture of all networks, for images with so many channels."""
        more = {name: self.method[name] for name in ("skip", "norm", "groups") if name in self.method}
        form = NoiseForm(**self.method.get("form", {}))
        classes, widths = self.task["classes"], tuple(self.task["widths"])
        return PerturbedResNet8(channels=channels, classes=classes, widths=widths, form=form, **more)

    def recipe(self, name: str) -> dict:
        """How the task trains, as `name` of its block says, with what the method changes."""
        recipe = self.task[name] | self.method.get("recipe", {})
        return {key: tuple(value) if isinstance(value, list) else value for key, value in recipe.items()}

    def data(self, job: Job) -> Task:
        """Return the data of the attack, all draws of them; those of the positive control have random labels."""
        task, rows = read_task(self.samples), self.method.get("memorise")
        return memorised(task, rows, self.task["classes"], job.seed, job.job) if rows else task


@dataclass(frozen=True)
class Networks(Design):
    """Networks that are attacked: of the target and of its shadow, in every repetition.

    samples: the draws of draw_task. task: what is read of the task's block of the configuration. method: what is read
    of the method's. gamma: noise coefficient. members: number of networks of each side. sizes: members of the ensembles
    to predict with. repetitions: number of draws of the data to train on. alone: whether there are no shadows.
    """

    gamma: float
    members: int
    sizes: list[int]
    repetitions: int
    alone: bool = False


@dataclass(frozen=True)
class NetworksJob:
    """One job: the networks, what it is called, and where it computes."""

    networks: Networks
    job: Job
    where: Device

    @cached_property
    def task(self) -> Task:
        """The draws of the data that networks were trained on."""
        return self.networks.data(self.job).first(self.networks.repetitions)

    @cached_property
    def device(self) -> torch.device:
        """Where the networks compute."""
        return choose_device(self.where.device, self.where.threads)

    @property
    def _words(self) -> tuple[str, ...]:
        """The job's own name, by which its draws are keyed."""
        return self.job.job

    @cached_property
    def network(self) -> PerturbedResNet8:
        """Return the architecture of all networks of the job."""
        return self.networks.network(self.task.x.shape[3])

    @cached_property
    def places(self) -> list[tuple[int, str]]:
        """Repetition and side of the networks, in the order in which they are written."""
        return list(product(self.task.repetitions, SIDES[:1] if self.networks.alone else SIDES))

    def rows(self, repetition: int, side: str) -> np.ndarray:
        """Return the samples that networks of one of `places` were trained on."""
        return self.task.rows(repetition, f"{side}_train")

    def load(self, paths: Sequence[Path], recipe: Mapping) -> dict[tuple[int, str], TrainedReplicas]:
        """Load the networks of each of `places`, files in their order, which were trained by `recipe`.

        Raises InputError for more or fewer files, and as `load_networks` does.
        """
        if len(paths) != len(self.places):
            each = "one a repetition" if self.networks.alone else "two a repetition"
            raise InputError(f"weights of {len(paths)} jobs: {len(self.places)} are needed, {each}")
        return {
            place: load_networks(
                path, replica_names(*place, self.networks.members), self.task, self.rows(*place), recipe
            )
            for place, path in zip(self.places, paths, strict=True)
        }

    def write(
        self,
        trained: Mapping[tuple[int, str], TrainedReplicas],
        predictions: Path,
        record: Path,
        privacy: Mapping[str, Statement] | None = None,
    ) -> None:
        """Write the predictions, and the record, of the networks trained at each of `places`.

        privacy: what training one network cost, in every reading; empty where it is no mechanism.
        """
        members = self.networks.members
        ensembles = ensembles_of(members, self.networks.sizes)
        predicted: dict[int, dict[str, Any]] = {}
        for (repetition, side), networks in trained.items():
            own = predicted.setdefault(repetition, {})
            own[side] = self._predictions(repetition, side, networks, ensembles)
        write_predictions(predictions, predicted)
        targets = [(own["target"], member) for own in predicted.values() for member in range(members)]
        write_record(
            record,
            **self.job.identity(),
            fingerprint=self.task.fingerprint,
            parameters={
                name: getattr(self.networks, name)
                for name in ("task", "method", "gamma", "members", "sizes", "repetitions")
            },
            device=self.where.device,
            metrics={},
            private_metrics={
                name: float(np.mean([target.accuracy(member, part) for target, member in targets]))
                for name, part in (("train_accuracy", "target_train"), ("test_accuracy", "test"))
            },
            privacy=privacy,
        )

    def _predictions(
        self, repetition: int, side: str, networks: TrainedReplicas, ensembles: list[list[int]]
    ) -> Predictions:
        """Return what the networks of one side say in one repetition."""
        rows, seed = asked(self.task, repetition, side, self.networks.alone), self.job.seed
        if self.network.form.scaling == "std":  # noise depends on what else is in a batch: not on members only
            rows = rows[generator(seed, *self._words, str(repetition), side, "asked").permutation(len(rows))]
        context = Context(seed, (*self._words, side), self.device)
        probabilities = predicted_probabilities(self.network, networks, self.task.x[rows], context, ensembles=ensembles)
        sizes = np.array([len(members) for members in ensembles])
        return Predictions(probabilities, self.task.part[rows], self.task.y[rows], sizes)


def replica_names(repetition: int, side: str, members: int = 1) -> list[str]:
    """Name the networks of one side; the names key their random draws. repetition: from 1."""
    return [f"{repetition} {side} {member}" for member in range(members)]


def save_networks(path: str | Path, networks: TrainedReplicas, task: Task, rows: np.ndarray, recipe: Mapping) -> None:
    """Write networks as .npz, with their names, the fingerprint of their samples, and how they were trained."""
    save_arrays(path, **_origin(networks.names, task, rows, recipe), **networks.arrays)


def load_networks(
    path: str | Path, names: Sequence[str], task: Task, rows: np.ndarray, recipe: Mapping
) -> TrainedReplicas:
    """Read the networks that `save_networks` wrote; InputError for other networks, samples, or another recipe.

    A network that was trained with less noise, or on fewer samples, is not charged for more, whatever made its file
    stay.
    """
    arrays = load_arrays(path)
    for what, wanted in _origin(names, task, rows, recipe).items():
        if (found := str(arrays.pop(what, "none"))) != wanted.item():
            raise InputError(f"{path}: {what} {found}; needed is {wanted.item()}; delete the file to remake it")
    return TrainedReplicas(tuple(names), arrays)


def _origin(names: Sequence[str], task: Task, rows: np.ndarray, recipe: Mapping) -> dict[str, np.ndarray]:
    """Return the entries of a file that identify its networks."""
    samples = fingerprint(x=task.x[rows], y=task.y[rows])
    origin = {"names": ", ".join(names), "samples": samples, "recipe": json.dumps(dict(recipe), sort_keys=True)}
    return {what: np.array(value) for what, value in origin.items()}


def memorised(task: Task, rows: int, classes: int, seed: int, job: tuple[str, ...]) -> Task:
    """Return the first `rows` samples of each part with labels drawn at random: what a network can only learn by heart.

    The positive control: an attack that does not find the members of such a network is no attack.
    """
    kept = np.concatenate([task.rows(draw, name)[:rows] for draw in task.repetitions for name in PARTS])
    chosen = task.select(kept)
    drawn = generator(seed, *job, "random labels").integers(classes, size=len(chosen.y))
    return replace(chosen, y=drawn)
