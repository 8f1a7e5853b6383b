"""DP-MAC with fixed thresholds on the leaderboard: first-order expansions of every layer, one Gaussian a step."""

from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)

from lib.core.errors import InputError
from lib.dp_mac.mac_recipe import Activation, MacRecipe
from lib.dp_mac.mac_run import account
from lib.dp_mac.mac_trainer import MacTrainer, Noise
from lib.dp_mac.network import MacNetwork
from lib.leaderboard.calibration import Budget, Calibrated, sampled_noise
from lib.leaderboard.method import CalibratedMethod, Given, checked_records
from lib.leaderboard.network import Mlp, Predict, one_hot
from lib.training.epochs import run_to_end

SCALING = "blocks"  # the released vector of a step then has sensitivity 1 (see `lib.dp_mac.accounting.MacRun`)


@dataclass(frozen=True)
class DpMac(CalibratedMethod):
    """DP-MAC, under replace-one: a record's part of a step's vector has a norm of at most 1, as with add or remove.

    noise: its parameter `sigma` is the noise multiplier.
    threshold: T_b of every layer, chosen beforehand, so that no histogram of norms is to be paid for. warm: how MAC
    first trains the network on the pool and its labels, None for random first weights; public labels cost nothing.
    """

    mlp: Mlp
    network: MacNetwork
    recipe: MacRecipe
    threshold: float
    samples: int
    noise: Calibrated
    warm: MacRecipe | None = None
    teachers: int = field(default=0, init=False)

    def trainer(self, given: Given) -> MacTrainer:
        """Return the network in training on private records."""
        checked_records(given, self.samples)
        thresholds = {"linear": np.full((1, self.network.layers), self.threshold)}
        noise = Noise(np.array([self.noise.parameters["sigma"]]), thresholds, SCALING)
        trainer = self._trainer(given.x, given.y, self.recipe, noise, given, "training")
        if self.warm is not None:
            start = self._trainer(given.public.x, given.public.y, self.warm, None, given, "warm start")
            run_to_end(start, given.context)
            for weight, first in zip(trainer.weights, start.weights, strict=True):
                weight.copy_(first)
        return trainer

    def _trainer(
        self, x: np.ndarray, y: np.ndarray, recipe: MacRecipe, noise: Noise | None, given: Given, name: str
    ) -> MacTrainer:
        rows, targets = self.mlp.rows(x), one_hot(y, self.mlp.classes)
        return MacTrainer(self.network, rows, targets, recipe, noise, [name], given.context)

    def fit(self, given: Given) -> Predict:
        """See `Method.fit`. Each class has a unit of its own; their probabilities are scaled to sum to 1."""
        trainer = self.trainer(given)
        run_to_end(trainer, given.context)
        weights = [weight.detach().clone() for weight in trainer.weights]

        def predict(records: np.ndarray) -> np.ndarray:
            z = torch.tensor(self.mlp.rows(records), device=given.context.device)[None]
            with torch.no_grad():
                if self.network.layers > 1:
                    z = self.network.outputs(weights, z)[-2]
                logits = self.network.preactivation(weights[-1], z)[0].double()
            return F.logsigmoid(logits).softmax(1).cpu().numpy()

        return predict


def dp_mac(
    mlp: Mlp,
    activation: Activation,
    bias: bool,
    recipe: MacRecipe,
    threshold: float,
    samples: int,
    budget: Budget,
    warm: MacRecipe | None = None,
) -> DpMac:
    """DP-MAC with the noise that the budget asks for.

    activation: one of MAC's. warm: see `DpMac`. Raises InputError for an expansion but the first order's, and batches
    but Poisson samples.
    """
    for name, allowed in (("expansion", "first"), ("batches", "poisson")):
        if getattr(recipe, name) != allowed:
            raise InputError(f"{name} {getattr(recipe, name)!r}: allowed is {allowed}")
    network = MacNetwork(
        (mlp.features, *mlp.hidden, mlp.classes), output="binary_cross_entropy", activation=activation, bias=bias
    )
    noise = sampled_noise(account(network, samples, recipe, 1.0, SCALING, None), budget)
    return DpMac(mlp, network, recipe, threshold, samples, noise, warm)
