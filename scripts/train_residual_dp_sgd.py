"""Train one network of an attack by DP-SGD: the target's or its shadow's, in one repetition."""

from pathlib import Path

from lib.core.command import Job, Training, command, run
from lib.residual_perturbation.dp_sgd import train_residual_dp_sgd
from lib.residual_perturbation.job import Design, replica_names, save_networks
from lib.residual_perturbation.training import Replica
from lib.training.context import resumed
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
    with resumed(job, training, __file__, task.fingerprint, "epochs") as context:
        trained = train_residual_dp_sgd(
            design.network(task.x.shape[3]),
            task.x,
            task.y,
            Replica(name, rows),
            SgdRecipe(**{name: value for name, value in recipe.items() if name != "sigma"}),
            recipe["sigma"],
            context,
            design.largest,
        )
        save_networks(weights, trained, task, rows, recipe)


if __name__ == "__main__":
    run(main)
