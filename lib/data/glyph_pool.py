"""Open Glyph divided among teachers, student and test: ranges of its streams instead of index arrays."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

from lib.core.files import load_arrays
from lib.data.glyph import GlyphSamples, OpenGlyph
from lib.data.glyph_settings import GlyphSettings
from lib.data.pools import ArrayPool, open_pool

_SAMPLES = 250_000  # generated at once, or one part where it has more: neighbours share blocks of the stream
_PARTS = 16  # at most


@dataclass(frozen=True)
class GlyphPool:
    """Pool with the interface of ArrayPool; labels are those that the samples carry, wrong ones included.

    ranges: of `lib.data.split.split_stream`.
    """

    glyph: OpenGlyph
    fingerprint: str
    ranges: dict[str, np.ndarray]
    _parts: Callable[[int], tuple[int, GlyphSamples]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_parts", lru_cache(maxsize=2)(self._generate_parts))

    def _generate_parts(self, group: int) -> tuple[int, GlyphSamples]:
        bounds = self.ranges["teacher"]
        first, last = group * self._group, min((group + 1) * self._group, len(bounds) - 1)
        start = int(bounds[first])
        return start, self.glyph.samples("private", start, int(bounds[last]))

    @property
    def _group(self) -> int:
        """Parts generated at once."""
        return max(1, min(_PARTS, _SAMPLES // max(1, int(np.diff(self.ranges["teacher"]).max()))))

    def _take(self, name: str, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        start, stop = map(int, self.ranges[name])
        samples = self.glyph.samples(name, start, stop if most is None else min(stop, start + most))
        return samples.x, samples.label

    def part(self, teacher: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples (n, 28, 28) uint8 and labels (n,) of one teacher; no two teachers share any."""
        start, samples = self._parts(teacher // self._group)
        low, high = self.ranges["teacher"][teacher : teacher + 2] - start
        return samples.x[low:high], samples.label[low:high]

    def private(self, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the first `most` private samples and labels, all where it is not given."""
        return self._take("private", most)

    def public(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the pool that queries come from."""
        return self._take("public")

    def test(self) -> tuple[np.ndarray, np.ndarray]:
        """Samples held out from teachers and student."""
        return self._take("test")


def open_glyph(data: str | Path) -> OpenGlyph:
    """Open Glyph by its prepared dataset; InputError names a file that is another's."""
    return OpenGlyph(GlyphSettings.from_block(json.loads(str(load_arrays(data, "stream")["stream"]))))


def open_any_pool(data: str | Path, split: str | Path) -> ArrayPool | GlyphPool:
    """Return the pool of a prepared dataset, arrays or Open Glyph, and its split."""
    arrays = load_arrays(data)
    if "stream" not in arrays:
        return open_pool(data, split)
    return GlyphPool(open_glyph(data), str(arrays["fingerprint"]), load_arrays(split))
