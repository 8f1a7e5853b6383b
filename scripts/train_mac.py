"""Train networks by the method of auxiliary coordinates, private (DP-MAC) or not, all repetitions side by side."""

from dataclasses import replace

import numpy as np

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.command import Job, Training, command, progress, run
from lib.dp_mac.accounting import MacRun
from lib.dp_mac.curve_job import CurveJob
from lib.dp_mac.mac_recipe import Learning, MacRecipe
from lib.dp_mac.mac_run import account, train
from lib.dp_mac.mac_trainer import Noise
from lib.dp_mac.task import (
    evaluation,
    inputs_and_targets,
    named_projections,
    named_weights,
    network_of,
    projections_of,
)
from lib.training.device import choose_device


@command
def main(curve: CurveJob, job: Job, training: Training) -> None:
    """Write the curves, the weights, and the record with the thresholds and with what the training cost."""
    images, series = curve.images(job), curve.series
    network, recipe = network_of(images, series), MacRecipe(**series["recipe"])
    learning = Learning(**series["learning"]) if series.get("learning") else None
    releases = curve.releases  # refused before anything is trained
    names = [str(repetition) for repetition in curve.repetitions]

    def run_at(sigma: float) -> MacRun:
        return account(network, len(images.x), recipe, sigma, "blocks", learning, **releases)

    sigma = curve.sigma(run_at)
    if sigma is None:
        recipe, noise = replace(recipe, expansion="exact"), None
    else:
        shape, tops = (len(names), network.layers), series["thresholds"]
        noise = Noise(np.full(len(names), sigma), {kind: np.full(shape, tops[kind]) for kind in recipe.coefficients})
    projections = projections_of(series, images, job.seed, job.job, names)
    x, y = inputs_and_targets(network, images, projections)
    device = choose_device(training.device, training.threads)
    key = state_key(training.settings, digest("scripts/train_mac.py"), images.fingerprint)
    with Checkpoint(training.checkpoint, key) as checkpoint:
        trained = train(
            network,
            x,
            y,
            recipe,
            noise,
            learning,
            job.seed,
            job.job,
            names,
            device,
            evaluation(network, images, projections, device),
            checkpoint,
            progress("epochs"),
        )
        thresholds = {
            f"threshold.{kind}.{layer}": float(value)
            for kind, values in trained.thresholds.items()
            for layer, value in enumerate(values.mean(0), start=1)
        }
        spent = None if sigma is None else curve.spent(run_at(sigma), recipe.batches == "poisson")
        weights = named_weights(trained.weights) | named_projections(projections)
        curve.write(job, training.device, images.fingerprint, trained.curves, weights, sigma, spent, metrics=thresholds)
        checkpoint.remove()


if __name__ == "__main__":
    run(main)
