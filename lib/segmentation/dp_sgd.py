"""DP-SGD for segmentation networks: what PATE for masks is compared with (Fay et al. 2020, Experiments).

Neighbouring relation: replace one patient, and with them their volume and its labels, as for PATE
(`pate_accountant.replaced`); how many there are is public. A step draws a Poisson
sample of patients and one patch of each, so a patient's gradient is one sample's. Where the patch lies and how it is
turned is keyed by the patient's row, and its gradient is the same to the bit whoever else is drawn. The paper clips
"gradients for each layer at 4" and says "noise with variance 6", not of what, nor batches or steps: here the noise is
given as a multiplier of the bound on the whole gradient, C sqrt(m) with m layers clipped to C each, and what a run
costs is computed.
"""

import math
from dataclasses import replace

import numpy as np
import torch

from lib.models.unet3d import UNet3D
from lib.segmentation.clipping import JointClipping, LayerwiseClipping, layers
from lib.segmentation.loss import segmentation_loss
from lib.segmentation.patches import Patches, checked_rows
from lib.segmentation.segmentation_recipes import SegmentationSgdRecipe
from lib.segmentation.training import weights_of
from lib.training.context import Context
from lib.training.dp_sgd import SgdTrainer
from lib.training.epochs import run_to_end
from lib.training.sgd_recipe import SgdRecipe

CLIPPINGS = {"layers": LayerwiseClipping, "joint": JointClipping}


def with_joint_clip(recipe: SegmentationSgdRecipe, network: UNet3D) -> SgdRecipe:
    """Return the recipe that the run is charged for (`lib.training.sgd_recipe.account`), its samples the patients.

    Its clip bounds what one patient moves a step's sum by, over all layers.
    """
    count = len(layers(network.module(np.random.default_rng(0)))) if recipe.clipping == "layers" else 1
    return replace(recipe, clip=recipe.clip * math.sqrt(count))


class SegmentationSgdTrainer(SgdTrainer):
    """One network in training, at a step that can be saved and restored."""

    def __init__(
        self,
        network: UNet3D,
        images: np.ndarray,
        targets: np.ndarray,
        rows: np.ndarray,
        recipe: SegmentationSgdRecipe,
        sigma: float,
        shares: np.ndarray | None,
        context: Context,
    ) -> None:
        """images (n, channels, X, Y, Z), targets: see `Patches`, one volume a patient; rows: those to train on.

        sigma: noise multiplier of the whole gradient's bound; 0 clips only, and is not private. shares: see
        `UNet3D.module`; they must be of public volumes, for no noise hides them. Raises InputError for what does not
        fit.
        """
        self._patches = Patches(images, targets, network.channels, network.outputs, recipe)
        self._patients = checked_rows(rows, len(images))
        patients = torch.from_numpy(self._patients).to(context.device)

        def losses(logits: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
            return segmentation_loss(logits, masks, recipe.loss)[None]  # one patient at a time: see `_clip_gradients`

        module = network.module(context.generator("weights"), context.device, shares).train()
        clipping, sgd = CLIPPINGS[recipe.clipping], with_joint_clip(recipe, network)
        super().__init__(module, losses, clipping, patients, patients, sgd, sigma, context)

    def _batch(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Images and masks, one patch of each patient of this step's Poisson sample."""
        rows, device = self._patients[self._drawn()], self._context.device
        if not len(rows):
            return torch.empty(0, device=device), torch.empty(0, device=device)
        rngs = [self._context.generator(f"patch {self.step} {row}") for row in rows]
        images, masks = self._patches.draw(rngs, rows)
        return torch.from_numpy(images).to(device), torch.from_numpy(masks).to(device)

    def _clip_gradients(self, x: torch.Tensor, y: torch.Tensor) -> None:
        """One patient at a time; nobody gives 0, to which noise is added all the same.

        Gradients of several patients at once would be rounded otherwise with each company, and where a layer's gradient
        is little more than rounding, a patient who is left out would change what the others add by as much as the clip.
        Each is shown twice side by side, which changes neither loss nor gradient: torch computes convolutions of a
        single volume up to four times as slowly.
        """
        parameters = list(self.module.parameters())
        sums = [torch.zeros_like(parameter, dtype=torch.float64) for parameter in parameters]
        for image, mask in zip(x.detach(), y, strict=True):
            twice = [torch.stack([array, array]) for array in (image, mask)]
            super()._clip_gradients(twice[0].requires_grad_(), twice[1])
            for total, parameter in zip(sums, parameters, strict=True):
                assert parameter.grad is not None
                total += parameter.grad
        for total, parameter in zip(sums, parameters, strict=True):
            parameter.grad = total.to(parameter)


def train_segmentation_dp_sgd(
    network: UNet3D,
    images: np.ndarray,
    targets: np.ndarray,
    rows: np.ndarray,
    recipe: SegmentationSgdRecipe,
    sigma: float,
    shares: np.ndarray | None,
    context: Context,
) -> dict[str, np.ndarray]:
    """Weights by name of one network, trained on the rows' patients (see `SegmentationSgdTrainer`).

    Progress counts epochs. Raises InputError as `SegmentationSgdTrainer` does.
    """
    trainer = SegmentationSgdTrainer(network, images, targets, rows, recipe, sigma, shares, context)
    run_to_end(trainer, context)
    return weights_of(trainer.module)
