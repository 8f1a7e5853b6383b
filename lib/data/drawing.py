"""Drawing that gives the same bytes on every machine.

Only sums, products, quotients, square roots and comparisons, element by element, which IEEE 754 fixes to the last bit;
sines come from a rounded table, since those of two machines may differ there. All arrays are float32.
"""

import numpy as np

_TURN = 1024  # steps of a full turn
_COSINES = (np.rint(np.cos(np.arange(_TURN) * (2 * np.pi / _TURN)) * 2**14) / 2**14).astype(np.float32)


def uniform(rng: np.random.Generator, low: float, high: float, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers from low to high, all alike."""
    return np.float32(low) + np.float32(high - low) * rng.random(shape, np.float32)


def bell(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of mean 0 and standard deviation 1: the sum of three uniform ones, nearly normal, within -3 to 3."""
    total = rng.random(shape, np.float32)
    total += rng.random(shape, np.float32)
    total += rng.random(shape, np.float32)
    return (total - np.float32(1.5)) * np.float32(2)


def directions(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of angles of a full turn."""
    return turned(rng.integers(0, _TURN, shape))


def turned(steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of angles, given in 1024ths of a turn."""
    return _COSINES[steps % _TURN], _COSINES[(steps - _TURN // 4) % _TURN]


def grid(side: int) -> tuple[np.ndarray, np.ndarray]:
    """x (1, 1, side) to the right and y (1, side, 1) down, in pixels from the centre of an image."""
    along = np.arange(side, dtype=np.float32) - np.float32((side - 1) / 2)
    return along[None, None], along[None, :, None]


def rotated(x: np.ndarray, y: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates along a direction and across it."""
    return x * cos + y * sin, y * cos - x * sin


def length(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Distance from the origin."""
    return np.sqrt(u * u + v * v)


def wave(z: np.ndarray) -> np.ndarray:
    """Return a triangle wave of period 1: 1 where z is whole, 0 half-way between."""
    return np.abs(2 * (z - np.floor(z)) - 1)


def ramp(z: np.ndarray) -> np.ndarray:
    """0 below -1/2, 1 above 1/2, straight between."""
    return np.clip(z + np.float32(0.5), 0, 1)


def mix(low: np.ndarray | float, high: np.ndarray | float, share: np.ndarray) -> np.ndarray:
    """Low where share is 0, high where it is 1."""
    return low + (high - low) * share


def hue(turn: np.ndarray, saturation: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Colours (..., 3) from 0 to 1 of hue (1 is a full turn), saturation and value."""
    thirds = np.array([0, 2 / 3, 1 / 3], np.float32)
    z = turn[..., None] + thirds
    pure = np.clip(np.abs((z - np.floor(z)) * 6 - 3) - 1, 0, 1)
    return value[..., None] * (1 - saturation[..., None] * (1 - pure))


def patchwork(values: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Noise at (u, v), each (n, h, w), smooth between the values (n, k, k) at whole numbers; repeats every k."""
    count, side, _ = values.shape
    flat = values.reshape(-1)
    left, top = np.floor(u), np.floor(v)
    across, down = _eased(u - left), _eased(v - top)
    column, row = left.astype(np.int32) % side, top.astype(np.int32) % side
    first = (np.arange(count, dtype=np.int32) * (side * side))[:, None, None]
    upper, lower = first + row * side, first + (row + 1) % side * side
    right = (column + 1) % side
    return mix(
        mix(flat[upper + column], flat[upper + right], across),
        mix(flat[lower + column], flat[lower + right], across),
        down,
    )


def _eased(share: np.ndarray) -> np.ndarray:
    """From 0 to 1, level at both ends."""
    return share * share * (3 - 2 * share)
