"""Volumes in disjoint blocks, as PCA takes them (Fay et al. 2022, Section 3)."""

import math

import numpy as np


class Blocks:
    """Cuts masks (n, C, X, Y, Z) into B blocks of D = C times their voxels, and joins them again.

    The volume is padded with zeros at the far ends to whole blocks (155 slices to 160, for 16). A block holds all
    channels of its place. A block as large as the volume is the volume itself.
    """

    def __init__(self, shape: tuple[int, int, int, int], size: tuple[int, int, int]) -> None:
        """shape: (C, X, Y, Z); size: voxels along each axis of a block. Raises ValueError for a size below 1."""
        if len(shape) != 4 or len(size) != 3 or min(*size, *shape) < 1:
            raise ValueError(f"volumes {shape} in blocks {size}: allowed are (C, X, Y, Z) and (x, y, z), at least 1")
        self.shape, self.size = tuple(shape), tuple(size)
        self._grid = tuple(math.ceil(side / step) for side, step in zip(shape[1:], size, strict=True))
        self.count = math.prod(self._grid)
        self.dimension = shape[0] * math.prod(size)

    def split(self, y: np.ndarray) -> np.ndarray:
        """Blocks (n, count, dimension), of the dtype of y (n, C, X, Y, Z)."""
        sides = zip(y.shape[2:], self._grid, self.size, strict=True)
        y = np.pad(y, [(0, 0), (0, 0), *((0, whole * step - side) for side, whole, step in sides)])
        (a, b, c), (i, j, k) = self._grid, self.size
        y = y.reshape(len(y), self.shape[0], a, i, b, j, c, k).transpose(0, 2, 4, 6, 1, 3, 5, 7)
        return y.reshape(len(y), self.count, self.dimension)

    def join(self, blocks: np.ndarray) -> np.ndarray:
        """Masks (n, C, X, Y, Z) of blocks (n, count, dimension); what was padded is cut off."""
        (a, b, c), (i, j, k) = self._grid, self.size
        y = blocks.reshape(len(blocks), a, b, c, self.shape[0], i, j, k).transpose(0, 4, 1, 5, 2, 6, 3, 7)
        y = y.reshape(len(blocks), self.shape[0], a * i, b * j, c * k)
        return np.ascontiguousarray(y[:, :, : self.shape[1], : self.shape[2], : self.shape[3]])
