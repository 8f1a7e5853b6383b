"""Figure 3 of Scalable PATE on Open Glyph: clear, ambiguous and mislabelled inputs, with what they are labelled as."""

import argparse

import numpy as np
import pandas as pd

from lib.core.errors import InputError
from lib.core.files import atomic_path
from lib.data.glyph import GlyphSamples, OpenGlyph
from lib.data.glyph_classes import CLASSES, LOOK_ALIKES
from lib.data.glyph_settings import SPLITS, GlyphSettings
from lib.reporting.plotting import figure, save
from scripts import cli

COLUMNS = 8
# The paper's own example first; each is a pair of look-alikes.
PAIRS = (",’", "0O", "1l", "-–")  # noqa: RUF001
KINDS = {"clear": "#009E73", "ambiguous": "#E69F00", "mislabelled": "#D55E00"}


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    cli.add_json(parser, "--settings", "the block of Open Glyph's settings")
    parser.add_argument("--split", choices=SPLITS, default="private", help="the split that is shown")
    parser.add_argument("--scan", type=int, default=8192, help="how many samples the shown ones are chosen from")
    parser.add_argument("--output", required=True, help="what is shown, .csv")
    parser.add_argument("--png", required=True, help="the figure, .png")
    parser.add_argument("--pdf", required=True, help="the figure, .pdf")
    return parser.parse_args(argv)


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
    """Samples labelled as a class that does not even look like theirs, the first of each class."""
    chosen: dict[int, int] = {}
    for index in np.flatnonzero(samples.label != samples.true_label):
        marks = {CLASSES[samples.label[index]], CLASSES[samples.true_label[index]]}
        if not any(marks <= set(group) for group in LOOK_ALIKES):
            chosen.setdefault(int(samples.true_label[index]), int(index))
    return list(chosen.values())[:COLUMNS]


def choose(samples: GlyphSamples) -> list[tuple[str, int]]:
    """What is shown: the kind and the index of a sample, COLUMNS of each kind.

    Raises InputError if there are too few samples of a kind.
    """
    pairs = [index for pair in PAIRS for index in closest(samples, pair)]
    shown = dict(zip(KINDS, (clear(samples), pairs, mislabelled(samples)), strict=True))
    for kind, indices in shown.items():
        if len(indices) < COLUMNS:
            raise InputError(f"figure 3: {len(indices)} {kind} samples among {len(samples.x)}, needs {COLUMNS}")
    return [(kind, index) for kind, indices in shown.items() for index in indices]


def describe(split: str, fonts: list[str], samples: GlyphSamples, shown: list[tuple[str, int]]) -> pd.DataFrame:
    """One row a sample: which it is, its font, its label and its class, and why it is shown."""
    return pd.DataFrame(
        {
            "split": split,
            "index": index,
            "font": fonts[samples.font[index]],
            "label": CLASSES[samples.label[index]],
            "label_code_point": f"U+{ord(CLASSES[samples.label[index]]):04X}",
            "true_label": CLASSES[samples.true_label[index]],
            "true_label_code_point": f"U+{ord(CLASSES[samples.true_label[index]]):04X}",
            "shown_as": kind,
        }
        for kind, index in shown
    )


def draw(samples: GlyphSamples, shown: list[tuple[str, int]], png: str, pdf: str) -> None:
    """A row a kind; above each input the class it is labelled as, below a mislabelled one its own."""
    with figure(len(KINDS), COLUMNS, width=0.82, height=1.12) as (drawn, axes):
        for axis, (kind, index) in zip(axes, shown, strict=True):
            axis.imshow(255 - samples.x[index], cmap="gray", vmin=0, vmax=255, interpolation="nearest")
            axis.set(xticks=[], yticks=[])
            axis.grid(False)
            axis.spines[:].set(visible=True, color=KINDS[kind], linewidth=1.6)
            # The default font, DejaVu Sans, has all classes; "$" would begin a formula.
            axis.set_title(CLASSES[samples.label[index]], fontsize=13, parse_math=False)
            if kind == "mislabelled":
                axis.set_xlabel(f"is {CLASSES[samples.true_label[index]]}", color=KINDS[kind], parse_math=False)
        for axis, kind in zip(axes[::COLUMNS], KINDS, strict=True):
            axis.set_ylabel(kind, color=KINDS[kind], fontsize=10)
        save(drawn, png, pdf)


def main(argv: list[str] | None = None) -> None:
    """Write the figure and what it shows."""
    arguments = parse_arguments(argv)
    data = OpenGlyph(GlyphSettings.from_block(arguments.settings))
    samples = data.samples(arguments.split, 0, arguments.scan)
    shown = choose(samples)
    with atomic_path(arguments.output) as temporary:
        describe(arguments.split, data.fonts(arguments.split), samples, shown).to_csv(temporary, index=False)
    draw(samples, shown, arguments.png, arguments.pdf)


if __name__ == "__main__":
    cli.run(main)
