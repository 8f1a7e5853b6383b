"""Figure 2 of residual perturbation: patches of both classes, of whatever source is used."""

from pathlib import Path

import numpy as np

from lib.core.command import command, run
from lib.core.seeding import generator
from lib.data.samples import read_samples
from lib.reporting.plotting import figure, save

NAMES = ("without tumour (0)", "with tumour (1)")


@command
def main(data: Path, dataset: str, seed: int, png: Path, pdf: Path, patients: bool = False) -> None:
    """Draw four patches, negative and positive in turn.

    data: prepared dataset of patches. dataset: name of the dataset. seed: seed of the preset. png, pdf: the
    figure to write. patients: whether the patches are of patients.
    """
    patches = read_samples(data)
    rng = generator(seed, "residual_perturbation_fig2")
    drawn_rows = [rng.choice(np.flatnonzero(patches.y == label), 2, replace=False) for label in (0, 1)]
    with figure(1, 4, height=2.3) as (drawn, axes):
        for axis, (label, row) in zip(axes, [(k, drawn_rows[k][i]) for i in (0, 1) for k in (0, 1)], strict=True):
            axis.imshow(patches.x[row], interpolation="nearest")
            axis.set_title(NAMES[label])
            axis.set_axis_off()
        said = f"patches of patients ({dataset})" if patients else f"generated patches ({dataset}), of no patient"
        drawn.suptitle(f"{said}, {patches.x.shape[1]} x {patches.x.shape[2]} pixels", fontsize="medium")
        save(drawn, png, pdf)


if __name__ == "__main__":
    run(main)
