"""Train the perturbed residual networks of one attack: members of ensembles, of the target and of its shadow."""

import numpy as np

from lib.attacks.predictions import SIDES
from lib.residual_perturbation.training import Replica, ResidualRecipe, train_residual
from scripts import cli
from scripts.residual_job import read_job


def main(argv: list[str] | None = None) -> None:
    """Write the weights, what they predict, and the record."""
    job = read_job(__doc__, argv)
    arguments, task = job.arguments, job.task
    places = [(repetition, side) for repetition in task.repetitions for side in SIDES]
    replicas = [
        Replica(f"{repetition} {side} {member}", task.rows(repetition, f"{side}_train"), arguments.gamma)
        for repetition, side in places
        for member in range(arguments.members)
    ]
    with job.checkpoint(__file__) as checkpoint:
        trained = train_residual(
            job.network,
            task.x,
            task.y,
            replicas,
            ResidualRecipe(**job.recipe("recipe")),
            arguments.seed,
            tuple(arguments.job),
            job.device,
            job.largest,
            checkpoint,
            cli.progress("epochs"),
        )
        members = np.arange(len(replicas)).reshape(len(places), -1)
        job.write({place: trained.select(own) for place, own in zip(places, members, strict=True)})
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
