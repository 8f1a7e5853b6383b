"""Train networks by the method of auxiliary coordinates, private (DP-MAC) or not, all repetitions side by side."""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from lib.accounting import rdp
from lib.code_inputs import digest
from lib.data.supervised import divided
from lib.files import save_arrays
from lib.mac.accounting import statements
from lib.mac.levels import sigma_of
from lib.mac.task import evaluation, inputs_and_targets, network_of, write_curves
from lib.mac.trainer import MacRecipe, Noise
from lib.mac.training import Learning, account, train
from lib.records import write_record
from lib.training.checkpoint import Checkpoint, state_key
from lib.training.device import choose_device
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    cli.add_curve(parser)
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the curves, the weights, and the record with what the training cost."""
    arguments = parse_arguments(argv)
    series, orders = arguments.series, rdp.order_grid(**arguments.accounting["orders"])
    images = divided(
        arguments.data, series["train"], series["test"], series["largest"], arguments.seed, "split", arguments.dataset
    )
    network, recipe = network_of(images, series["network"]), MacRecipe(**series["recipe"])
    learning = Learning(**series["learning"]) if series.get("learning") and arguments.noise != "none" else None
    x, y = inputs_and_targets(network, images)

    def run_at(sigma: float):
        return account(network, len(x), recipe, sigma, "blocks", learning)

    sigma = sigma_of(arguments.noise, arguments.epsilon, series.get("printed", []), run_at, orders, series["delta"])
    repetitions = arguments.repetitions
    noise = None
    if sigma is None:
        recipe = replace(recipe, expansion="exact")
    else:
        tops = {kind: np.full((len(repetitions), network.layers), top) for kind, top in series["thresholds"].items()}
        noise = Noise(np.full(len(repetitions), sigma), tops)
    key = state_key(
        vars(arguments) | {"checkpoint": None, "output": None, "curves": None, "weights": None},
        digest(f"scripts/{Path(__file__).name}"),
        images.fingerprint,
    )
    device = choose_device(arguments.device, arguments.threads)
    with Checkpoint(arguments.checkpoint, key) as checkpoint:
        trained = train(
            network,
            x,
            y,
            recipe,
            noise,
            learning,
            arguments.seed,
            tuple(arguments.job),
            [str(repetition) for repetition in repetitions],
            device,
            evaluation(network, images, device),
            checkpoint,
            cli.progress("epochs"),
        )
        write_curves(arguments.curves, trained.curves, repetitions)
        save_arrays(arguments.weights, **{f"weight.{k}": weight for k, weight in enumerate(trained.weights)})
        thresholds = {
            f"threshold.{kind}.{layer}": float(value)
            for kind, values in trained.thresholds.items()
            for layer, value in enumerate(values.mean(0), start=1)
        }
        final = {name: float(values[:, -1].mean()) for name, values in trained.curves.items()}
        public = {name: value for name, value in final.items() if name.startswith("test")}
        write_record(
            arguments.output,
            job=arguments.job,
            preset=arguments.preset,
            seed=arguments.seed,
            dataset=arguments.dataset,
            fingerprint=images.fingerprint,
            parameters={
                "series": series,
                "noise": arguments.noise,
                "paper_epsilon": arguments.epsilon,
                "sigma": sigma,
                "repetitions": repetitions,
            },
            device=arguments.device,
            metrics=public | thresholds,
            private_metrics={name: value for name, value in final.items() if name not in public},
            privacy={} if sigma is None else statements(run_at(sigma), orders, series["delta"]),
        )
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
