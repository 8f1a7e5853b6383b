"""Account for a run before it is made: every reading of its epsilon, and how it grows with the queries."""

import argparse

import numpy as np

from lib.accounting.rdp import at_grid_edge, order_grid
from lib.accounting.readings import account_of
from lib.aggregation.queries import read_rounds
from lib.core.files import save_arrays
from lib.reporting.records import write_record
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--votes", required=True, help="vote histograms of count_votes")
    parser.add_argument("--scores", help="the first round's student's probabilities, for an interactive run")
    parser.add_argument("--teachers", type=int, required=True, help="number of teachers")
    cli.add_json(parser, "--run", "the run's block of the configuration")
    cli.add_json(parser, "--accounting", "the accounting block of the configuration")
    parser.add_argument("--record", required=True, help="the record to write")
    parser.add_argument("--curve", required=True, help="the .npz of epsilon against queries to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the record and the curve."""
    arguments = parse_arguments(argv)
    run, settings = arguments.run, arguments.accounting
    rounds, _, fingerprint = read_rounds(arguments.votes, arguments.scores, arguments.teachers, run)
    orders = order_grid(**settings["orders"])
    account = account_of(orders, rounds, settings["moments"])
    asked = len(account.answered)

    privacy, found = dict(account.extra), {}
    if account.caps:
        privacy["epsilon_caps"], _ = account.caps.statement(orders, run["delta"])
    for name, reading in account.readings.items():
        privacy[name], found[f"order_{name}"] = reading.statement(orders, run["delta"])
    privacy["epsilon_tight"], _ = account.readings["epsilon"].statement(orders, run["delta"], "tight")
    write_record(
        arguments.record,
        **cli.identity(arguments),
        fingerprint=fingerprint,
        parameters=run,
        metrics={"queries_made": asked},
        private_metrics=found
        | {
            "queries_answered": float(account.answered.sum()),
            "order_at_grid_edge": float(at_grid_edge(orders, found["order_epsilon"])),
        },
        privacy=privacy,
    )

    lengths = np.unique(np.linspace(1, asked, settings["curve_points"]).round().astype(int))
    columns = {"queries": lengths, "answered": np.cumsum(account.answered)[lengths - 1]}
    for name in ("epsilon", "epsilon_data_independent"):
        columns[name] = account.readings[name].curve(orders, run["delta"], lengths)
    save_arrays(arguments.curve, **columns)


if __name__ == "__main__":
    cli.run(main)
