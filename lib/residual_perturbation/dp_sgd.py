"""DP-SGD for ResNet8 (Tao et al., Section IV-A): what residual perturbation is compared with.

Neighbouring relation: add or remove one record. A run is charged by `lib.training.sgd_recipe.account`; its samples are
the replica's rows. Noise enters by the gradients alone.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from lib.core.checkpoint import Checkpoint
from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.pixels import pixel_scale
from lib.residual_perturbation.training import Replica, TrainedReplicas, checked_images, checked_replicas, scaled
from lib.training.clipping import per_sample_clipping
from lib.training.dp_sgd import SgdTrainer
from lib.training.epochs import run_to_end
from lib.training.sgd_recipe import SgdRecipe


def residual_dp_sgd_trainer(
    network: PerturbedResNet8,
    x: np.ndarray,
    y: np.ndarray,
    replica: Replica,
    recipe: SgdRecipe,
    sigma: float,
    seed: int,
    job: tuple[str, ...],
    device: torch.device,
    largest: float = 255.0,
) -> SgdTrainer:
    """One network in training on the replica's rows of x (N, height, width[, channels]) uint8 and y (N,).

    A sample's loss is its cross-entropy. sigma: noise multiplier; 0 clips only, for comparison, and is not private.
    First weights are drawn as `train_residual` draws them. Raises InputError for a network whose samples see their
    batch or that has noise of its own, for a recipe without clip, and for what does not fit.
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
    shift, factor = public_scale(network, largest, device)

    def seen(images: torch.Tensor) -> torch.Tensor:
        # channels first in memory, too: a third less time for the gradients of single samples, on a CPU
        return scaled(images[None], shift, factor)[0].contiguous()

    def loss(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return cross_entropy(logits, labels, reduction="none")

    images = torch.from_numpy(x[replica.rows]).to(device)
    labels = torch.from_numpy(y[replica.rows].astype(np.int64)).to(device)
    module = network.module(generator(seed, *job, replica.name, "weights")).to(device)
    return SgdTrainer(module, loss, per_sample_clipping, images, labels, recipe, sigma, seed, job, replica.name, seen)


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
    seed: int,
    job: tuple[str, ...],
    device: torch.device,
    largest: float = 255.0,
    checkpoint: Checkpoint | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> TrainedReplicas:
    """Train one network as `residual_dp_sgd_trainer` says, whose errors are raised.

    With a checkpoint, which must be entered, training goes on where it stopped and gives the same bytes. Calls
    progress(done, total) after each epoch.
    """
    trainer = residual_dp_sgd_trainer(network, x, y, replica, recipe, sigma, seed, job, device, largest)
    run_to_end(trainer, checkpoint, progress)
    arrays = {f"weight.{name}": weight.detach()[None] for name, weight in trainer.module.named_parameters()}
    arrays |= dict(zip(("shift", "factor"), public_scale(network, largest, device), strict=True))
    arrays |= {"gamma": torch.zeros(1), "pi": torch.zeros(1)}
    return TrainedReplicas((replica.name,), {name: array.cpu().numpy().copy() for name, array in arrays.items()})
