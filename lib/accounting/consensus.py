"""How the cost of answering depends on how far the teachers agree (Papernot et al. 2018, Figures 1 and 5)."""

import numpy as np

from lib.accounting import gnmax


def plurality_share(votes: np.ndarray) -> np.ndarray:
    """Share of the teachers that vote for the plurality, in percent; votes (n, m) -> (n,)."""
    return 100 * votes.max(axis=1) / votes.sum(axis=1)


def histogram(votes: np.ndarray, weights: np.ndarray, bins: int) -> np.ndarray:
    """Weighted number of queries in `bins` equal bins of the plurality's share, 0 to 100 %; (bins,)."""
    return np.histogram(plurality_share(votes), bins=bins, range=(0, 100), weights=weights)[0]


def cost_by_share(votes: np.ndarray, sigma: float, order: float, bins: int) -> np.ndarray:
    """Mean Renyi cost at one order of one GNMax answer in each bin of the plurality's share; nan where it is empty."""
    cost = gnmax.rdp(np.array([order]), gnmax.log_error_bound(votes, sigma), sigma)[:, 0]
    count = histogram(votes, np.ones(len(votes)), bins)
    with np.errstate(invalid="ignore"):
        return np.where(count > 0, histogram(votes, cost, bins) / count, np.nan)


def selection_part(
    orders: np.ndarray, checks: np.ndarray, answers: np.ndarray, delta: float, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Epsilon after the first `lengths` (p,) queries, and the part of it that the selection of queries costs.

    checks, answers: Renyi costs (n, k) of the two steps. Epsilon is split in proportion to the two at its optimal
    order, the delta term included. Both of shape (p,).
    """
    selecting, answering = (np.cumsum(costs, axis=0)[lengths - 1] for costs in (checks, answers))
    epsilons = selecting + answering + np.log(1 / delta) / (orders - 1)
    best = np.argmin(epsilons, axis=1)
    rows = np.arange(len(lengths))
    epsilon, selection = epsilons[rows, best], selecting[rows, best]
    return epsilon, epsilon * selection / (selection + answering[rows, best])
