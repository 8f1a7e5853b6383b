"""Figure 2 of autoencoded PATE: the ball activation of standard normal numbers, l = 2, beside the uniform disc."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.core.seeding import generator
from lib.encoders.ball import disc_histograms
from lib.encoders.uniformity import exact_total_variation, total_variation
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import figure, save
from lib.reporting.spread import mean_and_spread

PANELS = {
    "activation": r"$\varphi(o)$, $o \sim \mathcal{N}(0, I)$",
    "uniform": "uniform",
    "difference": "absolute difference",
}


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """A panel for each density on the square [-1, 1]^2, and one for their difference."""
    bins = table["x"].nunique()
    with figure(1, len(PANELS), width=2.7, height=2.7) as (drawn, axes):
        for axis, (name, title) in zip(axes, PANELS.items(), strict=True):
            image = axis.imshow(
                table[name].to_numpy().reshape(bins, bins).T,
                origin="lower",
                extent=(-1, 1, -1, 1),
                vmin=0,
                vmax=table[["activation", "uniform"]].max(axis=None),
            )
            axis.grid(False)
            axis.set(title=title, xlabel="first coordinate", xticks=(-1, 0, 1), yticks=(-1, 0, 1))
        axes[0].set_ylabel("second coordinate")
        drawn.colorbar(image, ax=axes, label="density", shrink=0.8)
        save(drawn, *paths)


@command
def main(
    seed: int, samples: int, bins: int, repetitions: int, numbers: Path, comparison: Path, png: Path, pdf: Path
) -> None:
    """Write the figure, its numbers, and their distance beside that of two uniform samples.

    seed: seed of the preset. samples: points of each of the two distributions. bins: bins of [-1, 1] along each axis.
    repetitions: independent samples; the first is drawn. numbers: the densities that are drawn, to write, .csv.
    comparison: how far they are apart, to write, .csv. png, pdf: the figure to write.
    """
    made = [
        disc_histograms(
            samples,
            bins,
            generator(seed, "autoencoded_pate_fig2", str(repetition)),
        )
        for repetition in range(1, repetitions + 1)
    ]
    edges, shown = made[0]["edges"], made[0]
    found = [total_variation(each["activation"], each["uniform"], edges) for each in made]
    # what two samples of one distribution differ by: each run's uniform sample beside the next run's
    floor = [total_variation(made[i - 1]["uniform"], made[i]["uniform"], edges) for i in range(1, len(made))]
    row: dict[str, Any] = {"dataset": "none", "stands_for": "none", "protocol": "paper"}
    row |= {"samples": samples, "bins": bins}
    for name, values in (("total_variation", found), ("two_uniform_samples", floor)):
        row[name], row[f"{name}_spread"] = mean_and_spread(values)
    row |= {
        "total_variation_exact": exact_total_variation(),
        "total_variation_exact_seeds": 0,
        "seeds": len(made),
        "data": "generated",
    }
    centres = (edges[:-1] + edges[1:]) / 2
    grid = np.meshgrid(centres, centres, indexing="ij")
    densities = {"x": grid[0].ravel(), "y": grid[1].ravel()} | {name: shown[name].ravel() for name in PANELS}
    for path, table in ((numbers, densities), (comparison, [row])):
        with atomic_path(path) as temporary:
            pd.DataFrame(table).to_csv(temporary, index=False, float_format="%.6g")
    draw(read_table(numbers), png, pdf)


if __name__ == "__main__":
    run(main)
