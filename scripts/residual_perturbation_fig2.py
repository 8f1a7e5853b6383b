"""Figure 2 of residual perturbation: patches of both classes, of whatever source is used."""

import argparse

import numpy as np

from lib.core.seeding import generator
from lib.data.samples import read_samples
from lib.reporting.plotting import figure, save
from scripts import cli

NAMES = ("negative", "positive")


def main(argv: list[str] | None = None) -> None:
    """Draw four patches, negative and positive in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--dataset", required=True, help="name of the dataset")
    parser.add_argument("--data", required=True, help="prepared dataset of patches")
    parser.add_argument("--png", required=True, help="the figure, .png")
    parser.add_argument("--pdf", required=True, help="the figure, .pdf")
    arguments = parser.parse_args(argv)
    data = read_samples(arguments.data)
    rng = generator(arguments.seed, "residual_perturbation_fig2")
    drawn_rows = [rng.choice(np.flatnonzero(data.y == label), 2, replace=False) for label in (0, 1)]
    with figure(1, 4, width=1.7, height=2.1) as (drawn, axes):
        for axis, (label, row) in zip(axes, [(k, drawn_rows[k][i]) for i in (0, 1) for k in (0, 1)], strict=True):
            axis.imshow(data.x[row], interpolation="nearest")
            axis.set_title(NAMES[label])
            axis.set_axis_off()
        drawn.suptitle(f"{arguments.dataset} ({data.fingerprint[:12]})", fontsize="medium")
        save(drawn, arguments.png, arguments.pdf)


if __name__ == "__main__":
    cli.run(main)
