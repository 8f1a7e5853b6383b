"""Account for a run before it is made: every reading of its epsilon, and how it grows with the queries."""

from pathlib import Path

import numpy as np

from lib.core import command
from lib.core.files import save_arrays
from lib.core.records import write_record
from lib.pate.aggregators import account_of
from lib.pate.queries import read_rounds
from pate_accountant.advanced_composition import advanced_composition
from pate_accountant.rdp import at_grid_edge, order_grid
from pate_accountant.statement import added


@command.command
def main(
    votes: Path,
    teachers: int,
    run: dict,
    accounting: dict,
    job: command.Job,
    record: Path,
    curve: Path,
    scores: Path | None = None,
) -> None:
    """Write the record and the curve.

    votes: vote histograms of count_votes. teachers: number of teachers. run: the mechanism of the run, from its block
    of the configuration. accounting: that block of the configuration. record: the record to write. curve: the .npz of
    epsilon against queries to write. scores: the first round's student's probabilities, for an interactive run.
    """
    rounds, _, fingerprint = read_rounds(votes, scores, teachers, run)
    orders = order_grid(**accounting["orders"])
    account = account_of(orders, rounds, accounting["moments"])
    asked = len(account.answered)

    privacy, found = dict(account.extra), {}
    if account.caps:
        privacy["epsilon_caps"], _ = account.caps.statement(orders, run["delta"])
    if by_theorem := advanced_composition([(block, len(counts)) for counts, block, _ in rounds]):
        privacy["epsilon_advanced_composition"] = by_theorem
    for name, reading in account.readings.items():
        privacy[name], found[f"order_{name}"] = reading.statement(orders, run["delta"])
    privacy["epsilon_tight"], _ = account.readings["epsilon"].statement(orders, run["delta"], "tight")
    if len(rounds) > 1:
        accounts = [account_of(orders, [each], accounting["moments"]) for each in rounds]
        alone = [
            made.readings["epsilon"].statement(orders, block["delta"])[0]
            for made, (_, block, _) in zip(accounts, rounds, strict=True)
        ]
        privacy["epsilon_first_round"], privacy["epsilon_last_round"] = alone
        privacy["epsilon_rounds_added"] = added(alone)
    write_record(
        record,
        **job.identity(),
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

    lengths = np.unique(np.linspace(1, asked, accounting["curve_points"]).round().astype(int))
    columns = {"queries": lengths, "answered": np.cumsum(account.answered)[lengths - 1]}
    for name in ("epsilon", "epsilon_data_independent"):
        columns[name] = account.readings[name].curve(orders, run["delta"], lengths)
    save_arrays(curve, **columns)


if __name__ == "__main__":
    command.run(main)
