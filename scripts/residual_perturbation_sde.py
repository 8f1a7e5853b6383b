"""Figures 1 and 8 of residual perturbation: a picture carried forward and recovered, without and with noise."""

import argparse

import numpy as np
import pandas as pd

from lib.core.files import atomic_path
from lib.core.seeding import generator
from lib.reporting.plotting import figure, save
from lib.reporting.spread import mean_and_spread
from lib.residual_perturbation.scene import scene
from lib.residual_perturbation.sde import (
    STRATEGIES,
    Field,
    backward,
    blurred,
    correlation,
    forward,
    relative_error,
    uniform_error,
    velocity_field,
)
from scripts import cli

# how an image is recovered, with what the figure calls that
RECOVERIES = ("printed", "noiseless", "blurred")
SHOWN_PIXELS = 128  # on a side, of a picture in the figure: noise cannot be compressed
SHOWN = {"printed": "as printed", "blurred": "no new noise, blurred"}  # and what the figure calls them


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--repetitions", type=int, required=True, help="draws of the noise")
    parser.add_argument("--strategy", choices=STRATEGIES, required=True, help="how noise comes in")
    cli.add_json(parser, "--settings", "the block sde: size, steps, time, noise, pixels, blur")
    parser.add_argument("--output", required=True, help="every recovery, .csv")
    parser.add_argument("--comparison", required=True, help="means and spreads over draws, .csv")
    parser.add_argument("--png", required=True, help="the figure, .png")
    parser.add_argument("--pdf", required=True, help="the figure, .pdf")
    return parser.parse_args(argv)


def ode(image: np.ndarray, field: Field, settings: dict) -> tuple[np.ndarray, np.ndarray]:
    """Features, and the image recovered from them."""
    taken = {"field": field, "steps": settings["steps"], "step": settings["time"] / settings["steps"]}
    features = forward(image, **taken)
    return features, backward(features, **taken)


def sde(
    image: np.ndarray, field: Field, settings: dict, strategy: str, rng: np.random.Generator
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Features, and the image recovered from them in every way."""
    taken = {"field": field, "steps": settings["steps"], "step": settings["time"] / settings["steps"]}
    noisy = taken | {"strategy": strategy, "noise": settings["noise"], "rng": rng}
    features = forward(image, **noisy)
    noiseless = backward(features, **taken)
    recovered = (backward(features, **noisy), noiseless, blurred(noiseless, settings["blur"]))
    return features, dict(zip(RECOVERIES, recovered, strict=True))


def compared(found: pd.DataFrame) -> pd.DataFrame:
    """Mean and spread over draws of what was recovered in each way."""
    rows = []
    for keys, draws in found.groupby(["strategy", "pixels", "equation", "recovery"], sort=False):
        row = {"dataset": "picture", "stands_for": "picture", "protocol": "paper"}
        row |= dict(zip(("strategy", "pixels", "equation", "recovery"), keys, strict=True))
        for column in ("error", "correlation"):
            row[column], row[f"{column}_spread"] = mean_and_spread(draws[column])
        row |= {"error_uniform": draws["error_uniform"].iloc[0], "error_uniform_seeds": 0}
        rows.append(row | {"seeds": len(draws) if row["equation"] == "SDE" else 0, "data": "generated"})
    return pd.DataFrame(rows)


def as_pixels(image: np.ndarray, low: float, high: float) -> np.ndarray:
    """The range from low to high made [0, 1], and what lies beyond cut off."""
    return ((image - low) / (high - low)).clip(0, 1)


def main(argv: list[str] | None = None) -> None:
    """Write the figure, its numbers, and what its claims compare."""
    arguments = parse_arguments(argv)
    settings, strategy = arguments.settings, arguments.strategy
    size, picture = settings["size"], scene(settings["size"])
    field = velocity_field(size, size)
    numbers, panels = [], []

    def note(pixels: float, equation: str, recovery: str, draw: int, recovered: np.ndarray) -> str:
        image = pixels * picture
        row = {"strategy": strategy, "pixels": pixels, "equation": equation, "recovery": recovery, "draw": draw}
        row |= {"error": relative_error(recovered, image), "correlation": correlation(recovered, image)}
        numbers.append(row | {"error_uniform": uniform_error(image)})
        return f"error {row['error']:.1%}\ncorrelation {row['correlation']:.4f}"

    for pixels in settings["pixels"]:
        # features have no range of their own: all but their outermost hundredths are shown
        features, recovered = ode(pixels * picture, field, settings)
        shown = [("picture\n$x(0)$", f"pixels in [0, {pixels:g}]", picture)]
        shown.append(("ODE: features\n$x(1)$", "", as_pixels(features, *np.quantile(features, (0.01, 0.99)))))
        text = note(pixels, "ODE", "printed", 0, recovered)
        shown.append(("ODE: recovered\nas printed", text, as_pixels(recovered, 0, pixels)))
        for draw in range(1, arguments.repetitions + 1):
            rng = generator(arguments.seed, "residual_perturbation_sde", strategy, str(draw))
            features, found = sde(pixels * picture, field, settings, strategy, rng)
            texts = {name: note(pixels, "SDE", name, draw, recovered) for name, recovered in found.items()}
            if draw == 1:
                shown.append(("SDE: features\n$x(1)$", "", as_pixels(features, *np.quantile(features, (0.01, 0.99)))))
                for name, called in SHOWN.items():
                    shown.append((f"SDE: recovered\n{called}", texts[name], as_pixels(found[name], 0, pixels)))
        panels += shown
    table = pd.DataFrame(numbers)
    for path, rows in ((arguments.output, table), (arguments.comparison, compared(table))):
        with atomic_path(path) as temporary:
            rows.to_csv(temporary, index=False, float_format="%.10g")
    columns = len(panels) // len(settings["pixels"])
    every = -(-size // SHOWN_PIXELS)  # left out, not averaged, which would make noise look weaker than it is
    with figure(len(settings["pixels"]), columns, width=1.6, height=2.2) as (drawn, axes):
        for axis, (title, text, image) in zip(axes, panels, strict=True):
            axis.imshow(image[::every, ::every], interpolation="nearest")
            axis.set(xticks=[], yticks=[])
            axis.grid(False)
            axis.spines[:].set_visible(False)
            axis.set_title(title, fontsize=7.5)
            axis.set_xlabel(text, fontsize=7.5)
        save(drawn, arguments.png, arguments.pdf)


if __name__ == "__main__":
    cli.run(main)
