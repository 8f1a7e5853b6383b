"""Examples of Open Glyph to look at: clear, ambiguous and mislabelled ones."""

import numpy as np

from lib.core.errors import InputError
from lib.data.glyph import GlyphSamples
from lib.data.glyph_classes import CLASSES, LOOK_ALIKES

COLUMNS = 8
# The paper's own example first; each is a pair of look-alikes.
PAIRS = (",’", "0O", "1l", "-–")  # noqa: RUF001
KINDS = ("clear", "ambiguous", "mislabelled")


def clear(samples: GlyphSamples) -> list[int]:
    """Rightly labelled samples of classes without look-alikes, the first of each class."""
    told_apart = [number for number, mark in enumerate(CLASSES) if not any(mark in group for group in LOOK_ALIKES)]
    right = (samples.label == samples.true_label) & np.isin(samples.label, told_apart)
    chosen: dict[int, int] = {}
    for index in np.flatnonzero(right):
        chosen.setdefault(int(samples.label[index]), int(index))
    return list(chosen.values())[:COLUMNS]


def closest(samples: GlyphSamples, pair: str) -> list[int]:
    """Of each class of the pair one rightly labelled sample, those two that are nearest pixel by pixel."""
    members = [
        np.flatnonzero((samples.label == number) & (samples.true_label == number))
        for number in (CLASSES.index(mark) for mark in pair)
    ]
    if not all(map(len, members)):
        return []
    first, second = (samples.x[member].reshape(len(member), -1).astype(np.float64) for member in members)
    distances = (first**2).sum(1)[:, None] + (second**2).sum(1) - 2 * first @ second.T
    row, column = np.unravel_index(distances.argmin(), distances.shape)
    return [int(members[0][row]), int(members[1][column])]


def mislabelled(samples: GlyphSamples) -> list[int]:
    """Return the samples labelled as a class that does not even look like theirs, the first of each class."""
    chosen: dict[int, int] = {}
    for index in np.flatnonzero(samples.label != samples.true_label):
        marks = {CLASSES[samples.label[index]], CLASSES[samples.true_label[index]]}
        if not any(marks <= set(group) for group in LOOK_ALIKES):
            chosen.setdefault(int(samples.true_label[index]), int(index))
    return list(chosen.values())[:COLUMNS]


def choose(samples: GlyphSamples) -> list[tuple[str, int]]:
    """Choose the samples to show: kind and index, COLUMNS of each kind.

    Raises InputError if there are too few samples of a kind.
    """
    pairs = [index for pair in PAIRS for index in closest(samples, pair)]
    shown = dict(zip(KINDS, (clear(samples), pairs, mislabelled(samples)), strict=True))
    for kind, indices in shown.items():
        if len(indices) < COLUMNS:
            raise InputError(f"figure 3: {len(indices)} {kind} samples among {len(samples.x)}, needs {COLUMNS}")
    return [(kind, index) for kind, indices in shown.items() for index in indices]
