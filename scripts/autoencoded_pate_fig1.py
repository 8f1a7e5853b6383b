"""Figure 1 of autoencoded PATE: the standard logistic distribution beside the normal of variance 8/pi."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.encoders.ball import logistic_normal_cdfs, logistic_normal_gap
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import figure, save

DATA = "none: theory only"


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Densities (left) and distribution functions (right) of both distributions."""
    with figure(1, 2) as (drawn, axes):
        for axis, kind, label in zip(axes, ("density", "cdf"), ("density", "distribution function"), strict=True):
            axis.plot(table["x"], table[f"logistic_{kind}"], label="standard logistic")
            axis.plot(table["x"], table[f"normal_{kind}"], label=r"normal, variance $8/\pi$")
            axis.set_xlabel("x")
            axis.set_ylabel(label)
        axes[1].legend(loc="lower right")
        axes[1].set_title(f"largest difference {table['largest_cdf_difference'].iloc[0]:.4f}")
        save(drawn, *paths)


@command
def main(largest: float, points: int, numbers: Path, comparison: Path, png: Path, pdf: Path) -> None:
    """Write the figure, its numbers, and their largest difference.

    largest: the curves are drawn from -largest to largest. points: points of each curve. numbers: the curves to write,
    .csv. comparison: how far they are apart, to write, .csv. png, pdf: the figure to write.
    """
    x = np.linspace(-largest, largest, points)
    cdfs = logistic_normal_cdfs(x)
    variance = 8 / math.pi
    densities = (expit(x) * expit(-x), np.exp(-(x**2) / (2 * variance)) / math.sqrt(2 * math.pi * variance))
    gap = logistic_normal_gap()
    curves = {"x": x, "logistic_density": densities[0], "normal_density": densities[1]}
    curves |= {"logistic_cdf": cdfs[0], "normal_cdf": cdfs[1], "cdf_difference": cdfs[0] - cdfs[1]}
    curves |= {"largest_cdf_difference": gap}
    row = {"dataset": "none", "stands_for": "none", "protocol": "paper", "largest_cdf_difference": gap}
    row |= {"largest_density_difference": np.abs(densities[0] - densities[1]).max(), "seeds": 0, "data": DATA}
    for path, table in ((numbers, curves), (comparison, [row])):
        with atomic_path(path) as temporary:
            pd.DataFrame(table).to_csv(temporary, index=False, float_format="%.6g")
    draw(read_table(numbers), png, pdf)


if __name__ == "__main__":
    run(main)
