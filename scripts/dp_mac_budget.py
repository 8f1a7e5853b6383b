"""Compute what DP-MAC's printed settings cost, in every interpretation, and the noise that each epsilon needs."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from lib.core.command import command, run
from lib.dp_mac.accounting import MacRun
from lib.dp_mac.statements import statements
from lib.reporting.tables import write_table
from pate_accountant import rdp
from pate_accountant.statement import PrivacyStatement
from pate_accountant.training_run import calibrated_sigma, check

DATA = "none: accounting only"


def each_batch(run: MacRun, noise: float, orders: np.ndarray, delta: float) -> PrivacyStatement:
    """The run's cost with thresholds learned anew on every batch, in place of once after pre-training.

    A step then releases the histograms of its batch too, one vector with the coefficients, with `noise` on each count.
    Two Gaussians on one batch are one, of which 1 / sigma^2 is the sum of theirs. No such run is made.
    """
    together = (run.sigma**-2 + run.histograms * noise**-2) ** -0.5
    instead = replace(run, sigma=together, pretraining_epochs=0, sigma_histogram=None)
    made = statements(instead, orders, delta)["joint"]
    return replace(made, accountant="rdp, thresholds of every batch", proved_bound=False)


def rows_of(name: str, settings: dict, orders: np.ndarray) -> list[dict]:
    """One row a printed epsilon."""
    delta, rows = settings["delta"], []
    for printed, sigma in settings["printed"]:
        run = MacRun(sigma=sigma, **{key: settings[key] for key in settings if key in MacRun.__dataclass_fields__})
        costs, made = run.parts(orders), statements(run, orders, delta)
        histogram = None
        if "histogram" in costs:
            epsilon, _ = rdp.epsilon_classic(orders, costs["histogram"], delta)
            histogram = replace(made["training"], epsilon=float(epsilon), accountant="rdp, histograms only")
        alone = replace(run, pretraining_epochs=0, sigma_histogram=None)
        same = in_proportion = None
        if noise := run.sigma_histogram:
            same, in_proportion = (each_batch(run, each, orders, delta) for each in (noise, noise * run.rate))
        rows.append(
            {
                "run": name,
                "dataset": settings["dataset"],
                "paper_epsilon": printed,
                "sigma": sigma,
                "delta": delta,
                # guarantees
                "epsilon": made["joint"],
                "epsilon_tight": made["joint_tight"],
                "epsilon_added": made["added"],
                # parts of the run, and the paper's reading
                "epsilon_training": made["training"],
                "epsilon_histogram": histogram,
                "epsilon_appendix_h": made["appendix_h"],
                # the alternative that the paper dismisses, with the same noise on a count, or the same in proportion
                "epsilon_each_batch": same,
                "epsilon_each_batch_in_proportion": in_proportion,
                "sigma_needed": calibrated_sigma(run, orders, delta, printed),
                "sigma_needed_training": calibrated_sigma(alone, orders, delta, printed),
                "difference_from_dp_accounting": check(run, orders),
                "stands_for": settings["dataset"],
                "protocol": "paper",
                "seeds": 0,
                "data": DATA,
            }
        )
    return rows


@command
def main(budget: dict, accounting: dict, table: Path, privacy: Path) -> None:
    """Write the table.

    budget: settings as the paper prints them, with its pairs of epsilon and sigma, by name. accounting: `orders` of
    that block of the configuration. table: the CSV to write. privacy: the meaning of its epsilons.
    """
    orders = rdp.order_grid(**accounting["orders"])
    rows = [row for name, settings in budget.items() for row in rows_of(name, settings, orders)]
    write_table(table, privacy, rows, key=("run", "paper_epsilon"))


if __name__ == "__main__":
    run(main)
