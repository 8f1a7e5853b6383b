"""A picture that is drawn, not taken: the image of the paper's Figure 1 is not public."""

import numpy as np

from lib.core.errors import InputError


def scene(size: int) -> np.ndarray:
    """Return a cottage before hills under the sun, (size, size, 3) in [0, 1], the same on every call.

    It has what a photograph has: smooth shades, edges, and detail (the field's furrows) of a few pixels.
    Raises InputError for a size below 16, of which nothing could be seen.
    """
    if size < 16:
        raise InputError(f"picture of {size} pixels: it needs at least 16")
    y, x = np.mgrid[:size, :size] / (size - 1)
    picture = np.stack([0.35 + 0.45 * y, 0.60 + 0.30 * y, 0.95 - 0.10 * y], axis=-1)  # sky
    sun = np.exp(-((np.hypot(x - 0.78, y - 0.2) / 0.11) ** 8))
    hills = y > 0.55 + 0.08 * np.sin(7 * x + 1)
    meadow = y > 0.70 + 0.04 * np.sin(5 * x)
    walls = (np.abs(x - 0.36) < 0.16) & (np.abs(y - 0.63) < 0.13)
    roof = (y < 0.50) & (y > 0.32 + np.abs(x - 0.36) * 0.9)
    windows = (np.abs(np.abs(x - 0.36) - 0.09) < 0.035) & (np.abs(y - 0.59) < 0.04)
    door = (np.abs(x - 0.36) < 0.032) & (y > 0.62) & (y < 0.76)
    picture += sun[..., None] * (np.array([1.0, 0.93, 0.55]) - picture)
    shade = (0.8 + 0.2 * np.sin(60 * x + 8 * y))[..., None]
    furrows = (0.75 + 0.25 * np.sin(90 * (y - 0.3 * x)))[..., None]
    for shape, colour in (
        (hills, shade * np.array([0.30, 0.50, 0.28])),
        (meadow, furrows * np.array([0.55, 0.70, 0.25])),
        (walls, np.array([0.93, 0.88, 0.76])),
        (roof, shade * np.array([0.72, 0.22, 0.16])),
        (windows, np.array([0.20, 0.30, 0.42])),
        (door, np.array([0.40, 0.24, 0.14])),
    ):
        picture = np.where(shape[..., None], colour, picture)
    return picture.clip(0, 1)
