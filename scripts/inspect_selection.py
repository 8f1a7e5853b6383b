"""What a run's noisy check selected, what selecting costs, and the labels it is compared with."""

import argparse

import numpy as np

from lib.accounting import confident, threshold
from lib.accounting.consensus import part_of_epsilon
from lib.accounting.rdp import epsilon_classic, order_grid
from lib.aggregation.interactive import TEACHERS
from lib.aggregation.queries import read_rounds
from lib.core.files import load_arrays, save_arrays
from lib.data.glyph_pool import open_any_pool
from lib.reporting.records import write_record
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--votes", required=True, help="vote histograms of count_votes")
    parser.add_argument("--teachers", type=int, required=True, help="number of teachers")
    parser.add_argument("--data", required=True, help="prepared dataset of the samples the votes are about")
    parser.add_argument("--split", required=True, help="split of split_data")
    parser.add_argument("--labels", nargs="+", required=True, help="released labels of aggregate, one a round")
    parser.add_argument("--scores", help="the first round's student's probabilities, for an interactive run")
    cli.add_json(parser, "--run", "the run's block of the configuration")
    cli.add_json(parser, "--accounting", "the accounting block of the configuration")
    parser.add_argument("--record", required=True, help="the record to write")
    parser.add_argument("--noiseless", required=True, help="the .npz of noiseless labels to write")
    return parser.parse_args(argv)


def costs(orders: np.ndarray, votes: np.ndarray, run: dict, scores: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Expected Renyi costs (n, k) of selecting and of answering, as the paper reads them."""
    total = confident.expected_rdp(orders, votes, run["threshold"], run["sigma_threshold"], run["sigma"], scores)
    statistic = threshold.statistic(votes, scores)
    selecting = threshold.rdp(orders, statistic, run["threshold"], run["sigma_threshold"])
    return selecting, total - selecting


def share_of_epsilon(orders: np.ndarray, part: np.ndarray, rest: np.ndarray, delta: float) -> tuple[float, float]:
    """Epsilon of two Renyi costs (k,) together, and the share of it that the first takes."""
    epsilon, own = part_of_epsilon(orders, part[None], rest[None], delta, np.array([1]))
    return float(epsilon[0]), float(own[0] / epsilon[0])


def main(argv: list[str] | None = None) -> None:
    """Write the record, all of it private, and as many noiseless labels as the teachers gave noisy ones.

    The noiseless labels are the plurality's, on the first queries of the pool: neither private nor selected.
    """
    arguments = parse_arguments(argv)
    run = arguments.run
    orders = order_grid(**arguments.accounting["orders"])
    rounds, _, fingerprint = read_rounds(arguments.votes, arguments.scores, arguments.teachers, run)
    totals = [[part.sum(axis=0) for part in costs(orders, *each)] for each in rounds]
    selecting, answering = (sum(parts) for parts in zip(*totals, strict=True))
    epsilon, selection = share_of_epsilon(orders, selecting, answering, run["delta"])
    alone, _ = epsilon_classic(orders, selecting, run["delta"])

    _, truth = open_any_pool(arguments.data, arguments.split).public()
    histograms = load_arrays(arguments.votes, "votes")["votes"]
    released = [load_arrays(path, "source", "rows") for path in arguments.labels]
    asked = np.concatenate([part["rows"] for part in released])
    answered = np.concatenate([part["source"] for part in released]) == TEACHERS
    correct = histograms[asked].argmax(axis=1) == truth[asked]
    taken = asked[: answered.sum()]
    save_arrays(
        arguments.noiseless,
        labels=histograms[taken].argmax(axis=1),
        source=np.full(len(taken), TEACHERS),
        rows=taken,
        fingerprint=np.array(fingerprint),
    )
    found = {
        "selection_share": selection,
        "selection_alone_share": alone / epsilon,
        "plurality_accuracy_answered": 100 * float(correct[answered].mean()),
    }
    if not answered.all():
        found["plurality_accuracy_unanswered"] = 100 * float(correct[~answered].mean())
    if len(rounds) > 1:
        _, found["first_round_share"] = share_of_epsilon(orders, sum(totals[0]), sum(totals[1]), run["delta"])
    write_record(
        arguments.record,
        **cli.identity(arguments),
        fingerprint=fingerprint,
        parameters=run,
        metrics={"queries_made": len(asked), "queries_answered": int(answered.sum())},
        private_metrics=found,
    )


if __name__ == "__main__":
    cli.run(main)
