"""Figure 2 of DP-MAC: the objectives of two layers of one weight, their approximations, and the noise on these."""

from pathlib import Path

import numpy as np
import pandas as pd
import torch

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.core.seeding import generator
from lib.dp_mac.toy import Toy, at, toys
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import figure, legend, save

GRID = np.linspace(-4, 4, 81)
NEAR = 1.0  # distance from the expansion point that counts as around it


def noisy(toy: Toy, sigma: float, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Points on approximations whose three coefficients have noise, each of sigma times its sensitivity."""
    bounds, weights = toy.sensitivities(), rng.uniform(GRID[0], GRID[-1], draws)
    noise = rng.standard_normal((3, draws)) * sigma
    shift = noise[0] * bounds.constant + noise[1] * bounds.linear * weights + noise[2] * bounds.quadratic * weights**2
    return weights, at(toy.expansion(2), weights) + shift


def compared(name: str, toy: Toy) -> list[dict]:
    """How far the approximation is off near 0, and the slopes of both orders there."""
    near = GRID[np.abs(GRID) <= NEAR]
    values, approximated = toy.values(near), at(toy.expansion(2), near)
    zero = torch.zeros(1, 1, 1, dtype=torch.float64)
    slopes = [float(toy.expansion(order).gradient(zero)) for order in (2, 1)]
    about = {"dataset": "toy", "stands_for": "toy", "protocol": "paper", "at": name, "seeds": 0, "data": "generated"}
    gap = {"value": np.abs(values - approximated).max(), "other_value": np.ptp(values)}
    return [
        about | {"comparison": "gap_of_approximation_and_range_of_objective"} | gap,
        about | {"comparison": "slope_of_second_and_first_order", "value": slopes[0], "other_value": slopes[1]},
    ]


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """A panel a layer: its objective, the approximation, and points on approximations with noise."""
    with figure(1, 2, height=3.2) as (drawn, axes):
        for axis, (name, own) in zip(axes, table.groupby("layer", sort=False), strict=True):
            curve, points = own[own["noisy"].isna()], own[own["noisy"].notna()]
            axis.plot(curve["weight"], curve["objective"], "-", color="k", label="objective")
            axis.plot(curve["weight"], curve["approximation"], "--", color="C1", label="second order at 0")
            axis.plot(points["weight"], points["noisy"], "o", color="C0", ms=4, mfc="none", label="with noise")
            axis.set_title(name)
            axis.set_xlabel("weight")
        axes[0].set_ylabel("objective")
        legend(drawn, axes)
        save(drawn, *paths)


@command
def main(
    seed: int,
    samples: int,
    bound: float,
    sigma: float,
    draws: int,
    numbers: Path,
    comparison: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the figure, its numbers, and what its claims compare.

    seed: seed of the preset. samples: number of data of a layer. bound: on inputs. sigma: of the noise, in units of a
    coefficient's sensitivity. draws: number of noisy points. numbers: the numbers behind the figure. comparison: what
    its claims compare.
    """
    rng = generator(seed, "dp_mac_fig2")
    found, rows = [], []
    for name, toy in toys(samples, bound, rng).items():
        values, approximated = toy.values(GRID), at(toy.expansion(2), GRID)
        weights, crosses = noisy(toy, sigma, draws, rng)
        curve = {"layer": name, "weight": GRID, "objective": values, "approximation": approximated}
        found += [pd.DataFrame(curve), pd.DataFrame({"layer": name, "weight": weights, "noisy": crosses})]
        rows += compared(name, toy)
    for path, table in ((numbers, pd.concat(found)), (comparison, pd.DataFrame(rows))):
        with atomic_path(path) as temporary:
            table.to_csv(temporary, index=False, float_format="%.10g")
    draw(read_table(numbers), png, pdf)


if __name__ == "__main__":
    run(main)
