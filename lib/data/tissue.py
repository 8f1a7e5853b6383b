"""Tissue-like patches: the pinks and purples of haematoxylin and eosin, with nuclei, by patient.

Generated, in place of breast histology (docs/textured_shapes.md); no patient and no slide is behind them. Patches of
class 1 have more, larger, darker and less regular nuclei; what a patch looks like besides, its stain above all, is its
patient's. The patches of a patient depend on the seed and on the patient's number alone.
"""

from dataclasses import dataclass

import numpy as np

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.data.drawing import bell, directions, grid, length, mix, patchwork, ramp, rotated, turned, uniform, wave

SIDE = 50  # pixels
_NUCLEI = 24  # at most in a patch
_REACH = 9  # pixels from the middle of a nucleus to which it is drawn
_BLOCK = 100  # patches drawn at a time, so that the arrays stay small

_X, _Y = grid(SIDE)
_WINDOW = np.arange(-_REACH, _REACH + 1)
# Optical density of a unit of haematoxylin and of eosin for red, green and blue (Ruifrok and Johnston, 2001).
_HAEMATOXYLIN = np.array([0.65, 0.70, 0.29], np.float32)
_EOSIN = np.array([0.07, 0.99, 0.11], np.float32)
_DENSITIES = 1024  # steps of a unit of optical density
_BRIGHTNESS = np.rint(255 * 10 ** (-np.arange(3 * _DENSITIES) / _DENSITIES)).astype(np.uint8)


@dataclass(frozen=True)
class _Patient:
    """What a patient's patches share.

    stains (2, 3): optical densities of haematoxylin and eosin for red, green and blue; glass: density without tissue;
    crowding: factor of the number of nuclei; positives: share of class 1; patches: how many there are.
    """

    stains: np.ndarray
    glass: float
    crowding: float
    positives: float
    patches: int


class TissuePatches:
    """Patients without end, each with `patches` on average."""

    def __init__(self, patches: int, seed: int) -> None:
        """Raise InputError unless there are at least 10 patches a patient."""
        if patches < 10:
            raise InputError(f"tissue patches: {patches} patches a patient, allowed: at least 10")
        self.patches, self.seed = patches, seed

    def samples(self, patient: int) -> tuple[np.ndarray, np.ndarray]:
        """x (n, 50, 50, 3) uint8, RGB, and y (n,) int64, 0 or 1, of a patient, numbered from 0; n is its own."""
        rng = generator(self.seed, "tissue_patches", str(patient))
        drawn = self._patient(rng)
        y = (rng.random(drawn.patches) < drawn.positives).astype(np.int64)
        parts = [_draw(y[start : start + _BLOCK], drawn, rng) for start in range(0, drawn.patches, _BLOCK)]
        return np.concatenate(parts), y

    def _patient(self, rng: np.random.Generator) -> _Patient:
        """Draw a patient."""
        stains = np.stack([_HAEMATOXYLIN, _EOSIN])
        stains = stains * (1 + bell(rng, (2, 3)) * np.float32(0.06)) * uniform(rng, 0.7, 1.25, (2, 1))
        glass, crowding, least, size = (float(rng.random()) for _ in range(4))
        # squared, so that some patients have hardly any positive patch and some have many: 0.27 on average
        return _Patient(
            stains=stains,
            glass=0.02 + 0.05 * glass,
            crowding=0.85 + 0.3 * crowding,
            positives=0.8 * least * least,
            patches=round(self.patches * (0.5 + size)),
        )


def _draw(y: np.ndarray, patient: _Patient, rng: np.random.Generator) -> np.ndarray:
    """Patches (n, 50, 50, 3) uint8 of the classes y (n,)."""
    count = len(y)
    one = (count, 1, 1)
    # How abnormal a patch is: the classes overlap, as their pathologists do.
    grade = np.where(y == 1, uniform(rng, 0.3, 1.0, (count,)), uniform(rng, 0.0, 0.55, (count,))).astype(np.float32)
    along = directions(rng, one)
    eosin, gap = _stroma(grade, along, rng)
    nuclei = _nuclei(grade, along, patient, rng)
    holes = 1 - gap
    haematoxylin = (nuclei + _around(nuclei) * mix(0.2, 0.6, grade[:, None, None])) * holes
    eosin = eosin * (1 - np.float32(0.6) * np.minimum(nuclei, 1)) * holes
    density = haematoxylin[..., None] * patient.stains[0] + eosin[..., None] * patient.stains[1]
    density = density + np.float32(patient.glass) + bell(rng, density.shape) * np.float32(0.018)
    return _BRIGHTNESS[np.clip(np.rint(density * _DENSITIES), 0, len(_BRIGHTNESS) - 1).astype(np.int64)]


def _stroma(
    grade: np.ndarray, along: tuple[np.ndarray, np.ndarray], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Eosin (n, 50, 50), in fibres along a direction, and where there is none: clefts, and fat in some patches."""
    count = len(grade)
    one = (count, 1, 1)
    p, q = rotated(_X, _Y, *along)
    q = q + uniform(rng, 0.5, 3.0, one) * wave(p / uniform(rng, 20, 45, one) + uniform(rng, 0, 1, one))
    fibres = patchwork(
        rng.random((count, 32, 32), np.float32), p / uniform(rng, 8, 16, one), q / uniform(rng, 1.6, 3.0, one)
    )
    u, v = rotated(_X / 11, _Y / 11, *directions(rng, one))
    cloud = patchwork(rng.random((count, 8, 8), np.float32), u, v)
    eosin = uniform(rng, 0.16, 0.34, one) * (np.float32(0.45) + np.float32(0.6) * fibres + np.float32(0.4) * cloud)
    cleft = ramp((cloud - uniform(rng, 0.72, 1.1, one)) * 8)
    # Round white fat cells with thin walls, less often where the grade is high.
    fatty = rng.random(one, np.float32) < np.float32(0.3) * (1 - grade[:, None, None])
    size = uniform(rng, 13, 24, one)
    u, v = p / size + uniform(rng, 0, 1, one), q / size + uniform(rng, 0, 1, one)
    bend = (cloud - np.float32(0.5)) * np.float32(0.5)
    middle = length(u - np.floor(u) - np.float32(0.5), v - np.floor(v) - np.float32(0.5))
    fat = ramp((np.float32(0.43) + bend * np.float32(0.3) - middle) * size / 2) * fatty
    return eosin, np.maximum(cleft, fat) * np.float32(0.96)


def _nuclei(
    grade: np.ndarray, along: tuple[np.ndarray, np.ndarray], patient: _Patient, rng: np.random.Generator
) -> np.ndarray:
    """Haematoxylin in nuclei, (n, 50, 50)."""
    count = len(grade)
    mean = mix(3.0, 17.0, grade) * np.float32(patient.crowding) * uniform(rng, 0.6, 1.4, (count,))
    number = np.clip(np.rint(mean), 0, _NUCLEI).astype(np.int64)
    shape = (count, _NUCLEI, 1, 1)
    # Cells of a grid in random order, each nucleus somewhere in its own: they hardly pile up.
    cell = rng.permuted(np.tile(np.arange(25), (count, 1)), axis=1)[:, :_NUCLEI, None, None]
    x, y = (5 + part * np.float32(10) + uniform(rng, -5.5, 5.5, shape) for part in (cell % 5, cell // 5))
    wild = grade[:, None, None, None]
    radius = mix(2.0, 3.7, wild) * (1 + bell(rng, shape) * mix(0.08, 0.22, wild))
    # Slender and along the fibres where the tissue is normal, plump and any way where it is not.
    longer = 1 + uniform(rng, 0, 1, shape) * mix(1.3, 0.45, wild)
    turn = rng.integers(-60, 61, shape) + np.where(
        rng.random(shape, np.float32) < wild, rng.integers(0, 1024, shape), 0
    )
    amount = mix(0.55, 0.85, wild) * uniform(rng, 0.75, 1.25, shape)
    cos, sin = turned(turn)
    cos, sin = along[0][:, None] * cos - along[1][:, None] * sin, along[1][:, None] * cos + along[0][:, None] * sin
    rough = rng.random((count, _NUCLEI, 8, 8), np.float32)
    # A margin around the patch, so that nuclei at its border are drawn whole.
    canvas = np.zeros((count, SIDE + 4 * _REACH, SIDE + 4 * _REACH), np.float32)
    for k in range(_NUCLEI):
        # the patches that have so many, and the k-th nucleus of each
        has = np.flatnonzero(number > k)
        if not len(has):
            break
        left, top = np.floor(x[has, k]), np.floor(y[has, k])
        across, down = (left + _WINDOW).astype(np.int32), (top + _WINDOW[:, None]).astype(np.int32)
        u, v = rotated(across - x[has, k], down - y[has, k], cos[has, k], sin[has, k])
        size, odd = radius[has, k], wild[has, 0]
        away = length(u / (size * longer[has, k]), v / size)
        bumps = patchwork(rough[has, k], u / 3 + 4, v / 3 + 4) - np.float32(0.5)
        cover = ramp((1 + bumps * mix(0.1, 0.8, odd) - away) * size)
        chromatin = 1 + bumps[:, ::-1] * mix(0.2, 0.8, odd) - np.float32(0.2) * ramp(1 - 2 * away)
        place = (has[:, None, None], down + 2 * _REACH, across + 2 * _REACH)
        canvas[place] = np.maximum(canvas[place], cover * amount[has, k] * chromatin)
    inside = slice(2 * _REACH, 2 * _REACH + SIDE)
    return canvas[:, inside, inside]


def _around(nuclei: np.ndarray) -> np.ndarray:
    """Return the mean of what lies within 5 pixels: the cytoplasm around nuclei, which takes on their colour."""
    for axis in (1, 2):
        padded = np.pad(nuclei, [(5, 5) if axis == number else (0, 0) for number in range(3)])
        parts = [padded.take(range(start, start + SIDE), axis=axis) for start in range(0, 11, 2)]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        nuclei = total / np.float32(len(parts))
    return nuclei
