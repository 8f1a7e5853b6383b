"""Release a data-dependent epsilon: smooth sensitivity, noise, and what the release itself costs."""

from pathlib import Path

from lib.core import command
from lib.core.provenance import MECHANISM, provenance
from lib.core.records import write_record
from lib.core.seeding import noise_generator
from lib.pate.queries import read_queries
from pate_accountant.rdp import order_grid
from pate_accountant.released_epsilon import release_epsilon


@command.command
def main(
    votes: Path,
    teachers: int,
    run: dict,
    accounting: dict,
    sanitize: dict,
    job: command.Job,
    record: Path,
    noise_seed: int | None = None,
) -> None:
    """Write the record: the paper's release, the same with its exact cost, and one fixed before seeing the votes.

    votes: vote histograms of count_votes. teachers: number of teachers. run: the run's block of the configuration, of
    confident_gnmax. accounting: that block of the configuration. sanitize: that block of the configuration. record: the
    record to write. noise_seed: seed of the privacy noise; left out, the system's entropy.
    """
    histograms, _, fingerprint = read_queries(votes, teachers, run)
    orders = order_grid(**accounting["orders"])
    rng = noise_generator(noise_seed, *job.job)
    released = release_epsilon(orders, histograms, teachers, run, accounting["moments"], sanitize, rng)
    write_record(
        record,
        **job.identity(),
        fingerprint=fingerprint,
        parameters=run | {"sanitize": sanitize, "noise_seed": noise_seed},
        metrics={"queries_made": len(histograms)},
        private_metrics=released.numbers,
        privacy=released.privacy,
        # of what may be published: the paper's searched releases are comparisons and are not drawn
        ledger=released.ledger,
        provenance=provenance(MECHANISM, [votes], []),
    )


if __name__ == "__main__":
    command.run(main)
