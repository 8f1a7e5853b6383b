"""Textured shapes: colour images whose class is a shape together with the texture that fills it.

Generated, in place of CIFAR-10 and CIFAR-100 (docs/textured_shapes.md). Sample i of a split depends on the number of
classes, the seed, the split and i alone.
"""

from collections.abc import Callable

import numpy as np

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.data.drawing import bell, directions, grid, hue, length, mix, patchwork, ramp, rotated, turned, uniform, wave

SIDE = 32  # pixels
SHAPES = ("disc", "triangle", "square", "star", "cross", "ring", "crescent", "bar", "half disc", "angle")
TEXTURES = ("stripes", "dots", "checks", "plain", "grid", "rings", "zigzag", "gradient", "bricks", "speckle")
CLASSES = {10: (5, 2), 100: (10, 10)}  # how many of the shapes and of the textures, the first ones
# Each texture has its hue, and a figure is at most so many turns away from it: with 10 classes it may be of any hue;
# with 100, few samples of a class are to do.
_HUES = {10: 0.5, 100: 0.08}
SPLITS = ("train", "test")
BLOCK = 400  # samples that share a generator; each class has as many of them

_SHAPE_X, _SHAPE_Y = grid(SIDE)
_CELLS = 16  # of the speckle, along a side


class TexturedShapes:
    """The dataset with a number of classes: every one of its shapes with every one of its textures."""

    def __init__(self, classes: int, seed: int) -> None:
        """Raise InputError unless there is such a number of classes."""
        if classes not in CLASSES:
            raise InputError(f"textured shapes: {classes} classes, allowed: {', '.join(map(str, CLASSES))}")
        self.classes, self.seed = classes, seed

    @property
    def names(self) -> list[str]:
        """The classes in words, in the order of their numbers."""
        shapes, textures = CLASSES[self.classes]
        return [f"{shape}, {texture}" for shape in SHAPES[:shapes] for texture in TEXTURES[:textures]]

    def samples(self, split: str, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
        """x (n, 32, 32, 3) uint8, RGB, and y (n,) int64 of samples start to stop - 1 of a split.

        Raises InputError for an unknown split and unless 0 <= start <= stop.
        """
        if split not in SPLITS:
            raise InputError(f"textured shapes: unknown split {split!r}, allowed: {', '.join(SPLITS)}")
        if not 0 <= start <= stop:
            raise InputError(f"textured shapes: samples {start} to {stop}, expected 0 <= start <= stop")
        x, y = np.empty((stop - start, SIDE, SIDE, 3), np.uint8), np.empty(stop - start, np.int64)
        for number in range(start // BLOCK, -(-stop // BLOCK)):
            first = number * BLOCK
            low, high = max(start, first), min(stop, first + BLOCK)
            images, labels = self._block(split, number)
            x[low - start : high - start] = images[low - first : high - first]
            y[low - start : high - start] = labels[low - first : high - first]
        return x, y

    def _block(self, split: str, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples of one block, all from one generator of their own."""
        rng = generator(self.seed, f"textured_shapes_{self.classes}", split, str(number))
        labels = rng.permutation(np.arange(BLOCK) % self.classes)
        textures = CLASSES[self.classes][1]
        return _draw(labels // textures, labels % textures, _HUES[self.classes], rng), labels


def _draw(shape: np.ndarray, texture: np.ndarray, hues: float, rng: np.random.Generator) -> np.ndarray:
    """Images (n, 32, 32, 3) uint8 of shapes and textures, both (n,) indices; hues: how far one strays from its own."""
    count = len(shape)
    one = (count, 1, 1)
    image = _ground(count, rng)
    for _ in range(2):
        # what lies about: small plain figures of any shape, each in half of the images
        cover, _, _ = _figure(rng.integers(0, len(SHAPES), count), (2.0, 4.5), 14.0, rng)
        cover = cover * (rng.random(one, np.float32) < 0.5)
        image = mix(image, _colour(count, rng), cover[..., None])
    cover, u, v = _figure(shape, (8.0, 12.5), 5.0, rng)
    cos, sin = directions(rng, one)
    period = uniform(rng, 3.6, 6.0, one)
    p, q = rotated(_SHAPE_X / period, _SHAPE_Y / period, cos, sin)
    p, q = p + uniform(rng, 0, 1, one), q + uniform(rng, 0, 1, one)
    cells = (rng.random((count, _CELLS, _CELLS), np.float32) < 0.5).astype(np.float32)
    share = np.empty((count, SIDE, SIDE), np.float32)
    for number, fill in enumerate(_FILLS):
        chosen = texture == number
        share[chosen] = fill(p[chosen], q[chosen], u[chosen], v[chosen], cells[chosen])
    own = (texture / np.float32(len(TEXTURES)))[:, None, None]
    bright, dark = _two_colours((own + uniform(rng, -hues, hues, one)).astype(np.float32), rng)
    image = mix(image, mix(dark, bright, share[..., None]), cover[..., None])
    light = uniform(rng, 0.7, 1.15, one)[..., None]
    noise = uniform(rng, 0.02, 0.1, one)[..., None]
    image = image * light + bell(rng, image.shape) * noise
    return np.rint(np.clip(image, 0, 1) * 255).astype(np.uint8)


def _ground(count: int, rng: np.random.Generator) -> np.ndarray:
    """Backgrounds (n, 32, 32, 3): two colours that run into each other."""
    cell = uniform(rng, 6.0, 14.0, (count, 1, 1))
    cos, sin = directions(rng, (count, 1, 1))
    u, v = rotated(_SHAPE_X / cell, _SHAPE_Y / cell, cos, sin)
    share = patchwork(rng.random((count, 8, 8), np.float32), u, v)
    return mix(_colour(count, rng), _colour(count, rng), share[..., None])


def _colour(count: int, rng: np.random.Generator) -> np.ndarray:
    """Colours (n, 1, 1, 3) of any hue."""
    shape = (count, 1, 1)
    return hue(uniform(rng, 0, 1, shape), uniform(rng, 0.1, 0.8, shape), uniform(rng, 0.25, 0.95, shape))


def _two_colours(turn: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a bright and a dark colour of each figure, (n, 1, 1, 3), of hues at and near those given, (n, 1, 1)."""
    shape = turn.shape
    saturation, value = uniform(rng, 0.3, 0.9, shape), uniform(rng, 0.7, 1.0, shape)
    bright = hue(turn, saturation * uniform(rng, 0.2, 1.0, shape), value)
    return bright, hue(turn + uniform(rng, -0.12, 0.12, shape), saturation, value * uniform(rng, 0.25, 0.6, shape))


def _figure(
    shape: np.ndarray, radius: tuple[float, float], reach: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How much of each pixel a figure covers, (n, 32, 32), and the figure's own coordinates, 1 at its radius.

    radius: smallest and largest, pixels; reach: how far from the middle, pixels, its centre may lie along x and y.
    """
    one = (len(shape), 1, 1)
    size = uniform(rng, *radius, one)
    cos, sin = directions(rng, one)
    x, y = _SHAPE_X - uniform(rng, -reach, reach, one), _SHAPE_Y - uniform(rng, -reach, reach, one)
    u, v = rotated(x / size, y / size, cos, sin)
    stretch = uniform(rng, 0.8, 1.25, one)
    u, v = u * stretch, v / stretch
    outside = np.empty(u.shape, np.float32)
    for number, distance in enumerate(_DISTANCES):
        chosen = shape == number
        outside[chosen] = distance(u[chosen], v[chosen])
    return ramp(-outside * size), u, v


def _corners(u: np.ndarray, v: np.ndarray, number: int) -> list[np.ndarray]:
    """Coordinates towards each side of a regular polygon."""
    return [u * cos + v * sin for cos, sin in (turned(np.array(1024 * k // number)) for k in range(number))]


def _box(u: np.ndarray, v: np.ndarray, width: float, height: float) -> np.ndarray:
    return np.maximum(np.abs(u) - np.float32(width), np.abs(v) - np.float32(height))


# Nearly the distance to the outline, negative inside, in the figure's coordinates; in the order of SHAPES.
_DISTANCES: tuple[Callable[[np.ndarray, np.ndarray], np.ndarray], ...] = (
    lambda u, v: length(u, v) - np.float32(0.85),
    lambda u, v: np.maximum.reduce(_corners(u, v, 3)) - np.float32(0.55),
    lambda u, v: _box(u, v, 0.75, 0.75),
    # outside at most one of five sides: the second largest of five coordinates decides
    lambda u, v: np.partition(np.stack(_corners(u, v, 5)), 3, axis=0)[3] - np.float32(0.42),
    lambda u, v: np.minimum(_box(u, v, 1.0, 0.32), _box(u, v, 0.32, 1.0)),
    lambda u, v: np.abs(length(u, v) - np.float32(0.7)) - np.float32(0.28),
    lambda u, v: np.maximum(length(u, v) - 1, np.float32(0.8) - length(u - np.float32(0.55), v)),
    lambda u, v: _box(u, v, 1.15, 0.36),
    lambda u, v: np.maximum(length(u, v + np.float32(0.4)) - 1, -v - np.float32(0.4)),
    lambda u, v: np.minimum(
        _box(u, v - np.float32(0.6), 0.9, 0.3), _box(u + np.float32(0.6), v, 0.3, 0.9)
    ),
)  # fmt: skip


def _sharp(z: np.ndarray, level: float) -> np.ndarray:
    """1 where z is above the level, 0 below, over about a pixel."""
    return ramp((z - np.float32(level)) * 3)


def _checks(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    a, b = _sharp(wave(p / 2), 0.5), _sharp(wave(q / 2), 0.5)
    return a + b - 2 * a * b


def _dots(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return ramp((np.float32(0.34) - length(p - np.floor(p) - np.float32(0.5), q - np.floor(q) - np.float32(0.5))) * 4)


def _bricks(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    shifted = p / 2 + np.floor(q) / 2
    return 1 - np.maximum(_sharp(wave(q), 0.62), _sharp(wave(shifted), 0.8))


def _speckle(u: np.ndarray, v: np.ndarray, cells: np.ndarray) -> np.ndarray:
    return ramp((patchwork(cells, u * 4, v * 4) - np.float32(0.5)) * 2)


# Share of the bright colour, from coordinates along and across the texture (1 is its period), those of the figure, and
# random cells; in the order of TEXTURES.
_FILLS: tuple[Callable[..., np.ndarray], ...] = (
    lambda p, q, u, v, cells: _sharp(wave(p), 0.5),
    lambda p, q, u, v, cells: _dots(p, q),
    lambda p, q, u, v, cells: _checks(p * np.float32(1.3), q * np.float32(1.3)),
    lambda p, q, u, v, cells: np.full_like(p, 0.75),
    lambda p, q, u, v, cells: np.maximum(_sharp(wave(p), 0.7), _sharp(wave(q), 0.7)),
    lambda p, q, u, v, cells: _sharp(wave(length(u, v) * 2), 0.5),
    lambda p, q, u, v, cells: _sharp(wave(p + wave(q) * np.float32(0.7)), 0.5),
    lambda p, q, u, v, cells: ramp(v * np.float32(0.6)),
    lambda p, q, u, v, cells: _bricks(p, q),
    lambda p, q, u, v, cells: _speckle(u, v, cells),
)
