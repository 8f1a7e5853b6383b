"""Train the perturbed residual networks of one attack: members of ensembles, of the target and of its shadow."""

from pathlib import Path

import numpy as np

from lib.attacks.predictions import SIDES
from lib.core.command import Job, Training, command, progress, run
from lib.residual_perturbation.job import Networks, NetworksJob
from lib.residual_perturbation.training import Replica, ResidualRecipe, train_residual


@command
def main(networks: Networks, job: Job, training: Training, weights: Path, predictions: Path, record: Path) -> None:
    """Write the weights, what the networks predict, and the record.

    weights: the .npz of weights to write. predictions: the .npz of probabilities to write. record: the record to write.
    """
    work = NetworksJob(networks, job, training)
    task = work.task
    places = [(repetition, side) for repetition in task.repetitions for side in SIDES]
    replicas = [
        Replica(f"{repetition} {side} {member}", task.rows(repetition, f"{side}_train"), networks.gamma)
        for repetition, side in places
        for member in range(networks.members)
    ]
    with work.checkpoint(__file__) as checkpoint:
        trained = train_residual(
            work.network,
            task.x,
            task.y,
            replicas,
            ResidualRecipe(**work.recipe("recipe")),
            job.seed,
            work.words,
            work.device,
            work.largest,
            checkpoint,
            progress("epochs"),
        )
        members = np.arange(len(replicas)).reshape(len(places), -1)
        sides = {place: trained.select(own) for place, own in zip(places, members, strict=True)}
        work.write(sides, weights, predictions, record)
        checkpoint.remove()


if __name__ == "__main__":
    run(main)
