"""An encoder of coarser masks for masks of full size: averaged before, interpolated after."""

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)

from lib.core.errors import InputError
from lib.encoders.encoder import Encoder, checked_masks


class CoarseEncoder:
    """Masks (n, C, X, Y, Z) through an encoder of masks (n, C, *grid); the bound is that of the encoder inside.

    A voxel of the grid is the mean over the voxels that it covers, so that masks stay in [0, 1]; the way back is
    trilinear. Everything happens on the CPU, one volume after the other.
    """

    def __init__(self, inner: Encoder, shape: tuple[int, int, int, int], grid: tuple[int, int, int]) -> None:
        """shape: (C, X, Y, Z). Raises InputError for a grid that is finer than the masks."""
        checked_grid(shape, grid)
        self._inner, self._shape, self._grid = inner, shape, grid
        self.latent_dim, self.radius = inner.latent_dim, inner.radius

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Codes (n, latent_dim) float32."""
        checked_masks(y, self._shape)
        return np.concatenate([self._inner.encode(coarse(mask[None], self._grid)) for mask in y])

    def decode(self, z: np.ndarray) -> np.ndarray:
        """Masks (n, C, X, Y, Z) float32 in [0, 1]."""
        masks = np.empty((len(z), *self._shape), np.float32)
        for place in range(len(z)):
            found = torch.from_numpy(self._inner.decode(z[place : place + 1]))
            fine = F.interpolate(found, self._shape[1:], mode="trilinear", align_corners=False)
            masks[place] = fine[0].clamp(0, 1).numpy()
        return masks


def coarse(y: np.ndarray, grid: tuple[int, int, int]) -> np.ndarray:
    """Masks (n, C, *grid) float32 in [0, 1]: means of y (n, C, X, Y, Z) over the voxels that each new one covers."""
    parts = [F.adaptive_avg_pool3d(torch.from_numpy(mask[None].astype(np.float32)), grid) for mask in y]
    return torch.cat(parts).clamp(0, 1).numpy()


def checked_grid(shape: tuple[int, ...], grid: tuple[int, ...]) -> None:
    """Raise InputError for a grid that is not at least 1 and at most the masks' sides."""
    if len(grid) != 3 or not all(1 <= new <= old for new, old in zip(grid, shape[1:], strict=True)):
        raise InputError(f"grid {tuple(grid)} of masks {tuple(shape)}: allowed are 1 to {tuple(shape[1:])}")
