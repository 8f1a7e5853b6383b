"""Run a mechanism for real: draw the noise, release the labels, and keep the ledger of what was spent."""

import argparse

import numpy as np

from lib.accounting.rdp import order_grid
from lib.aggregation.confident import NO_ANSWER
from lib.aggregation.queries import MECHANISMS, read_queries
from lib.files import save_arrays
from lib.records import write_record
from lib.seeding import generator
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--votes", required=True, help="vote histograms of count_votes")
    parser.add_argument("--teachers", type=int, required=True, help="number of teachers")
    cli.add_json(parser, "--run", "the run's block of the configuration")
    cli.add_json(parser, "--accounting", "the accounting block of the configuration")
    parser.add_argument("--record", required=True, help="the record to write")
    parser.add_argument("--labels", required=True, help="the .npz of released labels to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the labels with the rows of the pool they belong to, and the record with the checked ledger."""
    arguments = parse_arguments(argv)
    run = arguments.run
    votes, rows, fingerprint = read_queries(arguments.votes, arguments.teachers, run["queries"])
    aggregate, book = MECHANISMS[run["aggregator"]]
    labels = aggregate(votes, run, generator(arguments.seed, *arguments.job))
    ledger = book(order_grid(**arguments.accounting["orders"]), votes, labels, run)
    difference = ledger.check()
    answered = labels != NO_ANSWER
    save_arrays(arguments.labels, labels=labels, rows=rows[: len(labels)], fingerprint=np.array(fingerprint))
    write_record(
        arguments.record,
        job=arguments.job,
        preset=arguments.preset,
        seed=arguments.seed,
        dataset=arguments.dataset,
        fingerprint=fingerprint,
        parameters=run,
        # what was asked and answered is part of the release
        metrics={
            "queries_made": len(labels),
            "queries_answered": int(answered.sum()),
            "ledger_difference": difference,
        },
        privacy=ledger.statements(run["delta"]),
        ledger=ledger.as_dict(),
    )


if __name__ == "__main__":
    cli.run(main)
