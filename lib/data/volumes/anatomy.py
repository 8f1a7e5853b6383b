"""The head of the brain phantom: which tissue is where, in shares of a voxel. All lengths in mm."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lib.data.volumes.fields import places, ramp, smooth_field, voxel

# Half axes of an adult's brain; below its middle it is flatter.
_HALF_AXES = np.array([68.0, 84.0, 62.0])
_FLATTENED = 0.85
_SULCUS_SPACING, _SULCUS_SCALE, _SULCUS_DEPTH = 7.5, 3.7, 15.0
_FISSURE_DEPTH = 28.0
_CSF_LINING, _CORTEX = 0.8, 3.3
# Outwards from the brain's hull.
_FLUID, _SKULL, _SCALP = 2.5, 8.5, 14.0


@dataclass(frozen=True)
class Anatomy:
    """One head on a grid.

    depth (X, Y, Z): mm below the brain's hull, negative outside; ventricle (X, Y, Z): share of a voxel;
    shares: of csf, grey, white, deep grey, skull and scalp, (X, Y, Z) float32, 0 to 1, their sum 1 in the head and 0 in
    the air;
    turn (3, 3), shift (3,): a place p of the box is at turn @ (p - shift) in the brain, small distortions aside;
    half_axes (3,): of this brain.
    """

    depth: np.ndarray
    ventricle: np.ndarray
    shares: dict[str, np.ndarray]
    turn: np.ndarray
    shift: np.ndarray
    half_axes: np.ndarray


def draw_anatomy(rng: np.random.Generator, shape: tuple[int, int, int]) -> Anatomy:
    """Return a head, by numbers of `rng` alone: other shapes show the same head."""
    half_axes = _HALF_AXES * rng.uniform(0.94, 1.06, 3)
    turn, shift = _rotation(rng.uniform(-0.1, 0.1, 3)), rng.uniform(-4, 4, 3)
    inside: list[Any] = [
        sum(np.float32(turn[axis, k]) * (place - np.float32(shift[k])) for k, place in enumerate(places(shape)))
        for axis in range(3)
    ]
    for axis in range(3):
        inside[axis] += 3 * smooth_field(rng, 45.0, shape)
    x, y, z = inside
    depth = _depth(x, y, z, half_axes)
    width = max(1.0, voxel(shape))
    size = rng.uniform(0.8, 1.35)
    ventricle = ramp(_ventricles(np.abs(x), y, z, size), width)
    nuclei = ramp(_ellipsoid(np.abs(x) - 25, y - 2, z, (8.0, 17.0, 10.0)), width) * (1 - ventricle)

    # The sheets on which a smooth field vanishes are the sulci: fluid in them, cortex along them, down to a depth.
    below = np.maximum(depth - _SULCUS_DEPTH, 0)
    fluid = np.minimum(depth, _SULCUS_SCALE * np.abs(smooth_field(rng, _SULCUS_SPACING, shape)) + below)
    fluid = np.minimum(fluid, np.abs(x) + np.maximum(depth - _FISSURE_DEPTH, 0))
    tissue, white = ramp(fluid - _CSF_LINING, width), ramp(fluid - _CORTEX, width)

    brain = ramp(depth, width)
    covered = [ramp(depth + thickness, width) for thickness in (_FLUID, _SKULL, _SCALP)]
    whole = brain * (1 - ventricle)
    shares = {
        "grey": whole * (tissue - white) * (1 - nuclei),
        "white": whole * white * (1 - nuclei),
        "deep grey": whole * nuclei,
        "csf": whole * (1 - tissue) * (1 - nuclei) + brain * ventricle + (covered[0] - brain),
        "skull": covered[1] - covered[0],
        "scalp": covered[2] - covered[1],
    }
    return Anatomy(depth, ventricle, shares, turn, shift, half_axes)


def _depth(x: np.ndarray, y: np.ndarray, z: np.ndarray, half_axes: np.ndarray) -> np.ndarray:
    """Distance to the hull, straight out from the middle."""
    a, b, c = half_axes.astype(np.float32)
    down = np.where(z < 0, np.float32(_FLATTENED), np.float32(1))
    radius = np.sqrt((x / a) ** 2 + (y / b) ** 2 + (z / (c * down)) ** 2)
    return np.sqrt(x * x + y * y + z * z) * (1 / np.maximum(radius, np.float32(1e-3)) - 1)


def _ventricles(side: np.ndarray, y: np.ndarray, z: np.ndarray, size: float) -> np.ndarray:
    """Distance inwards from the walls of the lateral ventricles, which bend outwards and down, and of the third."""
    lateral = _ellipsoid(side - 11 - 0.006 * (y + 4) ** 2, y + 4, z - 9 + 0.008 * (y + 4) ** 2, (6.5, 33.0, 8.5), size)
    third = _ellipsoid(side, y + 4, z + 6, (2.5, 12.0, 8.0), size)
    return np.maximum(lateral, third)


def _ellipsoid(
    x: np.ndarray, y: np.ndarray, z: np.ndarray, half_axes: tuple[float, ...], size: float = 1.0
) -> np.ndarray:
    """About the distance inwards from the surface of an ellipsoid."""
    a, b, c = (np.float32(half * size) for half in half_axes)
    return (1 - np.sqrt((x / a) ** 2 + (y / b) ** 2 + (z / c) ** 2)) * min(a, b, c)


def _rotation(angles: np.ndarray) -> np.ndarray:
    """Return the rotation (3, 3) by angles about the three axes, in radians."""
    (cx, cy, cz), (sx, sy, sz) = np.cos(angles), np.sin(angles)
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x
