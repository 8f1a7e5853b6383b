"""What DP-SGD costs at the settings printed with residual perturbation, and the rate that its printed budget takes."""

import argparse

import numpy as np

from lib.accounting import rdp
from lib.accounting.training_run import TrainingRun, check, statements
from lib.dp_sgd.sampling_rate import sampling_rate
from lib.reporting.tables import write_table
from scripts import cli

DATA = "none: accounting only"


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    cli.add_json(parser, "--settings", "the block dp_sgd: delta, sigma, batch, orders, runs")
    parser.add_argument("--output", required=True, help="the table, .csv")
    parser.add_argument("--privacy", required=True, help="the meaning of its epsilons, .csv")
    return parser.parse_args(argv)


def row_of(run: dict, settings: dict, orders: np.ndarray) -> dict:
    """One row: a number of samples and of epochs, at the printed noise and batch."""
    sigma, delta = settings["sigma"], settings["delta"]
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


def main(argv: list[str] | None = None) -> None:
    """Write the table."""
    arguments = parse_arguments(argv)
    orders = rdp.order_grid(**arguments.settings["orders"])
    rows = [row_of(run, arguments.settings, orders) for run in arguments.settings["runs"]]
    write_table(arguments.output, arguments.privacy, rows, key=("dataset", "samples", "epochs"))


if __name__ == "__main__":
    cli.run(main)
