"""Segmentation networks trained on patches of volumes: teachers on their labels, a student on decoded masks.

Fay et al. 2020, Experiments: patches of 64^3 voxels, half of them rotated or mirrored; 2022: Adam. Neither gives rates,
batches or steps.
"""

import math
from collections.abc import Mapping

import numpy as np
import torch

from lib.core.checkpoint import State
from lib.core.errors import InputError
from lib.models.unet3d import UNet3D
from lib.segmentation.loss import segmentation_loss
from lib.segmentation.patches import Patches, checked_rows
from lib.segmentation.segmentation_recipes import SegmentationRecipe
from lib.training.context import Context
from lib.training.epochs import run_to_end
from lib.training.optimizer_state import optimizer_state, restore_optimizer


class SegmentationTrainer:
    """One network in training, at a step that can be saved and restored.

    Its draws are keyed by (seed, job): first weights, the order of the volumes in every pass over them, and each
    step's patches. So a network trained beside others, or after them, is the one trained alone.
    """

    epoch_steps = 1  # progress is told after every batch

    def __init__(
        self,
        network: UNet3D,
        images: np.ndarray,
        targets: np.ndarray,
        rows: np.ndarray,
        recipe: SegmentationRecipe,
        context: Context,
    ) -> None:
        """images (n, channels, X, Y, Z), targets: see `Patches`; rows: those to train on. InputError as there."""
        self._patches = Patches(images, targets, network.channels, network.outputs, recipe)
        self._rows = checked_rows(rows, len(images))
        self._recipe, self._context = recipe, context
        shares = self._patches.shares(self._rows)
        self.module = network.module(context.generator("weights"), context.device, shares).train()
        self._optimizer = torch.optim.Adam(self.module.parameters(), lr=recipe.rate, fused=True)
        self.history = np.zeros((recipe.steps, 2), np.float32)  # of each step: loss, and Dice of its patches
        self.step = 0  # batches done

    @property
    def steps(self) -> int:
        """Batches in all."""
        return self._recipe.steps

    def _batch(self) -> list[torch.Tensor]:
        """Images and masks of this step: the next volumes of an endless row of passes, each in a new order."""
        passes, places = np.divmod(self.step * self._recipe.batch + np.arange(self._recipe.batch), len(self._rows))
        orders = {one: self._context.generator(f"order {one}").permutation(self._rows) for one in np.unique(passes)}
        rows = np.array([orders[one][place] for one, place in zip(passes, places, strict=True)])
        rngs = [self._context.generator(f"patch {self.step} {place}") for place in range(len(rows))]
        drawn = self._patches.draw(rngs, rows)
        return [torch.from_numpy(array).to(self._context.device) for array in drawn]

    def advance(self) -> None:
        """One batch; InputError if the loss is not finite, or a patch is not."""
        images, masks = self._batch()
        logits = self.module(images)
        loss = segmentation_loss(logits, masks, self._recipe.loss)
        # read together: every number that is read makes the host wait for the device
        value, overlap, total = torch.stack([loss.detach().double(), *patch_overlap(logits.detach(), masks)]).tolist()
        if not math.isfinite(value):
            raise InputError(
                f"network {' '.join(self._context.job)}: the loss at step {self.step} of {self.steps} is not finite; "
                "take a smaller learning rate"
            )
        for group in self._optimizer.param_groups:
            group["lr"] = self._recipe.rate_at(self.step)
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.module.parameters(), self._recipe.longest)
        self._optimizer.step()
        self.history[self.step] = value, 2 * overlap / total if total else 1.0
        self.step += 1

    def state(self) -> State:
        """All that `restore` needs to go on from here."""
        state: State = {"step": self.step, "history": self.history}
        state |= {f"weight.{name}": weight.detach() for name, weight in self.module.named_parameters()}
        return state | optimizer_state(self._optimizer)

    def restore(self, state: Mapping) -> None:
        """Go on from what `state` returned for the same network, data and recipe."""
        self.step = int(state["step"])
        self.history[:] = np.asarray(state["history"])
        with torch.no_grad():
            for name, weight in self.module.named_parameters():
                weight.copy_(torch.as_tensor(state[f"weight.{name}"]))
        restore_optimizer(self._optimizer, state)


def patch_overlap(logits: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Voxels of whole tumours in a batch of patches, found by logits (b, C, x, y, z) and true by soft masks: in both,
    and the sum of either, as doubles. Their Dice is twice the first over the second."""
    if logits.shape[1] == 1:
        found, true = logits[:, 0] >= 0, masks[:, 0] >= 0.5
    else:
        # as argmax(1) > 0 says it, which takes over four times as long
        found, true = (each[:, 1:].amax(1) > each[:, 0] for each in (logits, masks))
    return (found & true).sum().double(), (found.sum() + true.sum()).double()


def curve(history: np.ndarray, points: int = 40) -> list[dict[str, float]]:
    """Rows of step, loss and dice: means over at most so many equal stretches of a history (steps, 2)."""
    steps = np.arange(1, len(history) + 1)
    stretches = zip(*(np.array_split(array, min(points, len(history))) for array in (steps, history)), strict=True)
    return [
        {"step": int(those[-1]), **dict(zip(("loss", "dice"), map(float, part.mean(axis=0)), strict=True))}
        for those, part in stretches
    ]


def weights_of(module: torch.nn.Module) -> dict[str, np.ndarray]:
    """Copy a network's weights by their names, float32, as `UNet3D.loaded` takes them; InputError if not finite."""
    weights = {name: weight.detach().cpu().numpy().copy() for name, weight in module.named_parameters()}
    for name, weight in weights.items():
        if not np.isfinite(weight).all():
            raise InputError(f"weights {name} are not finite after training; take a smaller learning rate")
    return weights


def train_segmentation(
    network: UNet3D,
    images: np.ndarray,
    targets: np.ndarray,
    rows: np.ndarray,
    recipe: SegmentationRecipe,
    context: Context,
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Weights by name of one network, trained on the rows of images and targets (see `SegmentationTrainer`).

    Beside them its history, float32 (steps, 2): of each step the loss, and the Dice of its patches.

    Networks trained in turn in one job need a job's name, and a checkpoint, each. Progress counts batches. Raises
    InputError as `SegmentationTrainer` does.
    """
    trainer = SegmentationTrainer(network, images, targets, rows, recipe, context)
    run_to_end(trainer, context)
    return weights_of(trainer.module), trainer.history
