"""DP-MAC as a whole (Algorithm 2): pre-training, the thresholds' histograms, training; with curves, and resumable."""

from dataclasses import dataclass, replace

import numpy as np
import torch

from lib.core.checkpoint import Checkpoint
from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.dp_mac.accounting import MacRun
from lib.dp_mac.evaluation import Evaluate
from lib.dp_mac.histogram import learned_thresholds
from lib.dp_mac.mac_recipe import Learning, MacRecipe
from lib.dp_mac.mac_trainer import MacTrainer, Noise
from lib.dp_mac.network import MacNetwork
from lib.training.epochs import Measured, Progress, run_to_end, under


@dataclass(frozen=True)
class Trained:
    """R trained networks.

    weights: (R, in, out) a layer. curves: (R, epochs + 1) for each name that `evaluate` gave, before training and
    after each epoch. thresholds: (R, K) for each coefficient, those that training used; empty for plain MAC.
    """

    weights: list[np.ndarray]
    curves: dict[str, np.ndarray]
    thresholds: dict[str, np.ndarray]


def account(
    network: MacNetwork,
    samples: int,
    recipe: MacRecipe,
    sigma: float,
    scaling: str,
    learning: Learning | None,
    **releases: float,
) -> MacRun:
    """Return the run of `train` with noise of `sigma` that the accountant must charge; InputError where that is 0.

    releases: sigma_centre and sigma_pca, where images are prepared.
    """
    return MacRun(
        samples=samples,
        batch=recipe.batch,
        epochs=recipe.epochs,
        layers=network.layers,
        sigma=sigma,
        coefficients=recipe.coefficients,
        pretraining_epochs=learning.epochs if learning else 0,
        sigma_histogram=learning.sigma if learning else None,
        scaling=scaling,
        **releases,
    )


def train(
    network: MacNetwork,
    x: np.ndarray,
    y: np.ndarray,
    recipe: MacRecipe,
    noise: Noise | None,
    learning: Learning | None,
    seed: int,
    job: tuple[str, ...],
    names: list[str],
    device: torch.device,
    evaluate: Evaluate,
    checkpoint: Checkpoint | None = None,
    progress: Progress = lambda done, total: None,
) -> Trained:
    """Train R runs, one for each of `names`, on x (N, features), y (N, outputs); noise None: plain MAC.

    Either may be (R, N, ...), each run's own. evaluate: from weights, (R,) of each name, at every epoch's end. With a
    checkpoint, which must be entered, training goes on where it stopped and gives the same bytes. Calls progress(done,
    total) after each epoch, pre-training's included. Raises InputError as `MacTrainer` does, and for learning without
    noise.
    """
    if learning is not None and noise is None:
        raise InputError("learning of thresholds: plain MAC has none")
    before = learning.epochs if learning else 0
    total = before + recipe.epochs
    saved = (checkpoint.load() if checkpoint else None) or {}
    learned = under("threshold", saved)
    if learning is not None and noise is not None:
        if not learned:
            shortened = replace(recipe, epochs=learning.epochs)
            first = MacTrainer(network, x, y, shortened, noise, seed, (*job, "pretraining"), names, device)
            run_to_end(first, checkpoint, lambda done, _: progress(done, total), saved)
            saved = {}
            for kind, norms in first.coefficient_norms().items():
                generators = [generator(seed, *job, name, f"histogram of {kind}") for name in names]
                tops = noise.thresholds[kind]
                learned[kind] = learned_thresholds(norms, tops, learning.bins, learning.sigma, generators)
        noise = replace(noise, thresholds=learned)
    trainer = MacTrainer(network, x, y, recipe, noise, seed, (*job, "training"), names, device)
    measured = Measured(trainer, lambda: evaluate(trainer.weights))
    more = {f"threshold.{kind}": values for kind, values in learned.items()}
    run_to_end(measured, checkpoint, lambda done, _: progress(before + done, total), saved, more)
    return Trained(
        [weight.cpu().numpy() for weight in trainer.weights], measured.curves, dict(noise.thresholds) if noise else {}
    )
