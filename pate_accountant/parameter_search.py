"""A search by order of magnitude for the parameters of Confident-GNMax, around those of a run.

The search looks at the votes as often as it has points, and what that costs is NOT accounted for: neither here nor in
the paper, whose parameters were found in the same way.
"""

from itertools import product

import numpy as np

from pate_accountant import gnmax, threshold
from pate_accountant.readings import Reading

LESS_ACCURATE = 1.0  # percentage points that the chosen labels may be worse than those of the run


def search(run: dict, votes: np.ndarray, truth: np.ndarray, factors: dict, orders: np.ndarray) -> list[dict]:
    """One row a point of the grid; votes (n, m), their true labels (n,).

    factors: what each parameter of the run is multiplied by. Epsilon is where the run's own expected number of answers
    is reached, if it is. The accuracy is the expected share of right plurality answers among the answered queries, in
    percent, times the chance that the noise leaves the plurality in place (bounded from below by 1 - q).
    """
    correct = votes.argmax(axis=1) == truth
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
                reading = Reading(costs[None], data_dependent=True, one_sided=True, proved_bound=False)
                point["epsilon"], _ = reading.statement(orders, run["delta"])
            own_point = of_threshold == of_check == of_sigma == 1.0
            found.append(point | {"is_the_run": own_point, "chosen": False})
    return found


def choose(points: list[dict]) -> None:
    """Mark the point of least epsilon among those that reach the answers and are accurate enough."""
    least = next(point["label_accuracy"] for point in points if point["is_the_run"]) - LESS_ACCURATE
    fit = [point for point in points if point["epsilon"] is not None and point["label_accuracy"] >= least]
    min(fit, key=lambda point: point["epsilon"].epsilon)["chosen"] = True
