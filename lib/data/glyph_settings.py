"""Settings of Open Glyph: its fonts and their split, how glyphs are changed, how many labels are wrong."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from lib.core.errors import InputError

SPLITS = ("private", "public", "test")
SPLIT_BY = ("family", "file")


@dataclass(frozen=True)
class GlyphSettings:
    """The configuration of Open Glyph; the same settings and fonts give the same samples.

    seed: root of every draw, from class frequencies to noise.
    bundled_fonts: whether the fonts inside matplotlib take part; font_folders: folders with further `.ttf` and `.otf`.
    coverage: share of the classes that a font must have to take part.
    split_by: what stays on one side, a font `file` or all styles of a `family`.
    shares: of the font files, for private, public and test; their sum is 1.
    imbalance: frequency of the most frequent class over that of the rarest.
    wrong_labels: share of samples whose label is not their class; look_alike_labels: how often such a label is a
    look-alike of the class (where it has one) and not any other class.

    Changes of a glyph, drawn anew for each sample, uniformly within: `rotation` (degrees) and `shear` (pixels sideways
    a pixel up) to both sides; `scale`, low and high factor; `stretch`, width over height minus 1, to both sides;
    `shift` (pixels) in all directions; `stroke` (pixels), how far the outline moves out or in; `blur`, low and high
    width of an edge (pixels); `contrast`, the lowest share of full contrast; `background` and `noise`, the highest
    grey and the highest standard deviation of a pixel, both as shares of full contrast.
    size_kept: how much of a glyph's size in its font survives, 0 (all are 20 pixels long) to 1 (as in the font).

    Raises InputError, naming the setting and what is allowed.
    """

    seed: int = 2018
    bundled_fonts: bool = True
    font_folders: tuple[str, ...] = ()
    coverage: float = 0.9
    split_by: str = "file"
    shares: tuple[float, float, float] = (0.6, 0.2, 0.2)
    imbalance: float = 5.0
    wrong_labels: float = 0.04
    look_alike_labels: float = 0.5
    rotation: float = 8.0
    shear: float = 0.15
    scale: tuple[float, float] = (0.85, 1.1)
    stretch: float = 0.1
    shift: float = 1.5
    stroke: float = 0.5
    blur: tuple[float, float] = (1.0, 2.5)
    contrast: float = 0.6
    background: float = 0.15
    noise: float = 0.08
    size_kept: float = 0.5

    def __post_init__(self) -> None:
        """Check every setting."""
        _check("seed", self.seed, _is_whole(self.seed) and self.seed >= 0, "a whole number from 0")
        _check("bundled_fonts", self.bundled_fonts, isinstance(self.bundled_fonts, bool), "true or false")
        folders = isinstance(self.font_folders, tuple) and all(isinstance(folder, str) for folder in self.font_folders)
        _check("font_folders", self.font_folders, folders, "a list of folders")
        _check("split_by", self.split_by, self.split_by in SPLIT_BY, f"one of {', '.join(SPLIT_BY)}")
        shares = _are_numbers(self.shares, len(SPLITS), 0.0, 1.0) and min(self.shares) > 0
        shares = shares and math.isclose(sum(self.shares), 1.0, abs_tol=1e-9)
        _check("shares", self.shares, shares, f"{len(SPLITS)} positive numbers that sum to 1")
        for name, low, high in (
            ("coverage", 0.0, 1.0),
            ("imbalance", 1.0, 1000.0),
            ("wrong_labels", 0.0, 0.5),
            ("look_alike_labels", 0.0, 1.0),
            ("rotation", 0.0, 180.0),
            ("shear", 0.0, 1.0),
            ("stretch", 0.0, 0.5),
            ("shift", 0.0, 8.0),
            ("stroke", 0.0, 2.0),
            ("contrast", 0.0, 1.0),
            ("background", 0.0, 0.5),
            ("noise", 0.0, 1.0),
            ("size_kept", 0.0, 1.0),
        ):
            value = getattr(self, name)
            _check(name, value, _are_numbers((value,), 1, low, high), f"a number from {low:g} to {high:g}")
        for name, low, high in (("scale", 0.3, 1.5), ("blur", 0.5, 6.0)):
            value = getattr(self, name)
            ordered = _are_numbers(value, 2, low, high) and value[0] <= value[1]
            _check(name, value, ordered, f"two numbers from {low:g} to {high:g}, the lower first")

    @classmethod
    def from_block(cls, block: Mapping[str, Any]) -> "GlyphSettings":
        """Settings from a block of the configuration; what it does not name keeps its default.

        Raises InputError for an unknown key, and as the settings do.
        """
        allowed = [field.name for field in fields(cls)]
        unknown = sorted(set(block) - set(allowed))
        if unknown:
            raise InputError(f"open glyph: unknown settings {unknown}, allowed: {allowed}")
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in block.items()})


def _is_whole(value: Any) -> bool:
    """Whether it is an integer; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _are_numbers(values: Any, count: int, low: float, high: float) -> bool:
    """Whether they are `count` numbers in low..high (both included), none of them NaN."""
    return (
        isinstance(values, tuple)
        and len(values) == count
        and all((_is_whole(value) or isinstance(value, float)) and low <= value <= high for value in values)
    )


def _check(name: str, value: Any, good: bool, allowed: str) -> None:
    """Raise InputError unless `good`."""
    if not good:
        raise InputError(f"open glyph: {name} = {value!r}, expected {allowed}")
