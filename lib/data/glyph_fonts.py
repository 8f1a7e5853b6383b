"""The fonts of Open Glyph: which there are, which classes each can draw, and which split each belongs to."""

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fontTools.ttLib import TTFont, TTLibError
from PIL import ImageFont

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.data.glyph_classes import CLASSES
from lib.data.glyph_settings import SPLITS, GlyphSettings

# Of matplotlib's fonts those for running text. Others hold single symbols, or (Computer Modern) put glyphs at code
# points that are not theirs, or (Last Resort) draw a box for every code point there is.
_BUNDLED = ("DejaVuSans*.ttf", "DejaVuSerif*.ttf", "STIXGeneral*.ttf")
_SUFFIXES = (".ttf", ".otf")
_PROBE_SIZE = 64  # pixels


@dataclass(frozen=True)
class Font:
    """A font file: where it is, the SHA-256 (hex) of its bytes, its names, and whether it has each class."""

    path: Path
    sha256: str
    family: str
    style: str
    has: tuple[bool, ...]

    @property
    def name(self) -> str:
        """Family and style."""
        return f"{self.family} {self.style}"


def find_fonts(settings: GlyphSettings) -> list[Font]:
    """Return the fonts that have enough classes, in the order of their digests, each content once.

    Raises InputError, naming folder or file, if a folder is not there or a file is not a font.
    """
    paths: dict[str, Path] = {}
    for path in _candidates(settings):
        paths.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
    fonts = [_read(path, digest) for digest, path in sorted(paths.items())]
    return [font for font in fonts if sum(font.has) >= settings.coverage * len(CLASSES)]


def _candidates(settings: GlyphSettings) -> Iterator[Path]:
    """Every file that may be a font."""
    if settings.bundled_fonts:
        import matplotlib  # for where its fonts lie, which whoever has the prepared shapes need not know

        bundled = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
        for pattern in _BUNDLED:
            yield from sorted(bundled.glob(pattern))
    for folder in map(Path, settings.font_folders):
        if not folder.is_dir():
            raise InputError(f"open glyph: font folder {folder} is not there")
        yield from sorted(path for path in folder.rglob("[!.]*") if path.suffix.lower() in _SUFFIXES)


def _read(path: Path, digest: str) -> Font:
    """One font; a class counts only where the font maps its code point to a glyph with an outline."""
    try:
        with TTFont(path, lazy=True) as file:
            glyphs = file.getBestCmap() or {}
            family = file["name"].getBestFamilyName() or path.stem
            style = file["name"].getBestSubFamilyName() or "Regular"
        drawn = ImageFont.truetype(path, _PROBE_SIZE, layout_engine=ImageFont.Layout.BASIC)
        mapped = [glyphs.get(ord(mark), ".notdef") for mark in CLASSES]
        has = tuple(
            glyph != ".notdef" and drawn.getmask(mark).getbbox() is not None
            for mark, glyph in zip(CLASSES, mapped, strict=True)
        )
    except (TTLibError, struct.error, OSError, KeyError, ValueError, AssertionError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{path}: not a readable font ({reason})") from error
    # A font that stands in for missing ones shows one box for whole blocks of Unicode.
    shapes = {glyph for glyph, there in zip(mapped, has, strict=True) if there}
    if len(shapes) < 0.5 * sum(has):
        has = (False,) * len(CLASSES)
    return Font(path, digest, family, style, has)


def split_fonts(fonts: list[Font], settings: GlyphSettings) -> dict[str, list[Font]]:
    """Return the fonts of each split, none of them in two; families stay together if `split_by` says so.

    In an order drawn from the seed, each family (or file) goes to the split that is furthest below its share of files.
    Raises InputError if there are too few fonts, or a split is left without any font for a class.
    """
    groups: dict[str, list[Font]] = {}
    for font in fonts:
        groups.setdefault(font.family if settings.split_by == "family" else font.sha256, []).append(font)
    if len(groups) < len(SPLITS):
        what = "font families" if settings.split_by == "family" else "fonts"
        raise InputError(
            f"open glyph: {len(groups)} {what} with at least {settings.coverage:.0%} of the classes, "
            f"expected {len(SPLITS)} or more"
        )
    # By the digest of its first font, so that the order does not depend on names or folders.
    ranked = sorted(groups.values(), key=lambda group: group[0].sha256)
    order = generator(settings.seed, "open_glyph", "fonts").permutation(len(ranked))
    split: dict[str, list[Font]] = {name: [] for name in SPLITS}
    shares = dict(zip(SPLITS, settings.shares, strict=True))
    for group in (ranked[position] for position in order):
        fill = {name: (len(split[name]) / len(fonts)) / shares[name] for name in SPLITS}
        split[min(SPLITS, key=lambda name: (fill[name], -shares[name]))].extend(group)
    for name, members in split.items():
        covered = np.any([font.has for font in members], axis=0)
        missing = [mark for mark, there in zip(CLASSES, covered, strict=True) if not there]
        if missing:
            raise InputError(f"open glyph: no font of the split {name!r} has the classes {' '.join(missing)}")
    return split
