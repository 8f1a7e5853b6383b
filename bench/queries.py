"""Measure by how much the choice of queries moves the students on Adult: writes bench/queries.csv.

    snakemake --cores 2 --configfile presets/real.yaml --config data_root=DIR -- scalable_pate_table1
    python -m bench.queries results/real

The paper does not say which rows of the votes it asked; the workflow asks the first ones. Here students learn from
those, and as many from rows drawn at random, with other noise each time. Claims leave at most twice `choice` open.
"""

import argparse
import math
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from lib.core.code_inputs import ROOT
from lib.core.files import atomic_path
from lib.data.pools import open_pool
from lib.models.classifiers import make_classifier
from lib.pate.aggregators import AGGREGATORS
from lib.pate.classification import accuracy
from lib.pate.confident import NO_ANSWER
from lib.pate.queries import read_queries

TABLE = ROOT / "bench" / "queries.csv"
RUNS = ("adult_lnmax", "adult_confident")


def catalogue(name: str) -> dict:
    """Return a block of the catalogue."""
    return yaml.safe_load((ROOT / "catalogue" / f"{name}.yaml").read_text("utf-8"))


def spread(fixed: np.ndarray, drawn: np.ndarray) -> dict[str, float]:
    """Return the standard deviation of a number with the first queries, with others, and by the choice alone."""
    first, random = fixed.std(ddof=1), drawn.std(ddof=1)
    return {"first": first, "random": random, "choice": math.sqrt(max(random**2 - first**2, 0))}


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the folder of a preset's results")
    parser.add_argument("--draws", type=int, default=150, help="of each (default: 150)")
    parser.add_argument("--table", type=Path, default=TABLE, help="the .csv to write")
    chosen = parser.parse_args()
    private = chosen.results / "private"
    pool = open_pool(private / "data" / "adult.npz", private / "splits" / "adult" / "1.npz")
    (public, _), test = pool.public(), pool.test()
    runs = {name: catalogue("scalable_pate_runs")["scalable_pate"]["runs"][name] for name in RUNS}
    everything = {"queries": len(public)}
    votes, _, _ = read_queries(private / "votes" / "adult" / "0.npz", 250, runs[RUNS[0]] | everything)
    model, rng = catalogue("models")["models"]["random_forest"], np.random.default_rng(2018)

    def students(order: np.ndarray, seed: int) -> list[float]:
        """Accuracies of LNMax's student, Confident-GNMax's, and one of as many labels without noise or selection."""
        found = []
        for run in runs.values():
            asked = order[: run["queries"]]
            labels, _ = AGGREGATORS[run["aggregator"]].answers(votes[asked], run, rng, None)
            kept = labels != NO_ANSWER
            found.append((asked[: len(labels)][kept], labels[kept]))
        rows = order[: len(found[-1][0])]
        found.append((rows, votes[rows].argmax(axis=1)))
        return [accuracy(make_classifier(model, seed), public[rows], given, *test) for rows, given in found]

    first = np.array([students(np.arange(len(public)), seed) for seed in range(chosen.draws)])
    random = np.array([students(rng.permutation(len(public)), seed) for seed in range(chosen.draws)])
    apart = {"o03a": (1, 0), "o10": (1, 2)}  # whose difference each claim is about
    rows = [
        {"claim": claim, "draws": chosen.draws, "mean_random": (random[:, a] - random[:, b]).mean()}
        | spread(first[:, a] - first[:, b], random[:, a] - random[:, b])
        for claim, (a, b) in apart.items()
    ]
    with atomic_path(chosen.table) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.3g")


if __name__ == "__main__":
    main()
