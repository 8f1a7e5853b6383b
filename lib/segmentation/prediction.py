"""Predictions of segmentation networks for whole volumes, from windows that overlap."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from lib.core.errors import InputError
from lib.core.lean_monai import sliding_window_inference
from lib.models.unet3d import UNet3D
from lib.segmentation.patches import checked_rows, fitting_patch

PAIR = 2  # volumes, and windows, that a network is shown at once
BLENDS = ("constant", "gaussian")


def predicted_masks(
    network: UNet3D,
    weights: dict[str, np.ndarray],
    images: np.ndarray,
    rows: np.ndarray,
    device: torch.device,
    patch: Sequence[int] = (64, 64, 64),
    blend: str = "gaussian",
) -> Iterator[np.ndarray]:
    """Soft masks (C, X, Y, Z) float32, one by one, of rows (b,) of images (n, channels, X, Y, Z), maybe a memory map.

    Each in windows of `patch` voxels, clipped as in training, that overlap by half of their sides. Where they do,
    probabilities are averaged: all alike, or (`gaussian`) those in the middle of their window weighing more. The
    channels of several classes sum to 1. Raises InputError for what does not fit.
    """
    if images.ndim != 5 or images.dtype.kind != "f" or images.shape[1] != network.channels:
        raise InputError(f"images {images.shape} {images.dtype}: {network.channels} floating-point channels are needed")
    if blend not in BLENDS:
        raise InputError(f"blend {blend!r}: allowed are {', '.join(BLENDS)}")
    rows, window = checked_rows(rows, len(images)), fitting_patch(patch, images.shape[2:])
    module = network.loaded(weights, device).eval()

    def probabilities(windows: torch.Tensor) -> torch.Tensor:
        logits = module(windows)
        return logits.sigmoid() if network.outputs == 1 else logits.softmax(1)

    def each() -> Iterator[np.ndarray]:
        for start in range(0, len(rows), PAIR):
            # always so many, the last one twice: for a single volume torch takes up to four times as long a convolution
            pair = [rows[min(place, len(rows) - 1)] for place in range(start, start + PAIR)]
            volumes = torch.from_numpy(np.stack([np.asarray(images[row], np.float32) for row in pair])).to(device)
            for row, volume in zip(pair, volumes, strict=True):
                if not volume.isfinite().all():
                    raise InputError(f"image {row}: its values are not all finite")
            with torch.no_grad():
                found = sliding_window_inference(volumes, window, PAIR, probabilities, overlap=0.5, mode=blend)
            for row, mask in zip(pair[: len(rows) - start], found, strict=False):
                if not mask.isfinite().all():
                    raise InputError(f"image {row}: what the network gives for it is not finite; train it anew")
                mask = mask.clamp(0, 1)  # an average of probabilities, up to rounding
                yield (mask if network.outputs == 1 else mask / mask.sum(0, keepdim=True)).cpu().numpy()

    return each()
