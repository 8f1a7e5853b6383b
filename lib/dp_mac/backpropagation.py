"""DP-MAC's networks trained by their gradients: DP-SGD and plain backpropagation, what DP-MAC is compared with."""

import numpy as np
import torch

from lib.dp_mac.activations import ACTIVATIONS
from lib.dp_mac.evaluation import Evaluate
from lib.dp_mac.mac_run import Trained
from lib.dp_mac.network import MacNetwork, check_data
from lib.models.chain import Chain
from lib.training.clipping import ghost_clipping
from lib.training.context import Context
from lib.training.dp_sgd import SgdTrainer
from lib.training.epochs import Measured, run_to_end
from lib.training.sgd_recipe import SgdRecipe


class ChainTrainer(SgdTrainer):
    """A network of DP-MAC in training; its first weights are keyed by the run's draws, too."""

    def __init__(
        self,
        network: MacNetwork,
        x: np.ndarray,
        y: np.ndarray,
        recipe: SgdRecipe,
        sigma: float,
        context: Context,
    ) -> None:
        """x (N, features) and y (N, outputs), floating-point. sigma: noise multiplier; 0 adds none.

        Raises InputError for data or sigma that do not fit.
        """
        check_data(network, x, y, recipe.batch)

        def tensor(array: np.ndarray) -> torch.Tensor:
            # a copy in torch's own memory: matrix products of memory aligned otherwise may round otherwise
            return torch.tensor(array, dtype=torch.float32, device=context.device)

        chain = Chain(network.sizes, ACTIVATIONS[network.activation].value, network.bias).to(context.device)
        self._chain = chain
        first = network.initial_weights(context.generator("weights"))
        chain.load([tensor(layer) for layer in first])
        objective = network.objectives[-1]
        # eq. (1) halves the squared error; cross-entropy is taken whole
        factor = 0.5 if network.output == "squared_error" else 1.0

        def loss(u: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
            return factor * objective.value(u, target).sum(1)

        super().__init__(chain, loss, ghost_clipping, tensor(x), tensor(y), recipe, sigma, context)

    @property
    def weights(self) -> list[torch.Tensor]:
        """Weights (1, in, out) of every layer, copied."""
        return [weight[None] for weight in self._chain.weights()]


def train_dp_sgd(
    network: MacNetwork,
    x: np.ndarray,
    y: np.ndarray,
    recipe: SgdRecipe,
    sigma: float,
    evaluate: Evaluate,
    context: Context,
) -> Trained:
    """Train one run on x (N, features), y (N, outputs), with noise multiplier `sigma`.

    The last word of the context's job names the run. The loss of a sample is half its sum of squared errors (eq. (1)),
    or its cross-entropy summed over outputs. sigma 0 clips only, without a clip it is plain backpropagation: for
    comparison. evaluate: from weights (1, in, out) a layer, (1,) of each name, before training and at every epoch's
    end. Progress counts epochs. Raises InputError as `ChainTrainer` does.
    """
    trainer = ChainTrainer(network, x, y, recipe, sigma, context)
    measured = Measured(trainer, lambda: evaluate(trainer.weights))
    run_to_end(measured, context)
    return Trained([weight.cpu().numpy() for weight in trainer.weights], measured.curves, {})
