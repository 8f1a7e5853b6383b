"""Theorem 3 of residual perturbation: complexities of the plain and the perturbed class, simulated and bounded."""

import argparse

import numpy as np
import pandas as pd

from lib.core.files import atomic_path
from lib.core.seeding import generator
from lib.reporting.spread import mean_and_spread
from lib.residual_perturbation.rademacher import Simulation, bounds, shrinkage, simulate
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--repetitions", type=int, required=True, help="independent simulations")
    cli.add_json(parser, "--settings", "the block rademacher: of the data, the classes and the simulation")
    parser.add_argument("--output", required=True, help="the table, .csv")
    return parser.parse_args(argv)


def row_of(gamma: float, samples: np.ndarray, settings: dict, made: list[Simulation]) -> dict:
    """One row: means and spreads over simulations, and the error that each expects of itself."""
    classes = {name: settings[name] for name in ("radius", "power", "time")}
    lower, upper = bounds(samples, **classes)
    exact = shrinkage(settings["power"], gamma, settings["time"])
    row = {"dataset": "normal samples", "stands_for": "normal samples", "protocol": "paper", "gamma": gamma} | classes
    for name in ("paper", "plain", "perturbed", "factor"):
        row[name], row[f"{name}_spread"] = mean_and_spread([getattr(each, name) for each in made])
        row[f"{name}_error"] = float(np.sqrt(np.mean([getattr(each, f"{name}_error") ** 2 for each in made])))
    row |= {"factor_exact": exact, "plain_lower": lower, "plain_upper": upper}
    row |= {"perturbed_lower": exact * lower, "perturbed_upper": exact * upper}
    return row | {"seeds": len(made), "data": "generated"}


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    arguments = parse_arguments(argv)
    settings, job = arguments.settings, "residual_perturbation_rademacher"
    shape = (settings["samples"], settings["dimension"])
    samples = generator(arguments.seed, job, "samples").standard_normal(shape)
    chosen = {name: settings[name] for name in ("radius", "power", "time", "draws", "paths", "moves")}
    rows = []
    for gamma in settings["gammas"]:
        made = [
            simulate(samples, noise=gamma, **chosen, rng=generator(arguments.seed, job, f"{gamma:g}", str(repetition)))
            for repetition in range(1, arguments.repetitions + 1)
        ]
        rows.append(row_of(gamma, samples, settings, made))
    with atomic_path(arguments.output) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    cli.run(main)
