"""Open Glyph: endless labelled images of single glyphs, an open substitute for the paper's Glyph (docs/open_glyph.md).

Sample i of a split depends on the settings, the fonts, the split and i alone, so that 65 million samples need not be
held, and parts of them can be made anywhere in any order.
"""

from dataclasses import dataclass

import numpy as np

from lib.core.errors import InputError
from lib.core.files import fingerprint
from lib.core.seeding import generator
from lib.data.glyph_classes import CLASSES, LOOK_ALIKES
from lib.data.glyph_fonts import Font, find_fonts, split_fonts
from lib.data.glyph_render import SIZE, render
from lib.data.glyph_settings import SPLITS, GlyphSettings
from lib.data.glyph_shapes import shapes

BLOCK = 1024  # samples that share a generator


@dataclass(frozen=True)
class GlyphSamples:
    """n samples: x (n, 28, 28) uint8, ink bright; label, true_label, font (n,) int64.

    `label` is what the sample is labelled as, `true_label` the class that was drawn, both indices into CLASSES;
    `font` is an index into `OpenGlyph.fonts` of the split.
    """

    x: np.ndarray
    label: np.ndarray
    true_label: np.ndarray
    font: np.ndarray


class OpenGlyph:
    """The dataset of one configuration; `frequencies` (classes,) is how often each class is drawn, in every split."""

    def __init__(self, settings: GlyphSettings) -> None:
        """Find and split the fonts; raises InputError as `find_fonts` and `split_fonts` do."""
        self.settings = settings
        self._split = split_fonts(find_fonts(settings), settings)
        self._shapes: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        rank = generator(settings.seed, "open_glyph", "frequencies").permutation(len(CLASSES))
        weights = settings.imbalance ** (rank / (len(CLASSES) - 1))
        self.frequencies = weights / weights.sum()

    def fonts(self, split: str) -> list[str]:
        """Return the names of the fonts of a split; InputError names the splits that there are."""
        return [font.name for font in self._fonts(split)]

    def samples(self, split: str, start: int, stop: int) -> GlyphSamples:
        """Return the samples start to stop - 1 of a split; InputError unless 0 <= start <= stop."""
        fonts = self._fonts(split)
        if not 0 <= start <= stop:
            raise InputError(f"open glyph: samples {start} to {stop}, expected 0 <= start <= stop")
        whole = GlyphSamples(
            np.empty((stop - start, SIZE, SIZE), np.uint8), *(np.empty(stop - start, np.int64) for _ in range(3))
        )
        if split not in self._shapes:
            drawn = [shapes(font) for font in fonts]
            self._shapes[split] = np.concatenate([one.fields for one in drawn]), np.stack([one.sides for one in drawn])
        for number in range(start // BLOCK, -(-stop // BLOCK)):
            first = number * BLOCK
            low, high = max(start, first), min(stop, first + BLOCK)
            block = self._block(split, number)
            for name, array in vars(block).items():
                getattr(whole, name)[low - start : high - start] = array[low - first : high - first]
        return whole

    def fingerprint(self, split: str, count: int = BLOCK) -> str:
        """SHA-256 (hex) of the first `count` samples of a split, of its font files and of the classes."""
        samples = self.samples(split, 0, count)
        fonts = np.array([font.sha256 for font in self._fonts(split)])
        return fingerprint(**vars(samples), font_files=fonts, classes=np.array(CLASSES))

    def _fonts(self, split: str) -> list[Font]:
        """Return the fonts of a split."""
        if split not in SPLITS:
            raise InputError(f"open glyph: unknown split {split!r}, allowed: {', '.join(SPLITS)}")
        return self._split[split]

    def _block(self, split: str, number: int) -> GlyphSamples:
        """Return the samples BLOCK x number and on, all from one generator of their own."""
        rng = generator(self.settings.seed, "open_glyph", split, str(number))
        true_label = np.searchsorted(self.frequencies.cumsum()[:-1], rng.random(BLOCK), side="right")
        font = self._draw_fonts(split, true_label, rng)
        label = self._draw_labels(true_label, rng)
        fields, sides = self._shapes[split]
        x = render(fields, font * len(CLASSES) + true_label, sides[font, true_label], self.settings, rng)
        return GlyphSamples(x, label, true_label, font)

    def _draw_fonts(self, split: str, true_label: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return a font for each sample, any of the split's that have its class."""
        has = np.array([font.has for font in self._split[split]])
        # For each class the numbers of the fonts that have it, then those of the fonts that lack it.
        able = np.argsort(~has, axis=0, kind="stable")
        pick = (rng.random(len(true_label)) * has.sum(axis=0)[true_label]).astype(np.int64)
        return able[pick, true_label]

    def _draw_labels(self, true_label: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the labels, a share of them wrong."""
        wrong, alike, pick = rng.random((3, len(true_label)))
        others = 1 + (pick * (len(CLASSES) - 1)).astype(np.int64)
        label = np.where(wrong < self.settings.wrong_labels, (true_label + others) % len(CLASSES), true_label)
        groups = _look_alikes()
        for i in np.flatnonzero((wrong < self.settings.wrong_labels) & (alike < self.settings.look_alike_labels)):
            if group := groups.get(true_label[i]):
                label[i] = group[int(pick[i] * len(group))]
        return label


def _look_alikes() -> dict[int, list[int]]:
    """For each class that has look-alikes the others of its group."""
    groups = [[CLASSES.index(mark) for mark in group] for group in LOOK_ALIKES]
    return {one: [other for other in group if other != one] for group in groups for one in group}
