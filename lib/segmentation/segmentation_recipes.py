"""How networks of volumes and masks are trained: settings without PyTorch and MONAI, which take long to import."""

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from lib.core.keywords import Count, NotNegative, Positive, Share, Sides
from lib.training.sgd_recipe import ClippedRecipe

Loss = Annotated[Literal["cross_entropy", "dice_and_cross_entropy"], "Objective; lib/segmentation/loss.py."]
Part = Annotated[float, Gt(0), Le(1)]


@dataclass(frozen=True, kw_only=True)
class PatchRecipe:
    """How patches are taken from volumes."""

    patch: Annotated[Sides, "Voxels along each axis, clipped to the volume."] = (64, 64, 64)
    # nnU-Net: a third; it tells where the foreground is: for targets that the network may know
    foreground: Annotated[Share, "Share of patches about a voxel of the foreground."] = 1 / 3
    augmented: Annotated[Share, "Share of patches that are rotated or mirrored (Fay et al. 2020: half)."] = 0.5
    loss: Loss = "dice_and_cross_entropy"


@dataclass(frozen=True, kw_only=True)
class SegmentationRecipe(PatchRecipe):
    """How a segmentation network is trained, by Adam."""

    steps: Annotated[Count, "Batches."]
    batch: Annotated[Count, "Patches a step."] = 2
    rate: Annotated[Positive, "Largest learning rate, which falls to 0 along a cosine."] = 1e-3
    warm_up: Annotated[int, Ge(0), "Steps over which it rises."] = 20
    longest: Annotated[Positive, "Norm to which a batch's gradient is clipped."] = 1.0

    def rate_at(self, step: int) -> float:
        """Learning rate of a step, counted from 0."""
        rising = min(1.0, (step + 1) / (self.warm_up + 1))
        return self.rate * rising * 0.5 * (1 + math.cos(math.pi * step / self.steps))


@dataclass(frozen=True, kw_only=True)
class SegmentationSgdRecipe(PatchRecipe, ClippedRecipe):
    """How a segmentation network is trained by clipped gradients, on Poisson samples of patients."""

    clipping: Annotated[Literal["layers", "joint"], "What is clipped: each layer's gradient, or all of it."] = "layers"
    optimizer: Annotated[Literal["sgd", "adam"], "Of the weights."] = "adam"


@dataclass(frozen=True, kw_only=True)
class AutoencoderRecipe:
    """How an autoencoder of masks is trained, by Adam, in passes over volumes or slices in a new order each.

    The learning rate rises at first and falls to 0 along half a cosine. With cross_entropy, the loss of both papers, a
    code of few numbers loses the classes that few voxels have.
    """

    epochs: Annotated[Count, "Passes over the masks."]
    sigma: Annotated[NotNegative, "Noise on each number of the code in training, in the unit of a ball of radius 1."]
    batch: Annotated[Count, "Masks, or slices, a step."] = 8
    rate: Annotated[Positive, "Largest learning rate."] = 1e-3
    # codes that are at 0 before the decoder can read them do not come back
    warm_up: Annotated[tuple[Part, Part], "Share of all steps over which the decoder's and encoder's rates rise."] = (
        0.1,
        0.5,
    )
    # voxels are many, and a rare large tumour must not undo the rest
    longest: Annotated[Positive, "Norm to which a batch's gradient is clipped."] = 0.05
    moved: Annotated[bool, "Whether masks are mirrored, turned, stretched and shifted."] = False
    loss: Loss = "cross_entropy"
