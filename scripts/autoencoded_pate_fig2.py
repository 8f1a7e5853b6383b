"""Figure 2 of autoencoded PATE: the ball activation of standard normal numbers, l = 2, beside the uniform disc."""

import argparse

import numpy as np
import pandas as pd

from lib.core.files import atomic_path
from lib.core.seeding import generator
from lib.encoders.ball import disc_histograms
from lib.encoders.uniformity import exact_total_variation, total_variation
from lib.reporting.plotting import figure, save
from lib.reporting.spread import mean_and_spread
from scripts import cli

PANELS = {
    "activation": r"$\varphi(o)$, $o \sim \mathcal{N}(0, I)$",
    "uniform": "uniform",
    "difference": "absolute difference",
}


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--samples", type=int, required=True, help="points of each of the two distributions")
    parser.add_argument("--bins", type=int, required=True, help="bins of [-1, 1] along each axis")
    parser.add_argument("--repetitions", type=int, required=True, help="independent samples; the first is drawn")
    parser.add_argument("--output", required=True, help="the densities that are drawn, .csv")
    parser.add_argument("--comparison", required=True, help="how far they are apart, .csv")
    parser.add_argument("--png", required=True, help="the figure, .png")
    parser.add_argument("--pdf", required=True, help="the figure, .pdf")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the figure, its numbers, and their distance beside that of two uniform samples."""
    arguments = parse_arguments(argv)
    made = [
        disc_histograms(
            arguments.samples,
            arguments.bins,
            generator(arguments.seed, "autoencoded_pate_fig2", str(repetition)),
        )
        for repetition in range(1, arguments.repetitions + 1)
    ]
    edges, shown = made[0]["edges"], made[0]
    found = [total_variation(each["activation"], each["uniform"], edges) for each in made]
    # what two samples of one distribution differ by: each run's uniform sample beside the next run's
    floor = [total_variation(made[i - 1]["uniform"], made[i]["uniform"], edges) for i in range(1, len(made))]
    row = {"dataset": "none", "stands_for": "none", "protocol": "paper"}
    row |= {"samples": arguments.samples, "bins": arguments.bins}
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
    numbers = {"x": grid[0].ravel(), "y": grid[1].ravel()} | {name: shown[name].ravel() for name in PANELS}
    for path, table in ((arguments.output, numbers), (arguments.comparison, [row])):
        with atomic_path(path) as temporary:
            pd.DataFrame(table).to_csv(temporary, index=False, float_format="%.6g")
    top = max(shown["activation"].max(), shown["uniform"].max())
    with figure(1, len(PANELS), width=2.7, height=2.5) as (drawn, axes):
        for axis, (name, title) in zip(axes, PANELS.items(), strict=True):
            extent = (edges[0], edges[-1], edges[0], edges[-1])
            image = axis.imshow(shown[name].T, origin="lower", extent=extent, vmin=0, vmax=top)
            axis.grid(False)
            axis.set(title=title, xlabel="first coordinate", xticks=(-1, 0, 1), yticks=(-1, 0, 1))
        axes[0].set_ylabel("second coordinate")
        drawn.colorbar(image, ax=axes, label="density", shrink=0.8)
        save(drawn, arguments.png, arguments.pdf)


if __name__ == "__main__":
    cli.run(main)
