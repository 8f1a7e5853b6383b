"""Losses of segmentation networks: MONAI's cross-entropy and Dice losses, of soft masks."""

import torch

from lib.core.lean_monai import DiceCELoss


def segmentation_loss(logits: torch.Tensor, masks: torch.Tensor, kind: str) -> torch.Tensor:
    """Loss () of a batch, from logits (b, C, x, y, z) and soft masks alike.

    `cross_entropy` is the mean over voxels, in nats, of one sigmoid (C = 1) or of a softmax over C (Fay et al. 2020,
    2022); `dice_and_cross_entropy` adds 1 minus the soft Dice coefficient of the whole batch, the mean over the classes
    without the background (Isensee et al. 2018). Of the batch and not of each sample: a class that one small patch has
    no voxel of would pull its own predictions to 0 everywhere. Masks are no class indices, whose gradient is not
    deterministic on CUDA.
    """
    binary = logits.shape[1] == 1
    loss = DiceCELoss(
        sigmoid=binary,
        softmax=not binary,
        include_background=binary,
        batch=True,
        lambda_dice=float(kind == "dice_and_cross_entropy"),
    )
    return loss(logits, masks)
