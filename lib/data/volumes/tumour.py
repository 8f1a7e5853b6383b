"""The tumour of the brain phantom: oedema around a core, whose rim may enhance. All lengths in mm."""

from dataclasses import dataclass

import numpy as np

from lib.data.volumes.anatomy import Anatomy
from lib.data.volumes.fields import places, ramp, smooth_field, voxel
from lib.data.volumes.labels import CORE, ENHANCING, OEDEMA

_VOLUME = (30e3, 250e3)  # mm^3 of the ellipsoid that lobes and borders are cut from
_WITHOUT_RIM = 0.2  # of the subjects


@dataclass(frozen=True)
class Tumour:
    """Shares of a voxel, (X, Y, Z) float32, 0 to 1: enhancing lies within core, core within whole."""

    whole: np.ndarray
    core: np.ndarray
    enhancing: np.ndarray

    def label(self) -> np.ndarray:
        """Return the canonical class of each voxel, (X, Y, Z) uint8."""
        label = np.where(self.whole > 0.5, np.uint8(OEDEMA), np.uint8(0))
        label[self.core > 0.5] = CORE
        label[self.enhancing > 0.5] = ENHANCING
        return label


def draw_tumour(rng: np.random.Generator, head: Anatomy) -> Tumour:
    """Return a tumour of a head, by numbers of `rng`: its place, size and form, and whether it enhances."""
    shape = head.depth.shape
    width = max(1.0, voxel(shape))
    radius = float((3 * np.exp(rng.uniform(*np.log(_VOLUME))) / (4 * np.pi)) ** (1 / 3))
    centre = _centre(rng, head)
    stretch = np.exp(rng.uniform(-0.25, 0.25, 3))
    core_radius = radius * rng.uniform(0.45, 0.8)
    aside = _direction(rng)
    rim, enhances = rng.uniform(3, 6.5), rng.random() >= _WITHOUT_RIM
    tissue = ramp(head.depth - 1, width) * (1 - head.ventricle)

    # Water spreads along white matter and stops at the cortex.
    level = _distance(centre, stretch, shape) / np.float32(radius)
    level += 0.18 * smooth_field(rng, 20.0, shape) + 0.08 * smooth_field(rng, 9.0, shape) + 0.3 * head.shares["grey"]
    inner = _distance(centre + aside * (radius - core_radius) * 0.6, stretch, shape) / np.float32(core_radius)
    inner += 0.16 * smooth_field(rng, 14.0, shape)
    inwards = (1 - inner) * np.float32(core_radius)
    core = ramp(inwards, width) * tissue
    whole = np.maximum(ramp((1 - level) * np.float32(radius), width) * tissue, core)
    thickness = np.float32(rim) * (1 + 0.45 * smooth_field(rng, 12.0, shape))
    enhancing = core * ramp(thickness - inwards, width) if enhances else np.zeros_like(core)
    return Tumour(whole, core, enhancing)


def _centre(rng: np.random.Generator, head: Anatomy) -> np.ndarray:
    """Return a place (3,) of the box, within a hemisphere and neither at its surface nor at the ventricles."""
    direction = _direction(rng)
    at = direction * rng.uniform(0.3, 0.6) * head.half_axes
    at[0] = np.copysign(max(abs(at[0]), 20.0), at[0])
    at[2] = max(at[2], -20.0)
    return head.turn.T @ at + head.shift


def _direction(rng: np.random.Generator) -> np.ndarray:
    """Return a unit vector (3,)."""
    vector = rng.standard_normal(3)
    return vector / np.linalg.norm(vector)


def _distance(centre: np.ndarray, stretch: np.ndarray, shape: tuple[int, int, int]) -> np.ndarray:
    """Distance (X, Y, Z) from a place, measured along each axis in another unit."""
    squares = (
        ((place - np.float32(at)) / np.float32(unit)) ** 2
        for place, at, unit in zip(places(shape), centre, stretch / np.prod(stretch) ** (1 / 3), strict=True)
    )
    return np.sqrt(sum(squares))
