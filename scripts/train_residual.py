"""Train the perturbed residual networks of one attack: members of ensembles, of the target and of its shadow."""

import numpy as np

from lib.attacks.predictions import SIDES
from lib.training.residual import Replica, ResidualRecipe, train_residual
from scripts import cli
from scripts.residual_job import read_job


def main(argv: list[str] | None = None) -> None:
    """Write the weights, what they predict, and the record."""
    job = read_job(__doc__, argv)
    arguments, task = job.arguments, job.task
    rows = {side: task.rows(f"{side}_train") for side in SIDES}
    replicas = [
        Replica(f"{side} {member}", rows[side], arguments.gamma)
        for side in SIDES
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
        places = np.arange(len(replicas)).reshape(len(SIDES), -1)
        job.write({side: trained.select(own) for side, own in zip(SIDES, places, strict=True)})
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
