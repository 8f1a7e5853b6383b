"""Settings of Open Glyph: its fonts and their split, how glyphs are changed, how many labels are wrong."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le

from lib.core.errors import InputError
from lib.core.keywords import Share

SPLITS = ("private", "public", "test")
Part = Annotated[float, Gt(0), Le(1)]
Half = Annotated[float, Ge(0), Le(0.5)]
Factor = Annotated[float, Ge(0.3), Le(1.5)]
Width = Annotated[float, Ge(0.5), Le(6)]


@dataclass(frozen=True)
class GlyphSettings:
    """The configuration of Open Glyph; the same settings and fonts give the same samples.

    Changes of a glyph are drawn anew for each sample, uniformly within their range.
    """

    seed: Annotated[int, Ge(0), "Root of every random number, from class frequencies to noise."] = 2018
    bundled_fonts: Annotated[bool, "Whether the fonts inside matplotlib take part."] = True
    font_folders: Annotated[tuple[str, ...], "Folders with further .ttf and .otf."] = ()
    coverage: Annotated[Share, "Share of the classes that a font must have to take part."] = 0.9
    split_by: Annotated[Literal["family", "file"], "On one side stay a font file, or all styles of a family."] = "file"
    shares: Annotated[tuple[Part, Part, Part], "Of the font files, for private, public and test."] = (0.6, 0.2, 0.2)
    imbalance: Annotated[float, Ge(1), Le(1000), "Frequency of the most frequent class over that of the rarest."] = 5.0
    wrong_labels: Annotated[Half, "Share of samples whose label is not their class."] = 0.04
    look_alike_labels: Annotated[Share, "How often such a label is a look-alike of the class, where it has one."] = 0.5
    rotation: Annotated[float, Ge(0), Le(180), "Degrees to both sides."] = 8.0
    shear: Annotated[Share, "Pixels sideways a pixel up, to both sides."] = 0.15
    scale: Annotated[tuple[Factor, Factor], "Low and high factor."] = (0.85, 1.1)
    stretch: Annotated[Half, "Width over height minus 1, to both sides."] = 0.1
    shift: Annotated[float, Ge(0), Le(8), "Pixels in all directions."] = 1.5
    stroke: Annotated[float, Ge(0), Le(2), "Pixels that the outline moves out or in."] = 0.5
    blur: Annotated[tuple[Width, Width], "Low and high width of an edge in pixels."] = (1.0, 2.5)
    contrast: Annotated[Share, "Lowest share of full contrast."] = 0.6
    background: Annotated[Half, "Highest grey, as a share of full contrast."] = 0.15
    noise: Annotated[Share, "Highest standard deviation of a pixel, as a share of full contrast."] = 0.08
    size_kept: Annotated[Share, "How much of its size in its font a glyph keeps; 0: all are 20 pixels long."] = 0.5

    def __post_init__(self) -> None:
        """Check sums and orders."""
        if not math.isclose(sum(self.shares), 1.0, abs_tol=1e-9):
            raise InputError(f"shares = {self.shares}: allowed are {len(SPLITS)} numbers with the sum 1")
        for name in ("scale", "blur"):
            low, high = getattr(self, name)
            if low > high:
                raise InputError(f"{name} = {getattr(self, name)}: allowed is the lower first")

    @classmethod
    def from_block(cls, block: Mapping[str, Any]) -> "GlyphSettings":
        """Return settings of a block of the configuration; what it does not name keeps its default."""
        settings: dict[str, Any] = {k: tuple(value) if isinstance(value, list) else value for k, value in block.items()}
        return cls(**settings)
