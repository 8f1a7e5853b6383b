"""Run a mechanism for real: draw the noise, release the labels, and keep the ledger of what was spent."""

import argparse

import numpy as np

from lib.accounting.ledger import Ledger
from lib.accounting.rdp import order_grid
from lib.accounting.readings import account_of
from lib.aggregation.interactive import REINFORCED, TEACHERS
from lib.aggregation.queries import MECHANISMS, noise_of, read_rounds, spent
from lib.core.files import load_arrays, save_arrays
from lib.core.provenance import MECHANISM, provenance
from lib.reporting.records import write_record
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    cli.add_noise_seed(parser)
    parser.add_argument("--votes", required=True, help="vote histograms of count_votes")
    parser.add_argument("--scores", help="the first round's student's probabilities, for an interactive run")
    parser.add_argument("--first-round", help="the first round's released labels, for an interactive run")
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
    orders = order_grid(**arguments.accounting["orders"])
    rounds, rows, fingerprint = read_rounds(arguments.votes, arguments.scores, arguments.teachers, run)
    votes, _, scores = rounds[-1]
    noise = noise_of(run, arguments.noise_seed, *arguments.job)
    labels, source = MECHANISMS[run["aggregator"]](votes, run, noise, scores)
    asked = len(labels)
    answered = int((source == TEACHERS).sum())
    ledger = spent(orders, votes[:asked], source, run, scores if scores is None else scores[:asked])
    if len(rounds) > 1:
        earlier = load_arrays(arguments.first_round, "source")["source"]
        first_votes, first_run, _ = rounds[0]
        first = spent(orders, first_votes[: len(earlier)], earlier, first_run)
        ledger = Ledger(orders, [*first.entries, *ledger.entries])
        answered += int((earlier == TEACHERS).sum())
    difference = ledger.check()
    # beside what was spent: what the run was expected to cost, and the bound that knows the check's chances; both of
    # all its queries, asked or not, since where it stopped depends on its answers
    account = account_of(orders, rounds, arguments.accounting["moments"])
    readings = {"expected": "epsilon", "joint": "epsilon_joint"}
    found = {name: account.readings[key] for name, key in readings.items() if key in account.readings}
    save_arrays(arguments.labels, labels=labels, source=source, rows=rows[:asked], fingerprint=np.array(fingerprint))
    write_record(
        arguments.record,
        **cli.identity(arguments),
        fingerprint=fingerprint,
        parameters=run | {"noise_seed": arguments.noise_seed},
        # what was asked and answered is part of the release
        metrics={
            "queries_made": asked + (len(earlier) if len(rounds) > 1 else 0),
            "queries_answered": answered,
            "queries_reinforced": int((source == REINFORCED).sum()),
            "ledger_difference": difference,
        },
        privacy=ledger.statements(run["delta"])
        | {name: reading.statement(orders, run["delta"])[0] for name, reading in found.items()},
        ledger=ledger.as_dict(),
        provenance=provenance(
            MECHANISM, filter(None, (arguments.votes, arguments.scores, arguments.first_round)), [arguments.labels]
        ),
    )


if __name__ == "__main__":
    cli.run(main)
