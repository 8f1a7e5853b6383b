"""Train one network of an attack by DP-SGD: the target's or its shadow's, in one repetition."""

from pathlib import Path

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.command import Job, Training, command, progress, run
from lib.residual_perturbation.dp_sgd import train_residual_dp_sgd
from lib.residual_perturbation.job import Design, replica_names, save_networks
from lib.residual_perturbation.training import Replica
from lib.training.device import choose_device
from lib.training.sgd_recipe import SgdRecipe


@command
def main(design: Design, repetition: int, side: str, job: Job, training: Training, weights: Path) -> None:
    """Write the network's weights.

    repetition: the draw of the data to train on. side: target or shadow. weights: the .npz of weights to write.
    """
    task = design.data(job)
    rows = task.rows(repetition, f"{side}_train")
    recipe = design.recipe("dp_sgd")
    recipe.pop("delta")  # which nothing in training depends on
    (name,) = replica_names(repetition, side)
    key = state_key(training.settings, digest("scripts/train_residual_dp_sgd.py"), task.fingerprint)
    with Checkpoint(training.checkpoint, key) as checkpoint:
        trained = train_residual_dp_sgd(
            design.network(task.x.shape[3]),
            task.x,
            task.y,
            Replica(name, rows),
            SgdRecipe(**{name: value for name, value in recipe.items() if name != "sigma"}),
            recipe["sigma"],
            job.seed,
            job.job,
            choose_device(training.device, training.threads),
            design.largest,
            checkpoint,
            progress("epochs"),
        )
        save_networks(weights, trained, task, rows, recipe)
        checkpoint.remove()


if __name__ == "__main__":
    run(main)
