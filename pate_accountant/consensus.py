"""How the cost of answering depends on how far the teachers agree (Papernot et al. 2018, Figures 1 and 5)."""

import numpy as np

from pate_accountant import confident, gnmax, threshold

LOW_CONSENSUS = 50  # percent of the teachers: fewer than this are no consensus


def plurality_share(votes: np.ndarray) -> np.ndarray:
    """Share of the teachers that vote for the plurality, in percent; votes (n, m) -> (n,)."""
    return 100 * votes.max(axis=1) / votes.sum(axis=1)


def answer_chances(votes: np.ndarray, run: dict) -> np.ndarray:
    """Chance (n,) that a run answers each query of votes (n, m): 1 unless it is Confident-GNMax."""
    if run["aggregator"] != "confident_gnmax":
        return np.ones(len(votes))
    return np.exp(threshold.log_probabilities(votes.max(axis=1), run["threshold"], run["sigma_threshold"])[0])


def low_consensus_answered(votes: np.ndarray, run: dict) -> float:
    """Percent of the queries that a run answers, in expectation, on which there is no consensus."""
    chances = answer_chances(votes, run)
    return 100 * float(chances[plurality_share(votes) < LOW_CONSENSUS].sum() / chances.sum())


def low_consensus_passed(votes: np.ndarray, run: dict) -> float:
    """Percent of the queries without consensus that a run answers, in expectation; nan where there are none."""
    low = plurality_share(votes) < LOW_CONSENSUS
    return 100 * float(answer_chances(votes, run)[low].mean()) if low.any() else float("nan")


def histogram(votes: np.ndarray, weights: np.ndarray, bins: int) -> np.ndarray:
    """Weighted number of queries in `bins` equal bins of the plurality's share, 0 to 100 %; (bins,)."""
    return np.histogram(plurality_share(votes), bins=bins, range=(0, 100), weights=weights)[0]


def cost_by_share(votes: np.ndarray, sigma: float, order: float, bins: int) -> np.ndarray:
    """Mean Renyi cost at one order of one GNMax answer in each bin of the plurality's share; nan where it is empty."""
    cost = gnmax.rdp(np.array([order]), gnmax.log_error_bound(votes, sigma), sigma)[:, 0]
    count = histogram(votes, np.ones(len(votes)), bins)
    with np.errstate(invalid="ignore"):
        return np.where(count > 0, histogram(votes, cost, bins) / count, np.nan)


def part_of_epsilon(
    orders: np.ndarray, part: np.ndarray, rest: np.ndarray, delta: float, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Epsilon after the first `lengths` (p,) queries, and the part of it that one of two costs takes.

    part, rest: Renyi costs (n, k), such as those of selecting queries and of answering them. Epsilon is split in
    proportion to the two at its optimal order, the delta term included. Both of shape (p,).
    """
    this, other = (np.cumsum(costs, axis=0)[lengths - 1] for costs in (part, rest))
    epsilons = this + other + np.log(1 / delta) / (orders - 1)
    best = np.argmin(epsilons, axis=1)
    rows = np.arange(len(lengths))
    epsilon, own = epsilons[rows, best], this[rows, best]
    return epsilon, epsilon * own / (own + other[rows, best])


def selection_and_answers(
    orders: np.ndarray, votes: np.ndarray, run: dict, scores: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return expected Renyi costs (n, k) of selecting and answering queries with votes (n, m), as the paper reads.

    scores: probabilities (n, m) of the first round's student, for an interactive run.
    """
    total = confident.expected_rdp(orders, votes, run["threshold"], run["sigma_threshold"], run["sigma"], scores)
    statistic = threshold.statistic(votes, scores)
    selecting = threshold.rdp(orders, statistic, run["threshold"], run["sigma_threshold"])
    return selecting, total - selecting


def share_of_epsilon(orders: np.ndarray, part: np.ndarray, rest: np.ndarray, delta: float) -> tuple[float, float]:
    """Epsilon of two Renyi costs (k,) together, and the share of it that the first takes."""
    epsilon, own = part_of_epsilon(orders, part[None], rest[None], delta, np.array([1]))
    return float(epsilon[0]), float(own[0] / epsilon[0])
