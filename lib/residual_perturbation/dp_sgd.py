"""DP-SGD for ResNet8 (Tao et al., Section IV-A): what residual perturbation is compared with.

Neighbouring relation: add or remove one record. A run is charged by `lib.training.sgd_recipe.account`; its samples are
the replica's rows. Noise enters by the gradients alone.
"""

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from lib.core.errors import InputError
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.pixels import pixel_scale
from lib.residual_perturbation.training import Replica, TrainedReplicas, checked_images, checked_replicas, scaled
from lib.training.clipping import per_sample_clipping
from lib.training.context import Context
from lib.training.dp_sgd import SgdTrainer
from lib.training.epochs import run_to_end
from lib.training.sgd_recipe import SgdRecipe


class ResidualSgdTrainer(SgdTrainer):
    """One network in training on a replica's rows, at a step that can be saved and restored."""

    def __init__(
        self,
        network: PerturbedResNet8,
        x: np.ndarray,
        y: np.ndarray,
        replica: Replica,
        recipe: SgdRecipe,
        sigma: float,
        context: Context,
        largest: float = 255.0,
    ) -> None:
        """x (N, height, width[, channels]) uint8, `largest` its white; y (N,). A sample's loss is its cross-entropy.

        sigma: noise multiplier; 0 clips only, for comparison, and is not private. First weights are drawn as
        `train_residual` draws them. Raises InputError for a network whose samples see their batch or that has noise of
        its own, for a recipe without clip, and for what does not fit.
        """
        if network.norm == "batch":
            raise InputError(
                "norm 'batch': a sample would see its batch, and no clip bound what it moves; allowed is group"
            )
        if recipe.clip is None:
            raise InputError("clip None: DP-SGD needs one")
        x = checked_images(x, network)
        ((gamma, pi),) = checked_replicas(network, x, y, [replica])
        if gamma or pi:
            raise InputError(f"replica {replica.name}: gamma {gamma}, pi {pi}: DP-SGD has no noise but its gradients'")
        self.scale = public_scale(network, largest, context.device)

        def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
            return cross_entropy(logits, labels, reduction="none")

        images = torch.from_numpy(x[replica.rows]).to(context.device)
        labels = torch.from_numpy(y[replica.rows].astype(np.int64)).to(context.device)
        own = context.of(replica.name)
        module = network.module(own.generator("weights")).to(context.device)
        super().__init__(module, loss, per_sample_clipping, images, labels, recipe, sigma, own)

    def _seen(self, x: torch.Tensor) -> torch.Tensor:
        # channels first in memory, too: a third less time for the gradients of single samples, on a CPU
        return scaled(x[None], *self.scale)[0].contiguous()


def public_scale(network: PerturbedResNet8, largest: float, device: torch.device) -> list[torch.Tensor]:
    """Shift and factor (1, channels) to [0, 1] by the white that is known beforehand.

    Mean and deviation of the pixels would be made from private data, and are not accounted for.
    """
    scale = pixel_scale("unit", np.zeros((1, 1, 1, network.channels), np.uint8), largest)
    return [torch.tensor(values[None], device=device) for values in scale]


def train_residual_dp_sgd(
    network: PerturbedResNet8,
    x: np.ndarray,
    y: np.ndarray,
    replica: Replica,
    recipe: SgdRecipe,
    sigma: float,
    context: Context,
    largest: float = 255.0,
) -> TrainedReplicas:
    """Train one network as `ResidualSgdTrainer` says, whose errors are raised. Progress counts epochs."""
    trainer = ResidualSgdTrainer(network, x, y, replica, recipe, sigma, context, largest)
    run_to_end(trainer, context)
    arrays = {f"weight.{name}": weight.detach()[None] for name, weight in trainer.module.named_parameters()}
    arrays |= dict(zip(("shift", "factor"), trainer.scale, strict=True))
    arrays |= {"gamma": torch.zeros(1), "pi": torch.zeros(1)}
    return TrainedReplicas((replica.name,), {name: array.cpu().numpy().copy() for name, array in arrays.items()})
