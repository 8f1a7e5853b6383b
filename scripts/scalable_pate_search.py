"""A search by order of magnitude for the parameters of Confident-GNMax, around those of a run.

The search looks at the votes as often as it has points, and what that costs is NOT accounted for: neither here nor in
the paper, whose parameters were found in the same way. Every epsilon in its table says so.
"""

import argparse
from itertools import product

import numpy as np

from lib.accounting import gnmax, threshold
from lib.accounting.rdp import order_grid
from lib.accounting.readings import Reading
from lib.aggregation.queries import read_queries
from lib.data.glyph_pool import open_any_pool
from lib.reporting.tables import write_table
from scripts import cli

UNACCOUNTED = "the search itself, which looked at the votes"
LESS_ACCURATE = 1.0  # percentage points that the chosen labels may be worse than those of the run


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line; the three lists of files have one entry a run."""
    parser = argparse.ArgumentParser(description=__doc__)
    cli.add_json(parser, "--runs", "a list of runs, each with its name and its ensemble's block under ensemble")
    parser.add_argument("--votes", nargs="+", required=True, help="vote histograms of count_votes")
    parser.add_argument("--data", nargs="+", required=True, help="prepared samples that the votes are about")
    parser.add_argument("--splits", nargs="+", required=True, help="splits of these samples")
    cli.add_json(parser, "--search", "the search's block: factors of each parameter")
    cli.add_json(parser, "--accounting", "the accounting block of the configuration")
    parser.add_argument("--output", required=True, help="the run and the chosen point of each grid, .csv")
    parser.add_argument("--privacy", required=True, help="the meaning of their epsilons, .csv")
    parser.add_argument("--grid", required=True, help="every point, .csv")
    parser.add_argument("--grid-privacy", required=True, help="the meaning of their epsilons, .csv")
    return parser.parse_args(argv)


def search(run: dict, path: str, truth: np.ndarray, factors: dict, orders: np.ndarray) -> tuple[list[dict], str]:
    """One row a point of the grid, and the fingerprint of the votes' dataset.

    Epsilon is where the run's own expected number of answers is reached, if it is. truth: labels of the public pool.
    The accuracy is the expected share of right plurality answers among the answered
    queries, in percent, times the chance that the noise leaves the plurality in place (bounded from below by 1 - q).
    """
    votes, rows, fingerprint = read_queries(path, run["ensemble"]["teachers"], run)
    correct = votes.argmax(axis=1) == truth[rows]
    top = votes.max(axis=1)
    own = np.exp(threshold.log_probabilities(top, run["threshold"], run["sigma_threshold"])[0])
    wanted = own.sum()
    answers = {}
    for factor in factors["sigma"]:
        sigma = run["sigma"] * factor
        log_q = gnmax.log_error_bound(votes, sigma)
        answers[factor] = gnmax.rdp(orders, log_q, sigma), 1 - np.minimum(np.exp(log_q), 1.0)
    found = []
    for of_threshold, of_check in product(factors["threshold"], factors["sigma_threshold"]):
        limit, noise = run["threshold"] * of_threshold, run["sigma_threshold"] * of_check
        chances = np.exp(threshold.log_probabilities(top, limit, noise)[0])
        reached = np.searchsorted(np.cumsum(chances), wanted * (1 - 1e-12)) + 1
        checks = threshold.rdp(orders, top, limit, noise)
        for of_sigma, (answer, kept) in answers.items():
            point = {"threshold": limit, "sigma_threshold": noise, "sigma": run["sigma"] * of_sigma}
            asked = min(int(reached), len(votes))
            weights = chances[:asked]
            right = float(weights @ (correct[:asked] * kept[:asked]) / weights.sum())
            point |= {"queries_made": asked, "queries_answered": float(weights.sum()), "label_accuracy": 100 * right}
            point["epsilon"] = None
            if reached <= len(votes):
                costs = checks[:asked].sum(axis=0) + weights @ answer[:asked]
                # as the paper reads it; and with the search in it, it would be no guarantee in any case
                reading = Reading(costs[None], data_dependent=True, one_sided=True, guarantee=False)
                point["epsilon"], _ = reading.statement(orders, run["delta"])
            own_point = of_threshold == of_check == of_sigma == 1.0
            found.append(point | {"is_the_run": own_point, "chosen": False})
    return found, fingerprint


def choose(points: list[dict]) -> None:
    """Mark the point of least epsilon among those that reach the answers and are accurate enough."""
    least = next(point["label_accuracy"] for point in points if point["is_the_run"]) - LESS_ACCURATE
    fit = [point for point in points if point["epsilon"] is not None and point["label_accuracy"] >= least]
    min(fit, key=lambda point: point["epsilon"].epsilon)["chosen"] = True


def main(argv: list[str] | None = None) -> None:
    """Write every point of every run's grid, and the two that matter."""
    arguments = parse_arguments(argv)
    orders = order_grid(**arguments.accounting["orders"])
    rows = []
    for run, path, data, split in zip(arguments.runs, arguments.votes, arguments.data, arguments.splits, strict=True):
        _, truth = open_any_pool(data, split).public()
        points, fingerprint = search(run, path, truth, arguments.search, orders)
        choose(points)
        for point in points:
            ensemble = run["ensemble"]
            about = {"dataset": ensemble["label"], "run": run["name"]}
            more = {"stands_for": ensemble.get("stands_for", ensemble["label"]), "protocol": ensemble["protocol"]}
            more |= {"data": f"{ensemble['dataset']} ({fingerprint[:12]})", "sanitized": False}
            rows.append(about | point | {"delta": run["delta"], "unaccounted": UNACCOUNTED} | more)
    key = ("dataset", "run", "threshold", "sigma_threshold", "sigma")
    write_table(arguments.grid, arguments.grid_privacy, rows, key)
    short = [row for row in rows if row["is_the_run"] or row["chosen"]]
    write_table(arguments.output, arguments.privacy, short, key)


if __name__ == "__main__":
    cli.run(main)
