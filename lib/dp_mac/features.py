"""Features of a classifier's first layer (Figure 3)."""

import numpy as np
import torch

from lib.dp_mac.network import MacNetwork


def significant_units(
    network: MacNetwork, weights: list[torch.Tensor], x: torch.Tensor, labels: np.ndarray, wanted: list[int]
) -> np.ndarray:
    """For R networks and each label wanted, the first layer's unit that contributes most to it; (R, len(wanted)).

    A unit's contribution is its mean output on samples x (n, features), or (R, n, features), of the label, times the
    product of the later layers' weights from it to the label's output, as if they were linear. The paper does not say
    how it chose.
    """
    first = network.outputs(weights, x.expand(len(weights[0]), -1, -1))[0]
    paths = weights[1][:, : first.shape[-1]]
    for weight in weights[2:]:
        paths = paths @ weight[:, : paths.shape[-1]]
    chosen = []
    for label in wanted:
        mean = first[:, torch.from_numpy(labels == label)].mean(1)
        chosen.append((mean * paths[:, :, label]).argmax(1).numpy())
    return np.stack(chosen, axis=1)


def inside(images: np.ndarray) -> np.ndarray:
    """Images (..., h, w) without their borders, a seventh of a side each.

    MNIST's digits lie in the middle 20 of 28 pixels, as its authors placed them. No image says anything of the
    weights outside. Without privacy they keep their initial values, with it they are the sum of all noise.
    """
    height, width = (side // 7 for side in images.shape[-2:])
    return images[..., height : images.shape[-2] - height, width : images.shape[-1] - width]


def roughness(images: np.ndarray) -> np.ndarray:
    """Mean squared difference of neighbouring pixels over the variance of pixels; images (..., h, w) -> (...).

    About 2 for pixels that have nothing to do with their neighbours, near 0 where an image is smooth. Borders are left
    out (`inside`).
    """
    images = inside(images)
    down, across = (np.square(np.diff(images, axis=axis)) for axis in (-2, -1))
    total = down.sum((-2, -1)) + across.sum((-2, -1))
    count = np.prod(down.shape[-2:]) + np.prod(across.shape[-2:])
    return total / count / images.var(axis=(-2, -1))
