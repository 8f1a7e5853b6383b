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
    threshold: T_b of every layer, chosen beforehand, so that no histogram of norms is to be paid for.
    """

    mlp: Mlp
    network: MacNetwork
    recipe: MacRecipe
    threshold: float
    samples: int
    noise: Calibrated
    teachers: int = field(default=0, init=False)

    def trainer(self, given: Given) -> MacTrainer:
        """Return the network in training on private records."""
        checked_records(given, self.samples)
        thresholds = {"linear": np.full((1, self.network.layers), self.threshold)}
        noise = Noise(np.array([self.noise.parameters["sigma"]]), thresholds, SCALING)
        rows, targets = self.mlp.rows(given.x), one_hot(given.y, self.mlp.classes)
        draws = (given.seed, given.job, ["training"])
        return MacTrainer(self.network, rows, targets, self.recipe, noise, *draws, given.device)

    def fit(self, given: Given) -> Predict:
        """See `Method.fit`. Each class has a unit of its own; their probabilities are scaled to sum to 1."""
        trainer = self.trainer(given)
        run_to_end(trainer, None, lambda done, total: None)
        weights = [weight.detach().clone() for weight in trainer.weights]

        def predict(records: np.ndarray) -> np.ndarray:
            z = torch.tensor(self.mlp.rows(records), device=given.device)[None]
            with torch.no_grad():
                if self.network.layers > 1:
                    z = self.network.outputs(weights, z)[-2]
                logits = self.network.preactivation(weights[-1], z)[0].double()
            return F.logsigmoid(logits).softmax(1).cpu().numpy()

        return predict


def dp_mac(
    mlp: Mlp, activation: Activation, bias: bool, recipe: MacRecipe, threshold: float, samples: int, budget: Budget
) -> DpMac:
    """DP-MAC with the noise that the budget asks for.

    activation: one of MAC's. Raises InputError for an expansion but the first order's, and batches but Poisson samples.
    """
    for name, allowed in (("expansion", "first"), ("batches", "poisson")):
        if getattr(recipe, name) != allowed:
            raise InputError(f"{name} {getattr(recipe, name)!r}: allowed is {allowed}")
    network = MacNetwork(
        (mlp.features, *mlp.hidden, mlp.classes), output="binary_cross_entropy", activation=activation, bias=bias
    )
    noise = sampled_noise(account(network, samples, recipe, 1.0, SCALING, None), budget)
    return DpMac(mlp, network, recipe, threshold, samples, noise)
