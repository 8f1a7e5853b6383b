"""Epsilon and label accuracy of LNMax and GNMax at several noise scales, on one ensemble's votes."""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import Job, command, run
from lib.core.files import load_arrays
from lib.core.seeding import generator
from lib.pate.aggregators import AGGREGATORS
from lib.pate.queries import read_queries
from lib.reporting.spread import mean_and_spread
from lib.reporting.tables import write_numbers
from pate_accountant.rdp import order_grid

NOISE = {"lnmax": "laplace_scale", "gnmax": "sigma"}


@command
def main(votes: Path, teachers: int, tradeoff: dict, accounting: dict, repetitions: int, job: Job, table: Path) -> None:
    """Write one row a mechanism and scale: epsilon with its meaning, and the accuracy of the labels in percent.

    votes: vote histograms of count_votes, with true labels. teachers: number of teachers. tradeoff: queries, delta, and
    the noise scales of each mechanism. accounting: that block of the configuration. repetitions: draws of the noise.
    table: the table to write, .csv.
    """
    orders = order_grid(**accounting["orders"])
    rows = []
    for aggregator, parameter in NOISE.items():
        for scale in tradeoff[parameter]:
            settings = {"queries": tradeoff["queries"], "delta": tradeoff["delta"], parameter: scale}
            histograms, asked, fingerprint = read_queries(votes, teachers, settings)
            truth = load_arrays(votes, "labels")["labels"][asked]
            account = AGGREGATORS[aggregator].continuous.account(orders, histograms, settings, accounting["moments"])
            made, order = account.readings["epsilon"].statement(orders, settings["delta"])
            accuracies = []
            for repetition in range(repetitions):
                rng = generator(job.seed, *job.job, aggregator, str(scale), str(repetition))
                labels, _ = AGGREGATORS[aggregator].answers(histograms, settings, rng, None)
                accuracies.append(100 * float(np.mean(labels == truth)))
            accuracy, spread = mean_and_spread(accuracies)
            rows.append(
                {"teachers": teachers, "aggregator": aggregator, "scale": scale, "queries": len(histograms)}
                | made.as_dict()
                | {"order": order, "label_accuracy": accuracy, "label_accuracy_spread": spread}
                | {"plurality_accuracy": 100 * float(np.mean(histograms.argmax(axis=1) == truth))}
                | {"seeds": repetitions, "data": f"{job.dataset} ({fingerprint[:12]})"}
            )
    write_numbers(table, pd.DataFrame(rows))


if __name__ == "__main__":
    run(main)
