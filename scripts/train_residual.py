"""Train the perturbed residual networks of one attack: members of ensembles, of the target and of its shadow."""

from pathlib import Path

import numpy as np

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.command import Job, Training, command, progress, run
from lib.core.files import save_arrays
from lib.residual_perturbation.job import Networks, NetworksJob, replica_name
from lib.residual_perturbation.training import Replica, ResidualRecipe, train_residual


@command
def main(networks: Networks, job: Job, training: Training, weights: Path, predictions: Path, record: Path) -> None:
    """Write the weights, what the networks predict, and the record.

    weights: the .npz of weights to write. predictions: the .npz of probabilities to write. record: the record to write.
    """
    work = NetworksJob(networks, job, training)
    task = work.task
    replicas = [
        Replica(replica_name(repetition, side, member), task.rows(repetition, f"{side}_train"), networks.gamma)
        for repetition, side in work.places
        for member in range(networks.members)
    ]
    key = state_key(training.settings, digest("scripts/train_residual.py"), task.fingerprint)
    with Checkpoint(training.checkpoint, key) as checkpoint:
        trained = train_residual(
            work.network,
            task.x,
            task.y,
            replicas,
            ResidualRecipe(**networks.recipe("recipe")),
            job.seed,
            work.words,
            work.device,
            networks.largest,
            checkpoint,
            progress("epochs"),
        )
        members = np.arange(len(replicas)).reshape(len(work.places), -1)
        parted = {place: trained.select(own) for place, own in zip(work.places, members, strict=True)}
        arrays = {
            f"{repetition}.{side}.{name}": array
            for (repetition, side), own in parted.items()
            for name, array in own.arrays.items()
        }
        save_arrays(weights, **arrays)
        work.write(parted, predictions, record)
        checkpoint.remove()


if __name__ == "__main__":
    run(main)
