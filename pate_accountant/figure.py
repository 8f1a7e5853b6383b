"""Epsilon against the number of queries, as a picture."""

from pathlib import Path

from pate_accountant.errors import InputError
from pate_accountant.price import Price

# colour-blind-safe, dark to light in grey
COLOURS = ("#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def draw(made: Price, path: Path) -> None:
    """Write the curves as PNG in matplotlib's default style, whatever a person's matplotlibrc says.

    Raises InputError where matplotlib is not installed, or the folder is not there.
    """
    try:
        from matplotlib import style
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError(f"--png {path}: needs matplotlib; pip install matplotlib") from error
    if not path.parent.is_dir():
        raise InputError(f"--png {path}: there is no folder {path.parent}")
    with style.context("default"):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained", dpi=150)
        axes = figure.subplots()
        for colour, (name, values) in zip(COLOURS, made.curves.items(), strict=False):
            statement = made.statements[name]
            kind = "guarantee" if statement.guarantee else "proved" if statement.proved_bound else "not proved"
            where = "on any votes" if not statement.data_dependent else "private"
            axes.plot(made.lengths, values, color=colour, label=f"{name} ({kind}, {where})")
        axes.set_yscale("log")
        axes.set_xlabel("queries")
        axes.set_ylabel(f"epsilon at delta {made.run['delta']:g}, classic conversion")
        axes.legend(fontsize="x-small")
        axes.grid(alpha=0.3)
        try:
            figure.savefig(path)
        except (OSError, ValueError) as error:  # ValueError: a suffix that matplotlib knows no format for
            raise InputError(f"--png {path}: {' '.join(str(error).split())}") from error
