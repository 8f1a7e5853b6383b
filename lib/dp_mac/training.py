"""DP-MAC as a whole (Algorithm 2): pre-training, the thresholds' histograms, training; with curves, and resumable."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch

from lib.core.checkpoint import Checkpoint, State
from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.dp_mac.accounting import MacRun
from lib.dp_mac.evaluation import Evaluate
from lib.dp_mac.histogram import learned_thresholds
from lib.dp_mac.network import MacNetwork
from lib.dp_mac.trainer import MacRecipe, MacTrainer, Noise


@dataclass(frozen=True, kw_only=True)
class Learning:
    """How thresholds are learned: `epochs` of pre-training, then a histogram of `bins`, noised by `sigma`, a layer.

    Pre-training takes the thresholds of `Noise` (the paper's T_b^max) and its sigma; its network is thrown away.
    Raises InputError for what is not allowed.
    """

    epochs: int
    bins: int
    sigma: float

    def __post_init__(self) -> None:
        """Check the numbers."""
        if self.epochs < 1 or self.bins < 1 or not (np.isfinite(self.sigma) and self.sigma >= 0):
            raise InputError(
                f"epochs {self.epochs}, bins {self.bins}, sigma {self.sigma}: at least 1, at least 1, at least 0"
            )


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
    """What the accountant must charge for one run of `train` with noise of `sigma`; InputError where that is 0.

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
    progress: Callable[[int, int], None] = lambda done, total: None,
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
    learned = _named(saved, "threshold")
    if learning is not None:
        if not learned:
            shortened = replace(recipe, epochs=learning.epochs)
            first = MacTrainer(network, x, y, shortened, noise, seed, (*job, "pretraining"), names, device)
            _pretrain(first, saved, checkpoint, lambda done: progress(done, total))
            saved = {}
            for kind, norms in first.coefficient_norms().items():
                generators = [generator(seed, *job, name, f"histogram of {kind}") for name in names]
                tops = noise.thresholds[kind]
                learned[kind] = learned_thresholds(norms, tops, learning.bins, learning.sigma, generators)
        noise = replace(noise, thresholds=learned)
    trainer = MacTrainer(network, x, y, recipe, noise, seed, (*job, "training"), names, device)
    if saved:
        trainer.restore(saved)
    curves = {name: list(values.T) for name, values in _named(saved, "curve").items()}

    def note() -> None:
        for name, values in evaluate(trainer.weights).items():
            curves.setdefault(name, []).append(values.double().cpu().numpy())

    def state() -> State:
        kept = {f"threshold.{kind}": values for kind, values in learned.items()}
        kept |= {f"curve.{name}": np.stack(values, axis=1) for name, values in curves.items()}
        return {**kept, **trainer.state()}

    if trainer.step == 0:
        note()
    while trainer.step < trainer.steps:
        trainer.advance()
        if trainer.step % trainer.epoch_steps == 0:
            note()
            progress(before + trainer.step // trainer.epoch_steps, total)
        if checkpoint and checkpoint.due():
            checkpoint.save(state())
    return Trained(
        [weight.cpu().numpy() for weight in trainer.weights],
        {name: np.stack(values, axis=1) for name, values in curves.items()},
        dict(noise.thresholds) if noise else {},
    )


def _pretrain(
    trainer: MacTrainer, saved: State, checkpoint: Checkpoint | None, progress: Callable[[int], None]
) -> None:
    """Take the trainer to its end, from the saved state if there is one."""
    if saved:
        trainer.restore(saved)
    while trainer.step < trainer.steps:
        trainer.advance()
        if trainer.step % trainer.epoch_steps == 0:
            progress(trainer.step // trainer.epoch_steps)
        if checkpoint and checkpoint.due():
            checkpoint.save(trainer.state())


def _named(state: State, prefix: str) -> dict[str, np.ndarray]:
    """What the state holds under `prefix`, without it."""
    return {key.partition(".")[2]: value for key, value in state.items() if key.startswith(f"{prefix}.")}
