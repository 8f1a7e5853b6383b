"""Compute what DP-SGD costs at the settings printed with residual perturbation, and the rate of its printed budget."""

from pathlib import Path

import numpy as np

from lib.core.command import command, run
from lib.reporting.tables import write_table
from lib.training.sampling_rate import sampling_rate
from pate_accountant import rdp
from pate_accountant.run_statements import statements
from pate_accountant.training_run import TrainingRun, check

DATA = "none: accounting only"


def row_of(run: dict, settings: dict, orders: np.ndarray) -> dict:
    """One row: a number of samples and of epochs, at the printed noise, with a batch of the printed micro-batches."""
    sigma, delta = settings["sigma"], settings["delta"]
    # a step releases one vector, the clipped sum of gradients: a run of one layer for the accountant
    charged = TrainingRun(samples=run["samples"], batch=settings["batch"], epochs=run["epochs"], sigma=sigma)
    made = statements(charged, orders, delta)
    needed = sampling_rate(run["published"], sigma, run["epochs"], orders, delta)
    return {
        "dataset": run["dataset"],
        "method": "DP-SGD",
        "samples": run["samples"],
        "batch": settings["batch"],
        "epochs": run["epochs"],
        "sigma": sigma,
        "epsilon": made["joint"],
        "epsilon_tight": made["joint_tight"],
        "delta": delta,
        "paper_epsilon": run["published"],
        "rate": charged.rate,
        "rate_needed": needed,
        "batch_needed": needed * run["samples"],
        "difference_from_dp_accounting": check(charged, orders),
        "stands_for": run["dataset"],
        "protocol": "paper",
        "seeds": 0,
        "data": DATA,
    }


@command
def main(settings: dict, table: Path, privacy: Path) -> None:
    """Write the table.

    settings: the block `dp_sgd`: delta, sigma, batch, orders, runs. table: the .csv to write. privacy: the .csv of what
    its epsilons mean to write.
    """
    orders = rdp.order_grid(**settings["orders"])
    rows = [row_of(printed, settings, orders) for printed in settings["runs"]]
    write_table(table, privacy, rows, key=("dataset", "samples", "epochs"))


if __name__ == "__main__":
    run(main)
