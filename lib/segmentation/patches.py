"""Patches of volumes that networks are trained on: where they lie, what is done to them, and what is to be learnt."""

from collections.abc import Sequence

import numpy as np

from lib.core.errors import InputError
from lib.models.unet3d import DIVISOR
from lib.segmentation.augmentation import turned
from lib.segmentation.segmentation_recipes import PatchRecipe

Span = tuple[slice, slice, slice]


def fitting_patch(patch: Sequence[int], volume: Sequence[int]) -> tuple[int, int, int]:
    """Return the largest patch within `patch` and the volume that a 3D U-Net can be given, in voxels.

    Each side is a multiple of `DIVISOR`. Raises InputError for sides that are not above 0, for a volume with a side
    below `DIVISOR`, and where all sides of the patch come to `DIVISOR` (see `UNet3D.loaded`).
    """
    if len(patch) != 3 or min(patch) < DIVISOR:
        raise InputError(f"patch {tuple(patch)}: allowed are three sides of at least {DIVISOR} voxels")
    if min(volume) < DIVISOR:
        raise InputError(f"volumes of {tuple(volume)} voxels: every side must be at least {DIVISOR}")
    sides = tuple(min(side, limit) // DIVISOR * DIVISOR for side, limit in zip(patch, volume, strict=True))
    if max(sides) == DIVISOR:
        raise InputError(
            f"patch {tuple(patch)} in volumes of {tuple(volume)} voxels: one side must be at least {2 * DIVISOR}"
        )
    return sides


def draw_span(
    rng: np.random.Generator, patch: Sequence[int], volume: Sequence[int], foreground: np.ndarray | None
) -> Span:
    """Where a patch lies: anywhere with the same chance, or around a voxel of the foreground.

    foreground: bool (X, Y, Z), or None. The voxel is drawn uniformly from it, and the patch lies with that voxel in its
    middle, or as near to that as the volume allows. A volume without any gives a patch anywhere.
    """
    free = np.subtract(volume, patch)
    if foreground is None or not foreground.any():
        starts = rng.integers(free + 1)
    else:
        voxel = np.unravel_index(rng.choice(np.flatnonzero(foreground)), foreground.shape)
        starts = np.clip(np.subtract(voxel, np.floor_divide(patch, 2)), 0, free)
    x, y, z = (slice(int(start), int(start) + side) for start, side in zip(starts, patch, strict=True))
    return x, y, z


class Targets:
    """Targets of a network: soft masks, or labels that are made into masks patch by patch.

    A soft mask is (n, C, X, Y, Z) in [0, 1], C the network's outputs: 1, or the classes with the background first.
    Labels are uint8 (n, X, Y, Z): with one output all above 0 are foreground, else label k is channel k.
    """

    def __init__(self, targets: np.ndarray, outputs: int, images: np.ndarray) -> None:
        """images (n, channels, X, Y, Z), which they are of. InputError for what does not fit."""
        self._labels = targets.ndim == 4
        shape = (len(images), *(() if self._labels else (outputs,)), *images.shape[2:])
        if targets.shape != shape or targets.dtype.kind != ("u" if self._labels else "f"):
            raise InputError(
                f"targets {targets.shape} {targets.dtype} of images {images.shape}: allowed are uint8 labels "
                f"{(len(images), *images.shape[2:])} or floating-point masks of {outputs} channels"
            )
        self._targets, self._outputs = targets, outputs

    def foreground(self, row: int) -> np.ndarray:
        """Voxels (X, Y, Z) of one volume that are more likely foreground than not, bool."""
        if self._labels:
            return self._targets[row] > 0
        return self._targets[row, 0] > 0.5 if self._outputs == 1 else self._targets[row, 0] < 0.5

    def shares(self, rows: np.ndarray) -> np.ndarray:
        """Shares (C,) of the voxels of some volumes that each output is to name."""
        whole = (slice(None), slice(None), slice(None))
        return np.mean([self.patch(row, whole).mean(axis=(1, 2, 3), dtype=np.float64) for row in rows], axis=0)

    def patch(self, row: int, span: Span) -> np.ndarray:
        """Soft mask (C, x, y, z) float32 of a patch of one volume; InputError if it is none."""
        part = self._targets[(row, ..., *span)]
        if not self._labels:
            if not (part.min() >= 0 and part.max() <= 1):  # not so with NaN
                raise InputError(f"target {row}: allowed are probabilities, from 0 to 1")
            return np.asarray(part, np.float32)
        if self._outputs == 1:
            return np.asarray(part[None] > 0, np.float32)
        if part.max() >= self._outputs:
            raise InputError(f"target {row}: label {part.max()}; allowed are 0 to {self._outputs - 1}")
        return np.asarray(part[None] == np.arange(self._outputs)[:, None, None, None], np.float32)


class Patches:
    """Volumes and targets as a network in training sees them: patch by patch, read from where they lie."""

    def __init__(
        self, images: np.ndarray, targets: np.ndarray, channels: int, outputs: int, recipe: PatchRecipe
    ) -> None:
        """images (n, channels, X, Y, Z) floating-point, and targets as `Targets` allows: either may be a memory map.

        Raises InputError for what does not fit.
        """
        if images.ndim != 5 or images.dtype.kind != "f" or images.shape[1] != channels or not len(images):
            raise InputError(
                f"images {images.shape} {images.dtype}: allowed are one or more (channels, x, y, z), floating-point, "
                f"of {channels} channels"
            )
        self._images, self._targets = images, Targets(targets, outputs, images)
        self._patch = fitting_patch(recipe.patch, images.shape[2:])
        self._foreground, self._augmented = recipe.foreground, recipe.augmented

    def shares(self, rows: np.ndarray) -> np.ndarray:
        """Shares (C,) of the voxels of some rows that each output is to name: as private as their targets are."""
        return self._targets.shares(rows)

    def draw(self, rngs: Sequence[np.random.Generator], rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One patch of each row, by its own generator: images (b, channels, x, y, z) and soft masks (b, C, x, y, z).

        float32; b is at least 1. InputError names a row with values that are not finite, or whose target is none.
        """
        volume = self._images.shape[2:]
        found = []
        for rng, row in zip(rngs, rows, strict=True):
            near = self._targets.foreground(row) if rng.random() < self._foreground else None
            span = draw_span(rng, self._patch, volume, near)
            image = np.asarray(self._images[(row, slice(None), *span)], np.float32)
            if not np.isfinite(image).all():
                raise InputError(f"image {row}: its values are not all finite")
            found.append(turned(rng, self._augmented, [image, self._targets.patch(row, span)]))
        images, masks = zip(*found, strict=True)
        return np.stack(images), np.stack(masks)


def checked_rows(rows: np.ndarray, count: int) -> np.ndarray:
    """Rows (n,) int64 of `count` volumes; InputError if there are none, or two alike, or some outside."""
    rows = np.asarray(rows)
    if rows.ndim != 1 or not rows.size or rows.dtype.kind not in "iu":
        raise InputError(f"rows {rows.shape} {rows.dtype}: allowed are one or more volumes' numbers")
    if len(np.unique(rows)) < len(rows) or rows.min() < 0 or rows.max() >= count:
        raise InputError(f"rows of volumes must be different, and from 0 to {count - 1}")
    return rows.astype(np.int64)
