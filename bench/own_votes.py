"""Time the pricing of a person's own votes, and how time and memory grow with the number of queries.

Run by `make bench`. Votes: 250 teachers, 10 classes, generated: strong consensus (most teachers agree) and weak. Priced
over all orders by every reading; then the smooth sensitivity that a release of the epsilon asks for, at one order.
"""

import resource

import numpy as np

from bench.accounting import seconds
from bench.growth import print_growth
from pate_accountant.mechanism import mechanism
from pate_accountant.price import price
from pate_accountant.smooth_sensitivity import Sequence, maximise

TEACHERS, CLASSES = 250, 10
QUERIES = (10_000, 100_000, 1_000_000)
ORDER = 20.0  # of the smooth sensitivity
CONSENSUS = {"strong": 8.0, "weak": 0.5}  # parameter of the beta law of the plurality's share


def generated_votes(queries: int, concentration: float, rng: np.random.Generator) -> np.ndarray:
    """Votes (queries, CLASSES) uint8: one class favoured, the rest Dirichlet over all classes."""
    favoured = rng.beta(concentration, 1.0, queries)
    shares = (1 - favoured)[:, None] * rng.dirichlet(np.full(CLASSES, 0.5), queries)
    shares[np.arange(queries), rng.integers(CLASSES, size=queries)] += favoured
    votes = rng.multinomial(TEACHERS, shares / shares.sum(axis=1, keepdims=True))
    return votes.astype(np.min_scalar_type(TEACHERS))  # as count_votes writes them


def main() -> None:
    """Print the table."""
    run = mechanism("confident_gnmax", delta=1e-5, threshold=200, sigma_threshold=150, sigma=40)
    titles = ("consensus", "queries", "price, s", "smooth sensitivity, s", "peak memory so far, GiB")
    print("{:<10} {:>8} {:>9} {:>22} {:>24}".format(*titles))
    for name, concentration in CONSENSUS.items():
        spent = []
        for queries in QUERIES:
            votes = generated_votes(queries, concentration, np.random.default_rng(queries))
            priced = seconds(lambda votes=votes: price(votes, run))
            smooth = seconds(lambda votes=votes: maximise(Sequence(votes, run["sigma"], ORDER), 0.4 / ORDER))
            spent.append((priced, smooth))
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(f"{name:<10} {queries:>8} {priced:>9.2f} {smooth:>22.2f} {peak:>24.2f}", flush=True)
        for what, costs in zip(("", ", smooth sensitivity"), zip(*spent, strict=True), strict=True):
            print_growth(f"own votes, {name} consensus{what}", "queries", QUERIES, costs)


if __name__ == "__main__":
    main()
