"""Volumes and masks turned, mirrored, stretched and shifted by MONAI's transforms, with draws of our own generators.

A transform is made for each sample and given its draws: one that lasts would make what becomes of a sample depend on
who came before it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from lib.core.lean_monai import OneOf, RandAffine, RandAxisFlip, RandFlip, RandRotate90, Rotate90

_ANGLE, _STRETCH, _SHIFT = 0.3, 0.2, 0.1  # radians; shares of the size and of each side


def turned(rng: np.random.Generator, share: float, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Arrays (C, x, y, z) float32 of one patch, with a chance of `share` all rotated or mirrored in the same way.

    Rotations are by 90, 180 or 270 degrees in the plane of x and y, by 180 only where the patch is not square there;
    mirrors lie across x, y or z. Either kind has the same chance (Fay et al. 2020, Experiments).
    """
    if rng.random() >= share:
        return list(arrays)
    square = arrays[0].shape[1] == arrays[0].shape[2]
    rotation = RandRotate90(prob=1, max_k=3) if square else Rotate90(k=2)
    either = OneOf([rotation, RandAxisFlip(prob=1)]).set_random_state(state=_state(rng))
    whole = either(torch.from_numpy(np.concatenate(arrays))).as_tensor().numpy()
    return np.split(whole, np.cumsum([len(array) for array in arrays])[:-1])


def moved(rng: np.random.Generator, mask: torch.Tensor) -> torch.Tensor:
    """Return a soft mask (C, *sides), of two or three sides, mirrored or not and moved affinely; it stays in [0, 1].

    Mirrored across the first side with a chance of a half; turned by up to 0.3 radians about each axis, stretched or
    shrunk by up to a fifth along and shifted by up to a tenth of each side. What comes in from outside is what lies at
    the border. Device and dtype are the mask's.
    """
    sides, state = mask.shape[1:], _state(rng)
    flip = RandFlip(prob=0.5, spatial_axis=0)
    affine = RandAffine(
        prob=1,
        rotate_range=(_ANGLE,) * (3 if len(sides) == 3 else 1),
        scale_range=(_STRETCH,) * len(sides),
        translate_range=[_SHIFT * side for side in sides],
        mode="bilinear",
        padding_mode="border",
        device=mask.device,
    )
    flip.set_random_state(state=state)
    affine.set_random_state(state=state)
    changed: Any = affine(flip(mask))  # a tensor of MONAI's own
    return changed.as_tensor().clamp(0, 1)


def _state(rng: np.random.Generator) -> np.random.RandomState:
    return np.random.RandomState(rng.integers(2**32, dtype=np.uint32))
