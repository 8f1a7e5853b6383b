"""Masks over the images that they are of."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.image import AxesImage

from lib.reporting.plotting import bare


def titled(dataset: str) -> str:
    """Title volumes in a figure: phantoms are generated, of no patient."""
    return f"{dataset} (generated)" if "phantom" in dataset else dataset


def fullest_slice(label: np.ndarray) -> int:
    """Return the axial slice with the most tumour of labels (X, Y, Z)."""
    return int((label > 0).sum((0, 1)).argmax())


def overlay(axis: plt.Axes, image: np.ndarray, mask: np.ndarray | None, truth: np.ndarray) -> AxesImage | None:
    """One slice: the image in grey, a mask's probabilities in colour over it, and the edge of the truth.

    image, mask, truth: (X, Y); mask None: the image and the truth alone. x runs to the right, y upwards.
    Returns what has the colours of the mask.
    """
    upright: dict[str, Any] = {"origin": "lower", "interpolation": "nearest"}
    axis.imshow(image.T, cmap="gray", **upright)
    painted = None
    if mask is not None:
        painted = axis.imshow(mask.T, cmap="inferno", alpha=0.75 * np.clip(mask.T, 0, 1), vmin=0, vmax=1, **upright)
    if truth.any() and not truth.all():
        axis.contour(truth.T, levels=[0.5], colors="cyan", linewidths=0.7)
    bare(axis)
    return painted
