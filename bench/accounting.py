"""Time the PATE accounting side by side on generated votes, and how it grows with the number of queries.

Run by `make bench`, beside the same function called for one query after the other. Votes: strong consensus (most
teachers agree) and weak (votes spread over a few classes), 5,000 teachers, 150 classes. Costs: Renyi DP of Confident-
GNMax over all orders, and smooth sensitivity at one order.
"""

import resource
import time
from collections.abc import Callable

import numpy as np

from bench.baseline import compare
from bench.growth import print_growth
from lib.accounting import confident, rdp, smooth_sensitivity

TEACHERS, CLASSES = 5_000, 150
THRESHOLD, SIGMA_THRESHOLD, SIGMA = 1_000, 500.0, 100.0
ORDER = 20.5  # of the smooth sensitivity; the optimum for Glyph in the paper
QUERIES = (1_500, 3_000, 6_000, 12_000)
PLAIN = 100  # queries that are done one at a time; all cost the same


def generated_votes(queries: int, concentration: float, rng: np.random.Generator) -> np.ndarray:
    """Votes (queries, CLASSES): one class favoured, the rest of the mass Dirichlet over all classes."""
    favoured = rng.beta(concentration, 1.0, queries)
    rest = rng.dirichlet(np.full(CLASSES, 0.05), queries)
    shares = (1 - favoured)[:, None] * rest
    shares[np.arange(queries), rng.integers(CLASSES, size=queries)] += favoured
    return rng.multinomial(TEACHERS, shares / shares.sum(axis=1, keepdims=True))


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    orders = rdp.order_grid()
    print(f"{TEACHERS} teachers, {CLASSES} classes, {len(orders)} orders, sigma {SIGMA:g}")
    print(f"{'consensus':<10} {'queries':>8} {'RDP, s':>8} {'smooth sensitivity, s':>22} {'us per query':>14}")
    for name, concentration in (("strong", 8.0), ("weak", 0.5)):
        spent = []
        for queries in QUERIES:
            votes = generated_votes(queries, concentration, np.random.default_rng(queries))

            def costs_of(votes: np.ndarray) -> np.ndarray:
                return confident.expected_rdp(orders, votes, THRESHOLD, SIGMA_THRESHOLD, SIGMA)

            costs = seconds(lambda votes=votes: costs_of(votes))
            smooth_sensitivity.conditions(SIGMA, ORDER, CLASSES)  # the same for all queries, and remembered
            smooth = seconds(
                lambda votes=votes: smooth_sensitivity.smooth_sensitivity(votes, SIGMA, ORDER, 0.4 / ORDER)
            )
            print(f"{name:<10} {queries:>8} {costs:>8.2f} {smooth:>22.2f} {(costs + smooth) / queries * 1e6:>14.0f}")
            spent.append(costs + smooth)
        one_by_one = seconds(lambda votes=votes: [costs_of(row[None]) for row in votes[:PLAIN]]) / PLAIN * queries
        print(f"one query at a time: RDP {one_by_one:.2f} s, {one_by_one / costs:.1f} times as long")
        compare(f"{name} consensus, RDP of all queries at once, of one at a time", costs / one_by_one)
        print_growth(f"{name} consensus, RDP and smooth sensitivity", "queries", QUERIES, spent)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
