"""Figure 3 of Scalable PATE on Open Glyph: clear, ambiguous and mislabelled inputs, with what they are labelled as."""

from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.data.glyph import GlyphSamples
from lib.data.glyph_classes import CLASSES
from lib.data.glyph_examples import COLUMNS, KINDS, choose
from lib.data.glyph_pool import open_glyph
from lib.reporting.plotting import bare, figure, save

COLOURS = dict(zip(KINDS, ("#009E73", "#E69F00", "#D55E00"), strict=True))


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


def show(samples: GlyphSamples, shown: list[tuple[str, int]], png: Path, pdf: Path) -> None:
    """A row a kind; above each input the class it is labelled as, below a mislabelled one its own."""
    with figure(len(KINDS), COLUMNS, width=0.82, height=1.12) as (drawn, axes):
        for axis, (kind, index) in zip(axes, shown, strict=True):
            axis.imshow(255 - samples.x[index], cmap="gray", vmin=0, vmax=255, interpolation="nearest")
            bare(axis)
            axis.spines[:].set(visible=True, color=COLOURS[kind], linewidth=1.6)
            # The default font, DejaVu Sans, has all classes; "$" would begin a formula.
            axis.set_title(CLASSES[samples.label[index]], fontsize=13, parse_math=False)
            if kind == "mislabelled":
                axis.set_xlabel(f"is {CLASSES[samples.true_label[index]]}", color=COLOURS[kind], parse_math=False)
        for axis, kind in zip(axes[::COLUMNS], KINDS, strict=True):
            axis.set_ylabel(kind, color=COLOURS[kind], fontsize=10)
        save(drawn, png, pdf)


@command
def main(data: Path, numbers: Path, png: Path, pdf: Path, split: str = "private", scan: int = 8192) -> None:
    """Write the figure and what it shows.

    data: prepared dataset of Open Glyph. numbers: what is shown, .csv. png: the figure. pdf: the figure. split: the
    split that is shown. scan: how many samples the shown ones are chosen from.
    """
    glyph = open_glyph(data)
    samples = glyph.samples(split, 0, scan)
    shown = choose(samples)
    with atomic_path(numbers) as temporary:
        describe(split, glyph.fonts(split), samples, shown).to_csv(temporary, index=False)
    show(samples, shown, png, pdf)


if __name__ == "__main__":
    run(main)
