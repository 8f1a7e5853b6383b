"""Figures 1 and 8 of residual perturbation: a picture carried forward and recovered, without and with noise."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.core.seeding import generator
from lib.reporting.plotting import bare, figure, save
from lib.reporting.spread import mean_and_spread
from lib.residual_perturbation.scene import scene
from lib.residual_perturbation.sde import (
    correlation,
    relative_error,
    through_ode,
    through_sde,
    uniform_error,
    velocity_field,
)

SHOWN_PIXELS = 128  # on a side, of a picture in the figure: noise cannot be compressed
# recoveries that the figure shows, and what it calls them
SHOWN = {"printed": "as the paper prints", "blurred": "no new noise, blurred"}


def compared(found: pd.DataFrame) -> pd.DataFrame:
    """Mean and spread over draws of what was recovered in each way."""
    rows = []
    for keys, draws in found.groupby(["strategy", "pixels", "equation", "recovery"], sort=False):
        row: dict[str, Any] = {"dataset": "drawn picture", "stands_for": "one image", "protocol": "paper"}
        row |= dict(zip(("strategy", "pixels", "equation", "recovery"), keys, strict=True))
        for column in ("error", "correlation"):
            row[column], row[f"{column}_spread"] = mean_and_spread(draws[column])
        row |= {"error_uniform": draws["error_uniform"].iloc[0], "error_uniform_seeds": 0}
        rows.append(row | {"seeds": len(draws) if row["equation"] == "SDE" else 0, "data": "generated"})
    return pd.DataFrame(rows)


def as_pixels(image: np.ndarray, low: float, high: float) -> np.ndarray:
    """The range from low to high made [0, 1], and what lies beyond cut off."""
    return ((image - low) / (high - low)).clip(0, 1)


@command
def main(
    seed: int, repetitions: int, strategy: str, settings: dict, numbers: Path, comparison: Path, png: Path, pdf: Path
) -> None:
    """Write the figure, its numbers, and what its claims compare.

    seed: seed of the preset. repetitions: number of draws of the noise. strategy: how noise comes in, additive or
    multiplicative. settings: the block `sde`: size, steps, time, noise, pixels, blur. numbers: the .csv of every
    recovery to write. comparison: the .csv of means and spreads over draws to write. png: the figure to write. pdf: the
    same figure to write.
    """
    size, picture = settings["size"], scene(settings["size"])
    field = velocity_field(size, size)
    rows: list[dict] = []
    panels: list[Any] = []

    def note(pixels: float, equation: str, recovery: str, draw: int, recovered: np.ndarray) -> str:
        image = pixels * picture
        row: dict[str, Any] = {"strategy": strategy, "pixels": pixels, "equation": equation, "recovery": recovery}
        row |= {"draw": draw}
        row |= {"error": relative_error(recovered, image), "correlation": correlation(recovered, image)}
        rows.append(row | {"error_uniform": uniform_error(image)})
        return f"error {row['error']:.3g}, corr. {row['correlation']:.2g}"

    for pixels in settings["pixels"]:
        # features have no range of their own: all but their outermost hundredths are shown
        features, recovered = through_ode(pixels * picture, field, settings)
        shown = [("generated\npicture", f"pixels in [0, {pixels:g}]", picture)]
        shown.append(("features,\nwithout noise", "", as_pixels(features, *np.quantile(features, (0.01, 0.99)))))
        text = note(pixels, "ODE", "printed", 0, recovered)
        shown.append(("recovered,\nwithout noise", text, as_pixels(recovered, 0, pixels)))
        for draw in range(1, repetitions + 1):
            rng = generator(seed, "residual_perturbation_sde", strategy, str(draw))
            features, recoveries = through_sde(pixels * picture, field, settings, strategy, rng)
            texts = {name: note(pixels, "SDE", name, draw, recovered) for name, recovered in recoveries.items()}
            if draw == 1:
                shown.append(("features,\nwith noise", "", as_pixels(features, *np.quantile(features, (0.01, 0.99)))))
                for name, called in SHOWN.items():
                    shown.append((f"recovered,\n{called}", texts[name], as_pixels(recoveries[name], 0, pixels)))
        if strategy == "additive" or not panels:  # multiplicative noise grows with the pixels: one range shows all
            panels += shown
    found = pd.DataFrame(rows)
    for path, table in ((numbers, found), (comparison, compared(found))):
        with atomic_path(path) as temporary:
            table.to_csv(temporary, index=False, float_format="%.10g")
    columns = 4 + len(SHOWN)
    every = -(-size // SHOWN_PIXELS)  # left out, not averaged, which would make noise look weaker than it is
    with figure(len(panels) // columns, columns, height=1.85) as (drawn, axes):
        for axis, (title, text, image) in zip(axes, panels, strict=True):
            axis.imshow(image[::every, ::every], interpolation="nearest")
            bare(axis)
            axis.set_title(title, fontsize=8)
            axis.set_xlabel(text, fontsize=8)
        save(drawn, png, pdf)


if __name__ == "__main__":
    run(main)
