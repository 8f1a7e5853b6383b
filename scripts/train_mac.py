"""Train networks by the method of auxiliary coordinates, private (DP-MAC) or not, all repetitions side by side."""

from dataclasses import replace

import numpy as np

from lib.dp_mac.accounting import MacRun
from lib.dp_mac.task import evaluation, inputs_and_targets, named_weights, network_of
from lib.dp_mac.trainer import MacRecipe, Noise
from lib.dp_mac.training import Learning, account, train
from lib.training.device import choose_device
from scripts import cli
from scripts.curve import read_curve


def main(argv: list[str] | None = None) -> None:
    """Write the curves, the weights, and the record with the thresholds and with what the training cost."""
    job = read_curve(__doc__, argv)
    arguments, series = job.arguments, job.series
    network, recipe = network_of(job.images, series["network"], series["classes"]), MacRecipe(**series["recipe"])
    learning = Learning(**series["learning"]) if series.get("learning") else None
    x, y = inputs_and_targets(network, job.images)
    names = [str(repetition) for repetition in arguments.repetitions]

    def run_at(sigma: float) -> MacRun:
        return account(network, len(x), recipe, sigma, "blocks", learning)

    sigma = job.sigma(run_at)
    if sigma is None:
        recipe, noise = replace(recipe, expansion="exact"), None
    else:
        tops = {kind: np.full((len(names), network.layers), top) for kind, top in series["thresholds"].items()}
        noise = Noise(np.full(len(names), sigma), tops)
    device = choose_device(arguments.device, arguments.threads)
    with job.checkpoint(__file__) as checkpoint:
        trained = train(
            network,
            x,
            y,
            recipe,
            noise,
            learning,
            arguments.seed,
            tuple(arguments.job),
            names,
            device,
            evaluation(network, job.images, device),
            checkpoint,
            cli.progress("epochs"),
        )
        thresholds = {
            f"threshold.{kind}.{layer}": float(value)
            for kind, values in trained.thresholds.items()
            for layer, value in enumerate(values.mean(0), start=1)
        }
        privacy = {} if sigma is None else job.privacy(run_at(sigma))
        job.write(trained.curves, named_weights(trained.weights), sigma, privacy, thresholds)
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
