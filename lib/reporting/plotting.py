"""One look for every figure, and files that do not change from run to run."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.core.files import atomic_path

DATA_FILES = ("style.mplstyle",)


@contextmanager
def figure(
    rows: int = 1, columns: int = 1, width: float = 3.4, height: float = 2.9
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure in the project's style with `rows` x `columns` axes of `width` x `height` inches, as a flat list."""
    with plt.style.context(Path(__file__).parent / DATA_FILES[0]):
        drawn, axes = plt.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False)
        try:
            yield drawn, list(axes.flat)
        finally:
            plt.close(drawn)


def bare(axis: Axes) -> None:
    """Without ticks, grid and spines, as pictures are shown; titles and labels stay."""
    axis.set(xticks=[], yticks=[])
    axis.grid(False)
    axis.spines[:].set_visible(False)


def save(drawn: Figure, *paths: str | Path) -> None:
    """Write a figure as .png or .pdf, without dates or versions, so that equal figures are equal bytes."""
    for path in map(Path, paths):
        nothing = ["Software"] if path.suffix == ".png" else ["CreationDate", "Producer", "Creator"]
        with atomic_path(path) as temporary:
            drawn.savefig(temporary, format=path.suffix[1:], metadata=dict.fromkeys(nothing))
