"""What the scripts share that train the networks of one attack: its data, its settings, and what is written."""

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from lib.accounting.statement import PrivacyStatement
from lib.attacks.predictions import Predictions, asked, ensembles_of, write_predictions
from lib.attacks.task import PARTS, Task, read_task
from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.files import save_arrays
from lib.core.seeding import generator
from lib.reporting.records import write_record
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.noise import NoiseForm
from lib.residual_perturbation.prediction import predicted_probabilities
from lib.residual_perturbation.training import TrainedReplicas
from lib.training.device import choose_device
from scripts import cli


@dataclass(frozen=True)
class ResidualJob:
    """One job: its arguments, the data of its attack, and where it computes."""

    arguments: argparse.Namespace
    task: Task
    device: torch.device

    @property
    def settings(self) -> dict:
        """The method's block of the configuration."""
        return self.arguments.method

    @property
    def largest(self) -> float:
        """The grey value that is white."""
        return self.arguments.task["largest"]

    @property
    def network(self) -> PerturbedResNet8:
        """What all networks of the job have in common."""
        block = self.arguments.task
        more = {name: self.settings[name] for name in ("skip", "norm") if name in self.settings}
        form = NoiseForm(**self.settings.get("form", {}))
        return PerturbedResNet8(
            channels=self.task.x.shape[3], classes=block["classes"], widths=tuple(block["widths"]), form=form, **more
        )

    def recipe(self, name: str) -> dict:
        """How the task trains, as `name` of its block says, with what the method changes."""
        recipe = self.arguments.task[name] | self.settings.get("recipe", {})
        return {key: tuple(value) if isinstance(value, list) else value for key, value in recipe.items()}

    def checkpoint(self, script: str, *part: str) -> Checkpoint:
        """Where half-done work is kept; script: the job's file; part: of a job that trains one after the other."""
        arguments = vars(self.arguments)
        files = dict.fromkeys(("checkpoint", "output", "predictions", "weights", "data"))
        key = state_key(arguments | files, digest(f"scripts/{Path(script).name}"), self.task.fingerprint)
        path = Path(self.arguments.checkpoint)
        return Checkpoint(path.with_stem("-".join((path.stem, *part))), key)

    def write(
        self, trained: dict[tuple[int, str], TrainedReplicas], privacy: dict[str, PrivacyStatement] | None = None
    ) -> None:
        """Write the weights, the predictions, and the record of networks trained in each repetition on each side.

        privacy: what training one network cost, in every reading; empty where it is no mechanism.
        """
        arguments = self.arguments
        ensembles = ensembles_of(arguments.members, arguments.sizes)
        predicted, weights = {}, {}
        for (repetition, side), networks in trained.items():
            own = predicted.setdefault(repetition, {})
            own[side] = self._predictions(repetition, side, networks, ensembles)
            weights |= {f"{repetition}.{side}.{name}": array for name, array in networks.arrays.items()}
        write_predictions(arguments.predictions, predicted)
        save_arrays(arguments.weights, **weights)
        targets = [(own["target"], member) for own in predicted.values() for member in range(arguments.members)]
        write_record(
            arguments.output,
            **cli.identity(arguments),
            fingerprint=self.task.fingerprint,
            parameters={
                name: getattr(arguments, name)
                for name in ("task", "method", "gamma", "members", "sizes", "repetitions")
            },
            device=arguments.device,
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
        """What the networks of one side say in one repetition."""
        rows, arguments = asked(self.task, repetition, side), self.arguments
        if self.network.form.scaling == "std":  # noise depends on what else is in a batch: not on members only
            rows = rows[
                generator(arguments.seed, *arguments.job, str(repetition), side, "asked").permutation(len(rows))
            ]
        probabilities = predicted_probabilities(
            self.network,
            networks,
            self.task.x[rows],
            arguments.seed,
            (*arguments.job, side),
            self.device,
            ensembles=ensembles,
        )
        sizes = np.array([len(members) for members in ensembles])
        return Predictions(probabilities, self.task.part[rows], self.task.y[rows], sizes)


def read_job(description: str | None, argv: list[str] | None) -> ResidualJob:
    """The job of a command line."""
    parser = cli.job_parser(description)
    parser.add_argument("--data", required=True, help="what draw_task wrote")
    parser.add_argument("--repetitions", type=int, required=True, help="draws of the data to train on")
    cli.add_json(parser, "--task", "the task's block of the configuration")
    cli.add_json(parser, "--method", "the method's block of the configuration")
    parser.add_argument("--gamma", type=float, required=True, help="noise coefficient")
    parser.add_argument("--members", type=int, required=True, help="networks of each side")
    parser.add_argument("--sizes", nargs="+", type=int, required=True, help="members of the ensembles to predict with")
    cli.add_json(parser, "--accounting", "the accounting block of the configuration")
    cli.add_training(parser)
    parser.add_argument("--predictions", required=True, help="probabilities to write, .npz")
    parser.add_argument("--weights", required=True, help="weights to write, .npz")
    parser.add_argument("--output", required=True, help="the record to write")
    arguments = parser.parse_args(argv)
    task = read_task(arguments.data).first(arguments.repetitions)
    if arguments.method.get("memorise"):
        task = memorised(
            task, arguments.method["memorise"], arguments.task["classes"], arguments.seed, tuple(arguments.job)
        )
    return ResidualJob(arguments, task, choose_device(arguments.device, arguments.threads))


def memorised(task: Task, rows: int, classes: int, seed: int, job: tuple[str, ...]) -> Task:
    """The first `rows` samples of each part with labels drawn at random: what a network can only learn by heart.

    The positive control: an attack that does not find the members of such a network is no attack.
    """
    kept = np.concatenate([task.rows(draw, name)[:rows] for draw in task.repetitions for name in PARTS])
    chosen = task.select(kept)
    drawn = generator(seed, *job, "random labels").integers(classes, size=len(chosen.y))
    return replace(chosen, y=drawn)
