"""The ensembles behind the votes: how good a teacher is alone, how far they agree, and how good they are together."""

import argparse

import numpy as np
import pandas as pd

from lib.accounting.consensus import histogram, plurality_share
from lib.accounting.votes import check_votes
from lib.core.files import atomic_path, load_arrays
from lib.data.glyph_pool import open_any_pool
from lib.reporting.spread import mean_and_spread
from scripts import cli

BINS = 10


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line; the three lists of files have one entry a set of votes."""
    parser = argparse.ArgumentParser(description=__doc__)
    cli.add_json(parser, "--ensembles", "the block of the ensemble of each file, with its name")
    parser.add_argument("--votes", nargs="+", required=True, help="vote histograms of count_votes")
    parser.add_argument("--data", nargs="+", required=True, help="prepared samples that the votes are about")
    parser.add_argument("--splits", nargs="+", required=True, help="splits of these samples")
    parser.add_argument("--output", required=True, help="the table, .csv")
    return parser.parse_args(argv)


def measure(ensemble: dict, votes_path: str, data: str, split: str) -> tuple[dict[str, float], str]:
    """What one set of votes shows, in percent, and the fingerprint of their dataset.

    Labels are those that the public samples carry, wrong ones included.
    """
    arrays = load_arrays(votes_path, "votes", "fingerprint")
    votes = check_votes(arrays["votes"], ensemble["teachers"], votes_path)
    _, truth = open_any_pool(data, split).public()
    votes = votes[: len(truth)]
    measured = {
        "queries": len(votes),
        "teacher_accuracy": 100 * float(votes[np.arange(len(votes)), truth].mean() / ensemble["teachers"]),
        "plurality_accuracy": 100 * float((votes.argmax(axis=1) == truth).mean()),
        "mean_agreement": float(plurality_share(votes).mean()),
    }
    shares = 100 * histogram(votes, np.ones(len(votes)), BINS) / len(votes)
    names = [f"agreement_{100 * i // BINS}_to_{100 * (i + 1) // BINS}" for i in range(BINS)]
    return measured | dict(zip(names, map(float, shares), strict=True)), str(arrays["fingerprint"])


def main(argv: list[str] | None = None) -> None:
    """Write one row an ensemble, with mean and spread over its draws; none of it is sanitised."""
    arguments = parse_arguments(argv)
    found: dict[str, list[dict]] = {}
    blocks = {}
    paths = (arguments.votes, arguments.data, arguments.splits)
    for ensemble, *files in zip(arguments.ensembles, *paths, strict=True):
        measured, fingerprint = measure(ensemble, *files)
        found.setdefault(ensemble["name"], []).append(measured)
        blocks[ensemble["name"]] = ensemble | {"data": f"{ensemble['dataset']} ({fingerprint[:12]})"}
    rows = []
    for name, draws in found.items():
        ensemble = blocks[name]
        row = {"dataset": ensemble["label"], "ensemble": name, "teachers": ensemble["teachers"]}
        row |= {"samples_per_teacher": ensemble["private"] // ensemble["teachers"]}
        for column in draws[0]:
            row[column], spread = mean_and_spread([draw[column] for draw in draws])
            if column.endswith("_accuracy"):
                row[f"{column}_spread"] = spread
        about = {"protocol": ensemble["protocol"], "stands_for": ensemble.get("stands_for", ensemble["label"])}
        rows.append(row | {"seeds": len(draws), "sanitized": False, "data": ensemble["data"]} | about)
    with atomic_path(arguments.output) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    cli.run(main)
