"""Run a mechanism for real: draw the noise, release the labels, and keep the ledger of what was spent."""

from pathlib import Path

import numpy as np

from lib.core import command
from lib.core.files import load_arrays, save_arrays
from lib.core.provenance import MECHANISM, provenance
from lib.core.records import write_record
from lib.pate.aggregators import AGGREGATORS, account_of, noise_of, spent
from lib.pate.interactive import REINFORCED, TEACHERS
from lib.pate.queries import published_labels, read_rounds
from pate_accountant.ledger import Ledger
from pate_accountant.ledger_statements import ledger_statements
from pate_accountant.rdp import order_grid


@command.command
def main(
    votes: Path,
    teachers: int,
    run: dict,
    accounting: dict,
    job: command.Job,
    record: Path,
    labels: Path,
    noise_seed: int | None = None,
    scores: Path | None = None,
    first_round: Path | None = None,
) -> None:
    """Write the labels with the rows of the pool they belong to, and the record with the checked ledger.

    votes: vote histograms of count_votes. teachers: number of teachers. run: the mechanism of the run, from its block
    of the configuration. accounting: that block of the configuration. record: the record to write. labels: the .npz of
    released labels to write. noise_seed: seed of the privacy noise; left out, the system's entropy. scores: the first
    round's student's probabilities, for an interactive run. first_round: the first round's released labels, for one.
    """
    orders = order_grid(**accounting["orders"])
    rounds, rows, fingerprint = read_rounds(votes, scores, teachers, run)
    histograms, _, known = rounds[-1]
    noise = noise_of(run, noise_seed, *job.job)
    released, source = AGGREGATORS[run["aggregator"]].answers(histograms, run, noise, known)
    if run.get("labels") == "published":  # drawn by whoever published them, and charged as a draw of this run
        released = published_labels(votes, rows, histograms.shape[1])
    asked = len(released)
    answered = int((source == TEACHERS).sum())
    ledger = spent(orders, histograms[:asked], source, run, known if known is None else known[:asked])
    if len(rounds) > 1:
        assert first_round is not None
        earlier = load_arrays(first_round, "source")["source"]
        first_votes, first_run, _ = rounds[0]
        first = spent(orders, first_votes[: len(earlier)], earlier, first_run)
        ledger = Ledger(orders, [*first.entries, *ledger.entries])
        answered += int((earlier == TEACHERS).sum())
    difference = ledger.check()
    # beside what was spent: what the run was expected to cost, and the bound that knows the check's chances; both of
    # all its queries, asked or not, since where it stopped depends on its answers
    account = account_of(orders, rounds, accounting["moments"])
    readings = {"expected": "epsilon", "joint": "epsilon_joint"}
    found = {name: account.readings[key] for name, key in readings.items() if key in account.readings}
    save_arrays(labels, labels=released, source=source, rows=rows[:asked], fingerprint=np.array(fingerprint))
    write_record(
        record,
        **job.identity(),
        fingerprint=fingerprint,
        parameters=run | {"noise_seed": noise_seed},
        # what was asked and answered is part of the release
        metrics={
            "queries_made": asked + (len(earlier) if len(rounds) > 1 else 0),
            "queries_answered": answered,
            "queries_reinforced": int((source == REINFORCED).sum()),
            "ledger_difference": difference,
        },
        privacy=ledger_statements(ledger, run["delta"])
        | {name: reading.statement(orders, run["delta"])[0] for name, reading in found.items()},
        ledger=ledger.as_dict(),
        provenance=provenance(MECHANISM, filter(None, (votes, scores, first_round)), [labels]),
    )


if __name__ == "__main__":
    command.run(main)
