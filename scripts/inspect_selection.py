"""Measure what a run's noisy check selected, what selecting costs, and the labels it is compared with."""

from pathlib import Path

import numpy as np

from lib.core import command
from lib.core.files import load_arrays, save_arrays
from lib.core.records import write_record
from lib.data.query_labels import query_labels
from lib.pate.interactive import TEACHERS
from lib.pate.queries import read_rounds
from pate_accountant.consensus import selection_and_answers, share_of_epsilon
from pate_accountant.rdp import epsilon_classic, order_grid


@command.command
def main(
    votes: Path,
    teachers: int,
    data: Path,
    labels: list[Path],
    run: dict,
    accounting: dict,
    job: command.Job,
    record: Path,
    noiseless: Path,
    split: Path | None = None,
    scores: Path | None = None,
) -> None:
    """Write the record, all of it private, and as many noiseless labels as the teachers gave noisy ones.

    The noiseless labels are the plurality's, on the first queries of the pool: neither private nor selected.

    votes: vote histograms of count_votes. teachers: number of teachers. data: prepared dataset of the samples the votes
    are about, or the votes' own where it has the labels. labels: released labels of aggregate, one file a round. run:
    the run's block of the configuration. accounting: that block of the configuration. record: the record to write.
    noiseless: the .npz of noiseless labels to write. split: split of split_data, where there are samples. scores: the
    first round's student's probabilities, for an interactive run.
    """
    orders = order_grid(**accounting["orders"])
    rounds, _, fingerprint = read_rounds(votes, scores, teachers, run)
    totals = [[part.sum(axis=0) for part in selection_and_answers(orders, *each)] for each in rounds]
    selecting, answering = (sum(parts) for parts in zip(*totals, strict=True))
    epsilon, selection = share_of_epsilon(orders, selecting, answering, run["delta"])
    alone, _ = epsilon_classic(orders, selecting, run["delta"])

    truth = query_labels(data, split)
    histograms = load_arrays(votes, "votes")["votes"]
    released = [load_arrays(path, "source", "rows") for path in labels]
    asked = np.concatenate([part["rows"] for part in released])
    answered = np.concatenate([part["source"] for part in released]) == TEACHERS
    correct = histograms[asked].argmax(axis=1) == truth[asked]
    taken = asked[: answered.sum()]
    save_arrays(
        noiseless,
        labels=histograms[taken].argmax(axis=1),
        source=np.full(len(taken), TEACHERS),
        rows=taken,
        fingerprint=np.array(fingerprint),
    )
    found = {
        "selection_share": selection,
        "selection_alone_share": alone / epsilon,
    }
    if answered.any():
        found["plurality_accuracy_answered"] = 100 * float(correct[answered].mean())
    if not answered.all():
        found["plurality_accuracy_unanswered"] = 100 * float(correct[~answered].mean())
    if len(rounds) > 1:
        _, found["first_round_share"] = share_of_epsilon(orders, sum(totals[0]), sum(totals[1]), run["delta"])
    write_record(
        record,
        **job.identity(),
        fingerprint=fingerprint,
        parameters=run,
        metrics={"queries_made": len(asked), "queries_answered": int(answered.sum())},
        private_metrics=found,
    )


if __name__ == "__main__":
    command.run(main)
