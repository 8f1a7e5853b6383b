"""One look for every figure, and files that do not change from run to run."""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.artist import Artist

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from lib.core.files import atomic_path

DATA_FILES = ("style.mplstyle",)
WIDTH = 7.6  # inches of a figure, which a page shows 830 pixels wide: its text is then as large as the page's
GREY = "0.4"  # of what others are compared with


@contextmanager
def figure(
    rows: int = 1, columns: int = 1, width: float | None = None, height: float = 2.9
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Yield a figure with `rows` x `columns` axes of `width` x `height` inches, as a flat list; close it at the end.

    width: None where all columns together are WIDTH inches wide. The project's style lies over matplotlib's defaults,
    so that a person's matplotlibrc changes no byte of a figure.
    """
    with plt.style.context(Path(__file__).parent / DATA_FILES[0], after_reset=True):
        size = (width * columns if width else WIDTH, height * rows)
        drawn, axes = plt.subplots(rows, columns, figsize=size, squeeze=False)
        try:
            yield drawn, list(axes.flat)
        finally:
            plt.close(drawn)


def looks(names: Iterable[str]) -> dict[str, dict]:
    """Return the colour and line style of each name, in the style's order, for all panels that show them."""
    cycle = matplotlib.rc_params_from_file(Path(__file__).parent / DATA_FILES[0], use_default_template=False)
    return dict(zip(names, cycle["axes.prop_cycle"], strict=False))


def bare(axis: Axes) -> None:
    """Without ticks, grid and spines, as pictures are shown; titles and labels stay."""
    axis.set(xticks=[], yticks=[])
    axis.grid(False)
    axis.spines[:].set_visible(False)


def paper(axis: Axes, x: Sequence[float], y: Sequence[float], label: str, color: str = "black") -> None:
    """Mark values that a paper prints; every figure marks them by crosses."""
    cross: dict[str, Any] = {"linestyle": "none", "marker": "x", "markersize": 7, "markeredgewidth": 2, "zorder": 4}
    axis.plot(x, y, color=color, label=label, **cross)


def guessing(axis: Axes) -> None:
    """Draw a line where an attack knows no more than a coin: an area under its ROC curve of a half."""
    axis.axhline(0.5, color=GREY, linestyle=":", linewidth=1, label="guessing", zorder=0)


def at_delta(delta: float) -> str:
    """Return a delta that is a power of ten, as a title says it."""
    return rf"$\delta = 10^{{{math.log10(delta):g}}}$"


def epsilon_at(delta: float) -> str:
    """Return the label of an axis of epsilon at a delta that is a power of ten."""
    return rf"$\varepsilon$ at {at_delta(delta)}"


def counts(axis: Axes) -> None:
    """Set few ticks, with separated thousands, on an x axis of counts."""
    axis.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 4, 5, 10]))
    axis.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def legend(drawn: Figure, axes: Sequence[Axes], columns: int = 4) -> None:
    """Put one legend of several axes below them, each label once."""
    entries: dict[str, Artist] = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            if label:
                entries.setdefault(label, handle)
    place: Any = "outside lower center"  # of a figure; the annotation has those of axes alone
    drawn.legend(entries.values(), entries, loc=place, ncols=columns)


def save(drawn: Figure, *paths: str | Path) -> None:
    """Write a figure as .png or .pdf, without dates or versions, so that equal figures are equal bytes."""
    for path in map(Path, paths):
        nothing = ["Software"] if path.suffix == ".png" else ["CreationDate", "Producer", "Creator"]
        with atomic_path(path) as temporary:
            drawn.savefig(temporary, format=path.suffix[1:], metadata=dict.fromkeys(nothing))
