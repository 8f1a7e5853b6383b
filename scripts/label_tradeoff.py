"""Epsilon and label accuracy of LNMax and GNMax at several noise scales, on one ensemble's votes."""

import argparse

import numpy as np
import pandas as pd

from lib.accounting.rdp import order_grid
from lib.accounting.readings import ACCOUNTS
from lib.aggregation.queries import MECHANISMS, read_queries
from lib.core.files import atomic_path, load_arrays
from lib.core.seeding import generator
from lib.reporting.spread import mean_and_spread
from scripts import cli

NOISE = {"lnmax": "laplace_scale", "gnmax": "sigma"}


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--votes", required=True, help="vote histograms of count_votes, with true labels")
    parser.add_argument("--teachers", type=int, required=True, help="number of teachers")
    parser.add_argument("--repetitions", type=int, required=True, help="draws of the noise")
    cli.add_json(parser, "--tradeoff", "queries, delta, and the noise scales of each mechanism")
    cli.add_json(parser, "--accounting", "the accounting block of the configuration")
    parser.add_argument("--output", required=True, help="the table to write, .csv")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write one row a mechanism and scale: epsilon with its meaning, and the accuracy of the labels in percent."""
    arguments = parse_arguments(argv)
    settings = arguments.tradeoff
    orders = order_grid(**arguments.accounting["orders"])
    rows = []
    for aggregator, parameter in NOISE.items():
        for scale in settings[parameter]:
            run = {"queries": settings["queries"], "delta": settings["delta"], parameter: scale}
            votes, asked, fingerprint = read_queries(arguments.votes, arguments.teachers, run)
            truth = load_arrays(arguments.votes, "labels")["labels"][asked]
            account = ACCOUNTS[aggregator](orders, votes, run, arguments.accounting["moments"])
            made, order = account.readings["epsilon"].statement(orders, run["delta"])
            accuracies = []
            for repetition in range(arguments.repetitions):
                rng = generator(arguments.seed, *arguments.job, aggregator, str(scale), str(repetition))
                labels, _ = MECHANISMS[aggregator](votes, run, rng, None)
                accuracies.append(100 * float(np.mean(labels == truth)))
            accuracy, spread = mean_and_spread(accuracies)
            rows.append(
                {"teachers": arguments.teachers, "aggregator": aggregator, "scale": scale, "queries": len(votes)}
                | made.as_dict()
                | {"order": order, "label_accuracy": accuracy, "label_accuracy_spread": spread}
                | {"plurality_accuracy": 100 * float(np.mean(votes.argmax(axis=1) == truth))}
                | {"seeds": arguments.repetitions, "data": f"{arguments.dataset} ({fingerprint[:12]})"}
            )
    with atomic_path(arguments.output) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    cli.run(main)
