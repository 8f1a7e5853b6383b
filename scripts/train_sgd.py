"""Train a network by gradients, private (DP-SGD) or not (backpropagation): one repetition."""

from lib.core.command import Job, Training, command, run
from lib.dp_mac.accounting import MacRun, one_block
from lib.dp_mac.backpropagation import train_dp_sgd
from lib.dp_mac.curve_job import CurveJob
from lib.dp_mac.task import (
    evaluation,
    inputs_and_targets,
    named_projections,
    named_weights,
    network_of,
    projections_of,
)
from lib.training.context import resumed
from lib.training.sgd_recipe import SgdRecipe, account


@command
def main(curve: CurveJob, job: Job, training: Training) -> None:
    """Write the curves, the weights, and the record with what the training cost."""
    images, (repetition,) = curve.images(job), curve.repetitions
    network, recipe = network_of(images, curve.series), SgdRecipe(**curve.series["recipe"])
    releases = curve.releases  # refused before anything is trained

    def run_at(sigma: float) -> MacRun:
        return one_block(account(len(images.x), recipe, sigma), **releases)

    sigma = curve.sigma(run_at)
    projections = projections_of(curve.series, images, job.seed, job.job, [str(repetition)])
    # of the one run there is, where it has images of its own
    x, y = (rows[0] if rows.ndim == 3 else rows for rows in inputs_and_targets(network, images, projections))
    with resumed(job, training, __file__, images.fingerprint, "epochs") as context:
        evaluate = evaluation(network, images, projections, context.device)
        trained = train_dp_sgd(network, x, y, recipe, sigma or 0.0, evaluate, context.of(str(repetition)))
        spent = None if sigma is None else curve.spent(run_at(sigma))
        weights = named_weights(trained.weights) | named_projections(projections)
        curve.write(job, training.device, images.fingerprint, trained.curves, weights, sigma, spent)


if __name__ == "__main__":
    run(main)
