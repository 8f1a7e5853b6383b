"""Theorem 3 of residual perturbation: complexities of the plain and the perturbed class, simulated and bounded."""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.core.seeding import generator
from lib.reporting.spread import mean_and_spread
from lib.residual_perturbation.rademacher import Simulation, bounds, shrinkage, simulate


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


@command
def main(seed: int, repetitions: int, settings: dict, table: Path) -> None:
    """Write the table.

    seed: seed of the preset. repetitions: number of independent simulations. settings: the block `rademacher`: of the
    data, the classes and the simulation. table: the .csv to write.
    """
    job = "residual_perturbation_rademacher"
    shape = (settings["samples"], settings["dimension"])
    samples = generator(seed, job, "samples").standard_normal(shape)
    chosen = {name: settings[name] for name in ("radius", "power", "time", "draws", "paths", "moves")}
    rows = []
    for gamma in settings["gammas"]:
        made = [
            simulate(samples, noise=gamma, **chosen, rng=generator(seed, job, f"{gamma:g}", str(repetition)))
            for repetition in range(1, repetitions + 1)
        ]
        rows.append(row_of(gamma, samples, settings, made))
    with atomic_path(table) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    run(main)
