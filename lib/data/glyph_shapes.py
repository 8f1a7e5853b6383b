"""Glyph outlines as distance fields: drawn once a font, from which any rotation, size, stroke and blur is resampled."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from scipy.ndimage import distance_transform_edt

from lib.data.glyph_classes import CLASSES
from lib.data.glyph_fonts import Font

FIELD = 48  # cells along a side of the field
GLYPH = 30  # cells along the longer side of the glyph, which is centred
REACH = 8  # cells: distances are kept up to here
_FINE = 3  # drawn pixels along a cell
_PROBE = 128  # pixels an em, to measure a glyph


@dataclass(frozen=True)
class Shapes:
    """Of every class of one font: `fields` (classes, FIELD, FIELD) uint8 and `sides` (classes,) float64.

    A field is the signed distance to the outline, 0 REACH cells outside, 128 on it, 255 REACH cells inside.
    `sides` is the longer side of the glyph in em. Where the font lacks a class both are 0.
    """

    fields: np.ndarray
    sides: np.ndarray


@lru_cache(maxsize=32)
def shapes(font: Font) -> Shapes:
    """Draw every class that the font has."""
    fields = np.zeros((len(CLASSES), FIELD, FIELD), np.uint8)
    sides = np.zeros(len(CLASSES))
    probe = ImageFont.truetype(font.path, _PROBE, layout_engine=ImageFont.Layout.BASIC)
    for number, mark in enumerate(CLASSES):
        if font.has[number]:
            left, top, right, bottom = probe.getmask(mark).getbbox()
            side = max(right - left, bottom - top)
            sides[number] = side / _PROBE
            fields[number] = _field(_draw(probe.font_variant(size=round(_PROBE * GLYPH * _FINE / side)), mark))
    return Shapes(fields, sides)


def _draw(font: ImageFont.FreeTypeFont, mark: str) -> np.ndarray:
    """Where the ink is, (FIELD x _FINE) squared bool, the mark in the middle."""
    # Pillow measures text with the space around it: what is to be centred is the ink alone.
    left, top, _, _ = font.getbbox(mark)
    width, height = font.getmask(mark).size
    text = Image.new("L", (width + 2, height + 2))
    ImageDraw.Draw(text).text((1 - left, 1 - top), mark, fill=255, font=font)
    text = text.crop(text.getbbox())
    canvas = Image.new("L", (FIELD * _FINE, FIELD * _FINE))
    canvas.paste(text, ((canvas.width - text.width) // 2, (canvas.height - text.height) // 2))
    return np.asarray(canvas) >= 128


def _field(ink: np.ndarray) -> np.ndarray:
    """Return the distance field, (FIELD, FIELD) uint8."""
    # A pixel's centre is half a pixel from the outline that it touches.
    fine = np.where(ink, distance_transform_edt(ink) - 0.5, 0.5 - distance_transform_edt(~ink))
    cells = fine.reshape(FIELD, _FINE, FIELD, _FINE).mean(axis=(1, 3)) / _FINE
    field = np.clip(np.rint(128 + cells * (128 / REACH)), 0, 255).astype(np.uint8)
    # What lies beyond the field is read off its border: far outside.
    field[[0, -1], :] = 0
    field[:, [0, -1]] = 0
    return field
