"""Train perturbed residual networks of one attack: the target's, or its shadow's, in one repetition."""

from pathlib import Path

from lib.core.command import Job, Training, command, run
from lib.residual_perturbation.job import Design, replica_names, save_networks
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.residual_perturbation.training import Replica, train_residual
from lib.training.context import resumed


@command
def main(
    design: Design,
    gamma: float,
    members: int,
    repetition: int,
    side: str,
    job: Job,
    training: Training,
    weights: Path,
) -> None:
    """Write the weights of the members of the side's ensemble.

    gamma: noise coefficient. members: number of networks. repetition: the draw of the data to train on. side: target or
    shadow. weights: the .npz of weights to write.
    """
    task = design.data(job)
    rows = task.rows(repetition, f"{side}_train")
    recipe = design.recipe("recipe")
    with resumed(job, training, __file__, task.fingerprint, "epochs") as context:
        trained = train_residual(
            design.network(task.x.shape[3]),
            task.x,
            task.y,
            [Replica(name, rows, gamma) for name in replica_names(repetition, side, members)],
            ResidualRecipe(**recipe),
            context,
            design.largest,
        )
        save_networks(weights, trained, task, rows, recipe)


if __name__ == "__main__":
    run(main)
