"""What segmentation networks are trained to make small: cross-entropy with soft masks, and the soft Dice loss."""

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from monai.losses import DiceLoss

LOSSES = ("cross_entropy", "dice_and_cross_entropy")


def segmentation_losses(logits: torch.Tensor, masks: torch.Tensor, kind: str) -> torch.Tensor:
    """Loss (b,) of each sample, from logits (b, C, x, y, z) and soft masks alike.

    `cross_entropy` is the mean over voxels, in nats, of one sigmoid (C = 1) or of a softmax over C (Fay et al. 2020,
    2022); `dice_and_cross_entropy` adds 1 minus the soft Dice coefficient, the mean over the classes without the
    background (Isensee et al. 2018). No class indices are used: their gradient is not deterministic on CUDA.
    """
    binary = logits.shape[1] == 1
    if binary:
        voxels = F.binary_cross_entropy_with_logits(logits, masks, reduction="none")
    else:
        voxels = F.cross_entropy(logits, masks, reduction="none")
    losses = voxels.flatten(1).mean(1)
    if kind == "cross_entropy":
        return losses
    dice = DiceLoss(sigmoid=binary, softmax=not binary, include_background=binary, reduction="none")
    return losses + dice(logits, masks).flatten(1).mean(1)
