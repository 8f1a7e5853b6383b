"""DP-MAC as a whole (Algorithm 2): pre-training, the thresholds' histograms, training; with curves, and resumable."""

from dataclasses import dataclass, replace

import numpy as np

from lib.dp_mac.accounting import MacRun
from lib.dp_mac.evaluation import Evaluate
from lib.dp_mac.histogram import learned_thresholds
from lib.dp_mac.mac_recipe import Learning, MacRecipe
from lib.dp_mac.mac_trainer import MacTrainer, Noise
from lib.dp_mac.network import MacNetwork
from lib.training.context import Context
from lib.training.epochs import Measured, run_to_end, under


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
    names: list[str],
    evaluate: Evaluate,
    context: Context,
) -> Trained:
    """Train R runs, one for each of `names`, on x (N, features), y (N, outputs); noise None: plain MAC.

    Either may be (R, N, ...), each run's own. evaluate: from weights, (R,) of each name, at every epoch's end. Progress
    counts epochs, pre-training's included. Raises InputError as `MacTrainer` does.
    """
    learning = noise.learning if noise else None
    before = learning.epochs if learning else 0
    total = before + recipe.epochs
    saved = context.saved()
    learned = under("threshold", saved)
    if learning is not None and noise is not None:
        if not learned:
            shortened = replace(recipe, epochs=learning.epochs)
            first = MacTrainer(network, x, y, shortened, noise, names, context.of("pretraining"))
            run_to_end(first, replace(context, progress=lambda done, _: context.progress(done, total)), saved)
            saved = {}
            for kind, norms in first.coefficient_norms().items():
                generators = [context.generator(name, f"histogram of {kind}") for name in names]
                tops = noise.thresholds[kind]
                learned[kind] = learned_thresholds(norms, tops, learning.bins, learning.sigma, generators)
        noise = replace(noise, thresholds=learned)
    trainer = MacTrainer(network, x, y, recipe, noise, names, context.of("training"))
    measured = Measured(trainer, lambda: evaluate(trainer.weights))
    more = {f"threshold.{kind}": values for kind, values in learned.items()}
    of_all = replace(context, progress=lambda done, _: context.progress(before + done, total))
    run_to_end(measured, of_all, saved, more)
    return Trained(
        [weight.cpu().numpy() for weight in trainer.weights], measured.curves, dict(noise.thresholds) if noise else {}
    )
