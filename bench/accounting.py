"""Time the PATE accounting side by side on generated votes, and how it grows with the number of queries.

Run by `make bench`, beside the same function called for one query after the other. Votes: strong consensus (most
teachers agree) and weak (votes spread over a few classes), 5,000 teachers, 150 classes. Costs: Renyi DP of Confident-
GNMax over all orders, and smooth sensitivity at one order.

With PATE_2018=DIR, the scripts of the paper's authors are timed on the same votes, and must give the same: DIR is the
folder research/pate_2018 of a checkout of github.com/tensorflow/privacy. Nothing of it is shipped here.
"""

import importlib
import os
import resource
import sys
import time
from collections.abc import Callable
from types import ModuleType

import numpy as np

from bench.baseline import compare
from bench.growth import print_growth
from pate_accountant import confident, rdp
from pate_accountant.smooth_sensitivity import Sequence, conditions, maximise

TEACHERS, CLASSES = 5_000, 150
THRESHOLD, SIGMA_THRESHOLD, SIGMA = 1_000, 500.0, 100.0
ORDER = 20.5  # of the smooth sensitivity; the optimum for Glyph in the paper
QUERIES = (1_500, 3_000, 6_000, 12_000)
PLAIN = 100  # queries that are done one at a time; all cost the same
SMOOTH = 3  # queries whose smooth sensitivity the authors' scripts are asked for: one takes them seconds
SAME = 1e-9  # relative difference from the authors' scripts at most
AUTHORS = "PATE_2018"  # where their scripts are; nowhere unless this is set


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


class Authors:
    """The scripts of Papernot et al. (2018), which do one query after the other."""

    def __init__(self, core: ModuleType, smooth: ModuleType) -> None:
        """core, smooth: their modules core.py and smooth_sensitivity.py."""
        self._core, self._smooth = core, smooth

    def rdp(self, orders: np.ndarray, votes: np.ndarray) -> np.ndarray:
        """Expected Renyi DP of Confident-GNMax, (n, k)."""
        rows = []
        for counts in votes:
            answered = self._core.compute_logpr_answered(THRESHOLD, SIGMA_THRESHOLD, counts)
            answer = self._core.rdp_gaussian(self._core.compute_logq_gaussian(counts, SIGMA), SIGMA, orders)
            checked = self._core.compute_rdp_threshold(answered, SIGMA_THRESHOLD, orders)
            rows.append(checked + np.exp(answered) * answer)
        return np.array(rows)

    def smooth_sensitivity(self, votes: np.ndarray, beta: float) -> float:
        """Of the answers to all queries."""
        bounds = [
            self._smooth.compute_local_sensitivity_bounds_gnmax(counts, TEACHERS, SIGMA, ORDER) for counts in votes
        ]
        return float(self._smooth.compute_discounted_max(beta, np.sum(bounds, axis=0)))


def authors() -> Authors | None:
    """Their scripts, if the environment says where they are."""
    folder = os.environ.get(AUTHORS)
    if not folder:
        return None
    sys.path.insert(0, folder)
    return Authors(*map(importlib.import_module, ("core", "smooth_sensitivity")))


def beside(theirs: Authors, orders: np.ndarray, votes: np.ndarray, ours: tuple[float, float], name: str) -> None:
    """Print how long the authors' scripts take for these votes, and how far from theirs our numbers are.

    ours: seconds that Renyi DP and smooth sensitivity take for all votes; theirs are of the first ones, and in
    proportion.
    """
    some, few, beta = votes[:PLAIN], votes[:SMOOTH], 0.4 / ORDER
    expected, bound = [], []
    theirs.smooth_sensitivity(few[:1], beta)  # what they keep for further queries
    spent = (
        seconds(lambda: expected.append(theirs.rdp(orders, some))) / len(some) * len(votes),
        seconds(lambda: bound.append(theirs.smooth_sensitivity(few, beta))) / len(few) * len(votes),
    )
    found = confident.expected_rdp(orders, some, THRESHOLD, SIGMA_THRESHOLD, SIGMA)
    off = np.abs(found / expected[0] - 1).max()
    off_smooth = abs(maximise(Sequence(few, SIGMA, ORDER), beta) / bound[0] - 1)
    for what, own, long, apart in zip(("RDP", "smooth sensitivity"), ours, spent, (off, off_smooth), strict=True):
        print(f"the authors' scripts: {what} {long:.1f} s, {long / own:.0f} times as long, apart by {apart:.1g}")
        if not apart < SAME:
            raise ArithmeticError(f"{what}, {name} consensus: {apart:.1g} from the authors' scripts, allowed {SAME:g}")
        compare(f"{name} consensus, {what}, of the authors' scripts", own / long)


def main() -> None:
    """Print the table."""
    theirs = authors()
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
            conditions(SIGMA, ORDER, CLASSES)  # the same for all queries, and remembered
            smooth = seconds(lambda votes=votes: maximise(Sequence(votes, SIGMA, ORDER), 0.4 / ORDER))
            print(f"{name:<10} {queries:>8} {costs:>8.2f} {smooth:>22.2f} {(costs + smooth) / queries * 1e6:>14.0f}")
            spent.append(costs + smooth)
        one_by_one = seconds(lambda votes=votes: [costs_of(row[None]) for row in votes[:PLAIN]]) / PLAIN * queries
        print(f"one query at a time: RDP {one_by_one:.2f} s, {one_by_one / costs:.1f} times as long")
        print_growth(f"{name} consensus, RDP and smooth sensitivity", "queries", QUERIES, spent)
        if theirs:
            beside(theirs, orders, votes, (costs, smooth), name)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
