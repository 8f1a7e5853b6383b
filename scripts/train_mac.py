"""Train networks by the method of auxiliary coordinates, private (DP-MAC) or not, all repetitions side by side."""

from dataclasses import replace

import numpy as np

from lib.core.command import Job, Training, command, run
from lib.core.errors import InputError
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
from lib.training.context import resumed


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
        if learning:
            raise InputError("learning of thresholds: plain MAC has none")
        recipe, noise = replace(recipe, expansion="exact"), None
    else:
        shape, tops = (len(names), network.layers), series["thresholds"]
        thresholds = {kind: np.full(shape, tops[kind]) for kind in recipe.coefficients}
        noise = Noise(np.full(len(names), sigma), thresholds, learning=learning)
    projections = projections_of(series, images, job.seed, job.job, names)
    x, y = inputs_and_targets(network, images, projections)
    with resumed(job, training, __file__, images.fingerprint, "epochs") as context:
        evaluate = evaluation(network, images, projections, context.device)
        trained = train(network, x, y, recipe, noise, names, evaluate, context)
        used = {
            f"threshold.{kind}.{layer}": float(value)
            for kind, values in trained.thresholds.items()
            for layer, value in enumerate(values.mean(0), start=1)
        }
        spent = None if sigma is None else curve.spent(run_at(sigma), recipe.batches == "poisson")
        weights = named_weights(trained.weights) | named_projections(projections)
        curve.write(job, training.device, images.fingerprint, trained.curves, weights, sigma, spent, metrics=used)


if __name__ == "__main__":
    run(main)
