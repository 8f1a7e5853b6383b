"""Masks over the images that they are of."""

import matplotlib.pyplot as plt
import numpy as np

from lib.segmentation.job import LEVELS


def fullest_slice(label: np.ndarray) -> int:
    """The axial slice with the most tumour of labels (X, Y, Z)."""
    return int((label > 0).sum((0, 1)).argmax())


def whole_tumour(mask: np.ndarray) -> np.ndarray:
    """The probability (X, Y, Z) of any tumour, of a soft mask (C, X, Y, Z) with the background first where C > 1."""
    return mask[0] if len(mask) == 1 else 1 - mask[0]


def average(answers: list[np.ndarray]) -> np.ndarray:
    """The teachers' mean soft mask (C, X, Y, Z), of shards of their answers (K, C, X, Y, Z) in whole steps."""
    return np.concatenate(answers).mean(0, dtype=np.float32) / LEVELS


def overlay(axis: plt.Axes, image: np.ndarray, mask: np.ndarray | None, truth: np.ndarray) -> None:
    """One slice: the image in grey, a mask's probabilities in colour over it, and the edge of the truth.

    image, mask, truth: (X, Y); mask None: the image and the truth alone. Left is left, and up is the front.
    """
    upright = {"origin": "lower", "interpolation": "nearest"}
    axis.imshow(image.T, cmap="gray", **upright)
    if mask is not None:
        axis.imshow(mask.T, cmap="inferno", alpha=0.75 * np.clip(mask.T, 0, 1), vmin=0, vmax=1, **upright)
    if truth.any() and not truth.all():
        axis.contour(truth.T, levels=[0.5], colors="cyan", linewidths=0.7)
    axis.set(xticks=[], yticks=[])
