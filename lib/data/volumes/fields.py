"""Smooth random functions of a place in millimetres, which look alike on a fine and on a coarse grid."""

import numpy as np

BOX = (240.0, 240.0, 155.0)  # mm that a volume shows, whatever its number of voxels
# A cubic B-spline of white noise of variance 1 has this variance along one axis, averaged over places.
_VARIANCE = 151 / 315


def voxel(shape: tuple[int, int, int]) -> float:
    """Return the side of a cube as large as a voxel, in mm."""
    return float(np.prod([length / count for length, count in zip(BOX, shape, strict=True)])) ** (1 / 3)


def places(shape: tuple[int, int, int]) -> list[np.ndarray]:
    """x (X, 1, 1), y (1, Y, 1), z (1, 1, Z) float32: centres of the voxels, in mm from the middle of the box."""
    along = (((np.arange(count) + 0.5) / count - 0.5) * length for length, count in zip(BOX, shape, strict=True))
    return [line.reshape(np.roll((-1, 1, 1), axis)).astype(np.float32) for axis, line in enumerate(along)]


def smooth_field(rng: np.random.Generator, spacing: float, shape: tuple[int, int, int]) -> np.ndarray:
    """Values (X, Y, Z) float32 of mean 0 and variance 1 that vary over about `spacing` mm.

    A cubic B-spline of normal numbers, one every `spacing` mm: how many are drawn does not depend on `shape`.
    """
    counts = [int(np.ceil(length / spacing)) + 3 for length in BOX]
    values = rng.standard_normal(counts, np.float32) / np.float32(_VARIANCE**1.5)
    for axis, count in enumerate(counts):
        basis = _basis((np.arange(shape[axis]) + 0.5) / shape[axis] * BOX[axis] / spacing, count)
        values = np.moveaxis(np.tensordot(basis, values, axes=(1, axis)), 0, axis)
    return np.ascontiguousarray(values)


def ramp(distance: np.ndarray, width: float) -> np.ndarray:
    """Return the share of a voxel of `width` mm in a border, given its signed distance in mm: 1 inside, 0 outside."""
    return np.clip(distance / np.float32(width) + np.float32(0.5), 0, 1)


def _basis(at: np.ndarray, count: int) -> np.ndarray:
    """Weights (n, count) float32 of the lattice's numbers at places `at` (n,), in units of its spacing."""
    cell = np.floor(at).astype(int)
    t = at - cell
    weights = np.stack([(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3], axis=1) / 6
    basis = np.zeros((len(at), count))
    np.put_along_axis(basis, cell[:, None] + np.arange(4), weights, axis=1)
    return basis.astype(np.float32)
