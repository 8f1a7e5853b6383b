"""From distance fields to images: one batch of glyphs, each turned, scaled, moved, thickened, blurred and dimmed."""

import numpy as np

from lib.data.glyph_settings import GlyphSettings
from lib.data.glyph_shapes import FIELD, GLYPH, REACH

SIZE = 28  # pixels along a side of an image
_CAPITAL = 0.72  # em: a glyph of this size is _SIDE long however much of the sizes is kept
_SIDE = 20.0  # pixels
_SIDES = (7.0, 24.0)  # pixels: no glyph is drawn smaller or larger, before `scale`
_CHUNK = 32  # images at a time, so that the arrays stay in a core's cache
# Coefficients are rounded to this, so that last-bit differences of sin and cos between machines change no pixel.
_GRID = 2.0**14
_CENTRE = (SIZE - 1) / 2
_FIELD_CENTRE = (FIELD - 1) / 2


def render(
    fields: np.ndarray, which: np.ndarray, sides: np.ndarray, settings: GlyphSettings, rng: np.random.Generator
) -> np.ndarray:
    """Images (n, SIZE, SIZE) uint8, ink bright: n fields of `fields` (any number, FIELD, FIELD), those at `which` (n,).

    `sides` (n,) are the sizes of the glyphs in em. The changes are drawn from `rng`, n at a time for each.
    """
    count = len(which)
    steps = _steps(sides, settings, rng)
    cells = np.sqrt(steps[:, 0] * steps[:, 3] - steps[:, 1] * steps[:, 4])[:, None, None]  # along a pixel's side
    edge = rng.uniform(*settings.blur, (count, 1, 1)).astype(np.float32)
    stroke = rng.uniform(-settings.stroke, settings.stroke, (count, 1, 1)).astype(np.float32)
    # Beyond REACH the field says no more than "far": a stroke so wide that this became ink is cut back.
    stroke = np.minimum(stroke, REACH / cells - edge / 2)
    contrast = rng.uniform(settings.contrast, 1.0, (count, 1, 1)).astype(np.float32)
    background = rng.uniform(0.0, settings.background, (count, 1, 1)).astype(np.float32)
    noise = rng.uniform(0.0, settings.noise, (count, 1, 1)).astype(np.float32)
    gain = np.float32(REACH / 128) / (cells * edge)
    lift = stroke / edge + np.float32(0.5) - 128 * gain

    images = np.empty((count, SIZE, SIZE), np.uint8)
    flat = fields.reshape(-1)
    for start in range(0, count, _CHUNK):
        part = slice(start, start + _CHUNK)
        ink = _resample(flat, which[part], steps[part])
        ink *= gain[part]
        ink += lift[part]
        np.clip(ink, 0, 1, out=ink)
        # Paper and ink lie between black and white, the ink `contrast` brighter if there is room.
        ink *= np.minimum(contrast[part], 1 - background[part])
        ink += background[part]
        ink += rng.standard_normal(ink.shape, np.float32) * noise[part]
        ink *= 255
        np.clip(ink, 0, 255, out=ink)
        images[part] = np.rint(ink, out=ink)
    return images


def _steps(sides: np.ndarray, settings: GlyphSettings, rng: np.random.Generator) -> np.ndarray:
    """Map pixels to cells, (n, 6) float32: u = s0 x + s1 y + s2 to the right, v = s3 y + s4 x + s5 down.

    x and y are counted from the image's first pixel, u and v from the field's first cell.
    """
    count = len(sides)
    side = np.clip(_SIDE * (sides / _CAPITAL) ** settings.size_kept, *_SIDES) * rng.uniform(*settings.scale, count)
    stretch = np.sqrt(1 + rng.uniform(-settings.stretch, settings.stretch, count))
    angle = np.deg2rad(rng.uniform(-settings.rotation, settings.rotation, count))
    shear = rng.uniform(-settings.shear, settings.shear, count)
    move = rng.uniform(-settings.shift, settings.shift, (2, count))
    # Undo the rotation, then the shear, then the scaling.
    cos, sin = np.cos(angle), np.sin(angle)
    across, down = GLYPH / (side * stretch), GLYPH * stretch / side
    from_x = (across * (cos + shear * -sin), down * -sin)
    from_y = (across * (sin + shear * cos), down * cos)
    origin = -_CENTRE - move
    steps = np.stack(
        [
            from_x[0],
            from_y[0],
            _FIELD_CENTRE + from_x[0] * origin[0] + from_y[0] * origin[1],
            from_y[1],
            from_x[1],
            _FIELD_CENTRE + from_x[1] * origin[0] + from_y[1] * origin[1],
        ],
        axis=1,
    )
    return (np.rint(steps * _GRID) / _GRID).astype(np.float32)


def _resample(flat: np.ndarray, which: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Return the fields at every pixel, (n, SIZE, SIZE) float32, bilinear; outside a field its border counts."""
    pixel = np.arange(SIZE, dtype=np.float32)
    s = steps[:, :, None]
    u = (s[:, 0] * pixel)[:, None, :] + (s[:, 1] * pixel + s[:, 2])[:, :, None]
    v = (s[:, 4] * pixel)[:, None, :] + (s[:, 3] * pixel + s[:, 5])[:, :, None]
    last = np.float32(FIELD - 1.001)
    np.clip(u, 0, last, out=u)
    np.clip(v, 0, last, out=v)
    column, row = u.astype(np.int32), v.astype(np.int32)
    u -= column
    v -= row
    row *= FIELD
    row += column
    index = row + (which * (FIELD * FIELD))[:, None, None]
    return _between(
        _between(_at(flat, index), _at(flat, index + 1), u),
        _between(_at(flat, index + FIELD), _at(flat, index + (FIELD + 1)), u),
        v,
    )


def _at(flat: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Return the cells at `index` as float32."""
    return flat.take(index).astype(np.float32)


def _between(first: np.ndarray, second: np.ndarray, share: np.ndarray) -> np.ndarray:
    """`share` of the way from the first to the second, which is overwritten."""
    second -= first
    second *= share
    second += first
    return second
