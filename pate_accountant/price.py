"""Price votes under a mechanism: every interpretation of its epsilon, by the accounts of `pate_accountant.readings`.

A query's cost depends on its counts and not on which class has which: each histogram is priced once, however often it
comes, and only sums are kept, so that memory does not grow with the queries.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from pate_accountant import lnmax, rdp
from pate_accountant.announced import announced
from pate_accountant.confident import selective_caps
from pate_accountant.discrete import is_discrete
from pate_accountant.draws import DRAWS
from pate_accountant.errors import InputError
from pate_accountant.ledger import selective_ledger
from pate_accountant.mechanism import ACCOUNTS, PARAMETERS, Mechanism, doubts, of_run
from pate_accountant.readings import Account, Reading
from pate_accountant.released_epsilon import ReleasedEpsilon, release_epsilon
from pate_accountant.statement import PrivacyStatement
from pate_accountant.votes import check_votes

if TYPE_CHECKING:
    from dp_accounting import DpEvent

MOMENTS = 8  # of the accounting of LNMax by Papernot et al. (2017)
# The block `sanitize` of the configuration: Papernot et al. (2018), Appendix B, and the parameters fixed beforehand.
SANITIZE = {"first": 0.3, "last": 0.495, "step": 0.01, "fixed_beta": 0.3, "fixed_sigma_ss": 5.0}
BLOCK = 1000  # histograms that are priced together
MANY = 20_000  # different histograms from which on not all orders are tried
COARSE = 40  # orders, evenly spaced by their logarithms, that are tried first
QUERIES_OF_A_LEDGER = 5000  # that are charged together
# Queries per vote of LNMax's scale up to which what is announced takes seconds; its epsilon there is about 300.
MOST_OF_LNMAX = 300
MOST_COMPOSED = 10**6  # queries of LNMax, of which more take minutes, too
MOST_QUERIES = 10**9
# Readings of Confident-GNMax that weigh each answer by its chance, and are no guarantee as other mechanisms' are.
EXPECTED = {
    "epsilon_data_independent": "epsilon_data_independent_expected",
    "epsilon_two_sided": "epsilon_two_sided_expected",
}
COMPOSED = "epsilon_composed"  # of a run and of other mechanisms together
TIGHT = (
    "epsilon",
    "epsilon_data_independent",
    "epsilon_caps",
    COMPOSED,
)  # readings that are converted by both conversions
PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Price:
    """Every reading of what a run costs.

    run: its block (`mechanism`). queries: how many. answered: how many are expected to be answered; in a plan, at most.
    paper: the reading that the paper prints, by name; None where it has none. statements, orders: of each reading, its
    epsilon with what it means, and the Renyi order where that is found. lengths, curves: epsilon after so many queries.
    teachers, classes: None in a plan. warnings: of what to look at, a line each. account, grid: the sums that all this
    is made of, and their orders; None in a plan. found: the settings that were calibrated.
    """

    run: dict
    queries: int
    answered: float
    paper: str | None
    statements: dict[str, PrivacyStatement]
    orders: dict[str, float]
    lengths: np.ndarray
    curves: dict[str, np.ndarray]
    teachers: int | None = None
    classes: int | None = None
    warnings: tuple[str, ...] = ()
    account: Account | None = field(default=None, repr=False)
    grid: np.ndarray | None = field(default=None, repr=False)
    found: dict[str, float] = field(default_factory=dict)

    @property
    def guarantee(self) -> PrivacyStatement:
        """The number to quote: the smallest epsilon that holds for any votes, in both directions."""
        return self.statements[self.guaranteed]

    @property
    def guaranteed(self) -> str:
        """The name of the guarantee."""
        known = {name: made.epsilon for name, made in self.statements.items() if made.guarantee}
        return min(known, key=known.__getitem__)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism whose run this is the price of."""
        return of_run(self.run)


def price(votes: np.ndarray, run: dict, orders: np.ndarray | None = None, points: int = 100) -> Price:
    """Return what a run costs on votes (queries, classes), counts whose rows sum to the number of teachers.

    run: of `pate_accountant.mechanism.mechanism`. orders: Renyi orders; left out, the authors' long list. points:
    of the curves. Raises InputError for votes that are none. What depends on the votes is private.

    >>> from pate_accountant.mechanism import mechanism
    >>> run = mechanism("confident_gnmax", delta=1e-5, threshold=200, sigma_threshold=150, sigma=40)
    >>> made = price(np.array([[250, 0], [130, 120], [240, 10]]), run)
    >>> round(made.answered, 2)
    1.56
    >>> made.paper, [name for name, statement in made.statements.items() if statement.guarantee]
    ('epsilon', ['epsilon_announced', 'epsilon_caps', 'epsilon_caps_tight'])
    >>> made.statements["epsilon"].epsilon < made.statements["epsilon_announced"].epsilon
    True
    """
    votes = check_votes(votes)
    orders = rdp.order_grid() if orders is None else orders
    teachers, classes = int(votes[0].sum()), votes.shape[1]
    grid = orders
    account, lengths, orders = account_of(votes, run, grid, points)
    readings = _named(account.readings, run)
    known = plan(len(votes), run, grid, points=1)  # what holds for any votes is the plan's, to the last bit
    rest = {name: reading for name, reading in readings.items() if name not in known.statements}
    statements, found = _stated(rest, orders, run["delta"])
    found = known.orders | found
    paper = None if is_discrete(run) else "epsilon_moments" if run["aggregator"] == "lnmax" else "epsilon"
    parts = np.arange(1, len(lengths) + 1)
    curves = {name: reading.curve(orders, run["delta"], parts) for name, reading in readings.items()}
    warnings = [*doubts(run, teachers), *_at_edge(grid, found)]
    return Price(
        run=run,
        queries=len(votes),
        answered=float(account.answered.sum()),
        paper=paper,
        statements=known.statements | account.extra | statements,
        orders=found,
        lengths=lengths,
        curves=curves,
        teachers=teachers,
        classes=classes,
        warnings=tuple(warnings),
        account=account,
        grid=orders,
    )


def plan(
    queries: int,
    run: dict,
    orders: np.ndarray | None = None,
    points: int = 100,
    also: "DpEvent | None" = None,
) -> Price:
    """Return what so many queries guarantee on any data, before there are votes.

    Where a check leaves queries unanswered, every query is checked and at most `max_answered` of them are answered
    (all, where that is left out). also: other mechanisms on the same records, about replacing one; the guarantee is
    then that of all together, by Renyi divergences. Raises InputError for no query, more answers than queries, or an
    event whose divergences dp_accounting does not know.

    >>> from pate_accountant.mechanism import mechanism
    >>> made = plan(1000, mechanism("gnmax", delta=1e-5, sigma=40))
    >>> {name: round(statement.epsilon, 2) for name, statement in made.statements.items()}
    {'epsilon_announced': 4.98, 'epsilon_data_independent': 6.0, 'epsilon_data_independent_tight': 5.38}
    >>> all(statement.guarantee for statement in made.statements.values()), made.paper
    (True, None)
    """
    orders = rdp.order_grid() if orders is None else orders
    answered = most_answered(run, queries)
    lengths = _lengths(queries, points)
    if run["aggregator"] == "confident_gnmax":
        name = "epsilon_caps"
        curve = [_caps(orders, int(made), min(answered, int(made)), run) for made in lengths]
    else:
        name = "epsilon_data_independent"
        draw = DRAWS[run["aggregator"]]
        once = draw.independent(orders, {key: run[key] for key in PARAMETERS[run["aggregator"]]})
        curve = [made * once for made in lengths]
    if also is not None:
        name, others = COMPOSED, _rdp_of_event(orders, also)
        curve = [others + made for made in curve]
    reading = Reading(curve[-1][None], data_dependent=False, one_sided=False, proved_bound=True)
    statements, found = _stated({name: reading}, orders, run["delta"])
    if also is None:
        statements = _announced(run, queries) | statements
    converted = (np.array(curve) + np.log(1 / run["delta"]) / (orders - 1)).min(axis=1)
    return Price(
        run=run,
        queries=queries,
        answered=float(answered),
        paper=None,
        statements=statements,
        orders=found,
        lengths=lengths,
        curves={name: converted},
        warnings=(*doubts(run), *_at_edge(orders, found)),
    )


def _rdp_of_event(orders: np.ndarray, event: "DpEvent") -> np.ndarray:
    """Renyi costs (k,) of an event of dp_accounting, where one record is replaced."""
    from dp_accounting import DpEvent, NeighboringRelation, UnsupportedEventError
    from dp_accounting.rdp import RdpAccountant

    if not isinstance(event, DpEvent):
        raise InputError(f"also: {type(event).__name__} is no DpEvent of dp_accounting")
    accountant = RdpAccountant(orders, NeighboringRelation.REPLACE_ONE)
    try:
        return accountant.compose(event).rdp
    except UnsupportedEventError as error:
        raise InputError(f"also: where one record is replaced, dp_accounting has no price: {error}") from error


def _announced(run: dict, queries: int) -> dict[str, PrivacyStatement]:
    """Announce the least epsilon of so many queries on any data, where a route tighter than Renyi's is known."""
    if run["aggregator"] == "lnmax" and queries > min(MOST_OF_LNMAX * run["laplace_scale"], MOST_COMPOSED):
        return {}
    made = announced(run | {"max_answered": most_answered(run, queries)}, queries)
    return {} if made is None else {"epsilon_announced": made}


def _named(readings: dict[str, Reading], run: dict) -> dict[str, Reading]:
    """Return the readings of an account, each by a name that means the same for every mechanism and noise."""
    if is_discrete(run):  # no paper's reading: what is there by its name is the bound on any data once more
        return {name: reading for name, reading in readings.items() if name != "epsilon"}
    if run["aggregator"] == "confident_gnmax":
        return {EXPECTED.get(name, name): reading for name, reading in readings.items()}
    return readings


def _stated(
    readings: dict[str, Reading], orders: np.ndarray, delta: float
) -> tuple[dict[str, PrivacyStatement], dict[str, float]]:
    """Return the epsilon of each reading, and its order; of those in TIGHT also by the tighter conversion."""
    statements, found = {}, {}
    for name, reading in readings.items():
        statements[name], found[name] = reading.statement(orders, delta)
        if name in TIGHT:
            statements[f"{name}_tight"], found[f"{name}_tight"] = reading.statement(orders, delta, "tight")
    return statements, found


def account_of(votes: np.ndarray, run: dict, orders: np.ndarray, points: int) -> tuple[Account, np.ndarray, np.ndarray]:
    """Account for a run on checked votes; after how many queries (p,) each row of its readings ends; its orders.

    A row of a reading is the sum of the costs of the queries since the row before. Where there are MANY different
    histograms, orders that cannot be the best ones of all queries are left out, which can only raise an epsilon.
    """
    distinct, lengths, caps = _Distinct(votes), _lengths(len(votes), points), None
    if run["aggregator"] == "confident_gnmax":
        announced = _caps(orders, len(votes), most_answered(run, len(votes)), run)
        caps = Reading(announced[None], data_dependent=False, one_sided=False, proved_bound=True)
    if len(distinct.histograms) <= MANY:
        account = _summed(distinct, run, orders, lengths)
    else:
        coarse = np.unique(np.searchsorted(orders, np.geomspace(orders[0], orders[-1], COARSE)))
        account = _summed(distinct, run, orders[coarse], lengths)
        readings = [*account.readings.values(), *([replace(caps, costs=caps.costs[:, coarse])] if caps else [])]
        kept = np.setdiff1d(_promising(readings, run["delta"], orders, coarse), coarse)
        if len(kept):
            account = _joined(account, _summed(distinct, run, orders[kept], lengths), np.argsort([*coarse, *kept]))
        used = np.sort([*coarse, *kept])
        orders, caps = orders[used], replace(caps, costs=caps.costs[:, used]) if caps else None
    extra = {}
    if run["aggregator"] == "lnmax":
        grid, scale = np.arange(1, MOMENTS + 1), run["laplace_scale"]
        moments = np.zeros(MOMENTS)
        for block, _, weights in distinct.blocks(np.array([len(votes)])):
            moments += weights[0] @ lnmax.log_moments(grid, lnmax.log_error_bound(block, scale), scale)
        by_moments, _ = lnmax.epsilon_moments(grid, moments, run["delta"])
        extra["epsilon_moments"] = account.readings["epsilon"].state(
            by_moments, run["delta"], f"moments(1..{MOMENTS})", "moments"
        )
    return replace(account, answered=account.answered[distinct.which], extra=extra, caps=caps), lengths, orders


class _Distinct:
    """Votes as their different histograms, classes in falling order of counts, and which of them each query has."""

    def __init__(self, votes: np.ndarray) -> None:
        ranked = -np.sort(-votes.astype(np.int32), axis=1)
        # rows as opaque bytes: sorting these is many times faster than comparing number by number
        rows = np.ascontiguousarray(ranked).view(np.dtype((np.void, ranked.dtype.itemsize * ranked.shape[1]))).ravel()
        _, first, which = np.unique(rows, return_index=True, return_inverse=True)
        self.histograms, self.which = ranked[first].astype(np.int64), which.ravel()
        self._queries = np.argsort(self.which, kind="stable")  # those of one histogram next to each other

    def blocks(self, lengths: np.ndarray) -> Iterator[tuple[np.ndarray, int, np.ndarray]]:
        """Yield (histograms, the first one's place, how often each comes in each part); parts end after `lengths`."""
        parts = np.searchsorted(lengths, np.arange(1, len(self.which) + 1))
        begin = 0
        for start in range(0, len(self.histograms), BLOCK):
            block = self.histograms[start : start + BLOCK]
            end = int(np.searchsorted(self.which, start + BLOCK, sorter=self._queries))
            queries, begin = self._queries[begin:end], end
            cells = parts[queries] * len(block) + (self.which[queries] - start)
            yield block, start, np.bincount(cells, minlength=len(lengths) * len(block)).reshape(len(lengths), -1)


def _summed(distinct: _Distinct, run: dict, orders: np.ndarray, lengths: np.ndarray) -> Account:
    """Return the readings summed over each part, and of each different histogram the chance of an answer."""
    account_of_block = ACCOUNTS[run["aggregator"], run["noise"]]
    known = run | {"max_answered": 1}  # what is announced of a block is not used

    def priced(block: np.ndarray, start: int, weights: np.ndarray) -> tuple[int, Account, dict[str, np.ndarray]]:
        made = account_of_block(orders, block, known, MOMENTS)
        return start, made, {name: weights @ reading.costs for name, reading in made.readings.items()}

    totals: dict[str, np.ndarray] = {}
    chances = np.empty(len(distinct.histograms))
    for start, made, sums in _in_turn(priced, distinct.blocks(lengths)):
        chances[start : start + BLOCK] = made.answered
        totals = {name: totals.get(name, 0.0) + summed for name, summed in sums.items()}
    return Account({name: replace(each, costs=totals[name]) for name, each in made.readings.items()}, chances)


def _promising(readings: Iterable[Reading], delta: float, orders: np.ndarray, coarse: np.ndarray) -> np.ndarray:
    """Places of the orders at which an epsilon may be less than at the coarse ones, if costs rise with the order."""
    below = np.searchsorted(coarse, np.arange(len(orders)), side="right") - 1
    found = np.zeros(len(orders), bool)
    for reading in readings:
        total = reading.costs.sum(axis=0)
        for added in (
            np.log(1 / delta) / (orders - 1),  # of `rdp.epsilon_classic`
            np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1),  # of `rdp.epsilon_tight`
        ):
            found |= total[below] + added < (total + added[coarse]).min()
    return np.flatnonzero(found)


def _joined(first: Account, second: Account, places: np.ndarray) -> Account:
    """Accounts of the same votes at different orders, put at their places."""
    costs = {
        name: np.concatenate([each.costs, second.readings[name].costs], axis=1)[:, places]
        for name, each in first.readings.items()
    }
    return replace(first, readings={name: replace(each, costs=costs[name]) for name, each in first.readings.items()})


def drawn(votes: np.ndarray, run: dict, seed: int, orders: np.ndarray | None = None) -> tuple[int, int, dict]:
    """One run of Confident-GNMax with its checks drawn: queries asked, answered, and what its ledger says, by name.

    votes: checked histograms. With a known seed nothing of it is private: it shows how far a run strays from what is
    expected. Raises InputError for another mechanism.
    """
    if run["aggregator"] != "confident_gnmax" or is_discrete(run):
        raise InputError("--seed: there is nothing to draw but the checks of confident_gnmax with continuous noise")
    orders = rdp.order_grid() if orders is None else orders
    rng = np.random.default_rng(seed)
    passed = votes.max(axis=1) + rng.normal(0.0, run["sigma_threshold"], len(votes)) >= run["threshold"]
    reached = np.flatnonzero(np.cumsum(passed) >= most_answered(run, len(votes)))
    asked = int(reached[0]) + 1 if len(reached) else len(votes)
    dependent = independent = np.zeros(len(orders))
    for start in range(0, asked, QUERIES_OF_A_LEDGER):
        part = slice(start, min(start + QUERIES_OF_A_LEDGER, asked))
        given = (run["threshold"], run["sigma_threshold"], run["sigma"])
        ledger = selective_ledger(orders, votes[part], passed[part], *given)
        ledger.check()
        dependent, independent = dependent + ledger.dependent, independent + ledger.independent
    flags = {"data_dependent": True, "proved_bound": False}
    spent = {
        "epsilon_realised": Reading(dependent[None], one_sided=True, **flags),
        "epsilon_realised_data_independent": Reading(independent[None], one_sided=False, **flags),
    }
    statements = {name: reading.statement(orders, run["delta"])[0] for name, reading in spent.items()}
    return asked, int(passed[:asked].sum()), statements


def sanitized(votes: np.ndarray, made: Price, rng: np.random.Generator) -> ReleasedEpsilon:
    """Return the cost of publishing the epsilon of a run on these votes, and one value drawn with `rng` to publish.

    Raises InputError where no release is known: for other mechanisms than confident_gnmax, for discrete noise, and
    where the smooth sensitivity is not proved.
    """
    run = made.run
    if run["aggregator"] != "confident_gnmax":
        raise InputError(f"--sanitize: a release is known for confident_gnmax, not for {run['aggregator']}")
    assert made.grid is not None and made.teachers is not None  # what is made of votes has both
    try:
        return release_epsilon(made.grid, votes, made.teachers, run, MOMENTS, SANITIZE, rng, made.account)
    except ValueError as error:
        raise InputError(f"--sanitize: {error}") from error


def _caps(orders: np.ndarray, asked: int, answered: int, run: dict) -> np.ndarray:
    return selective_caps(orders, asked, answered, run["sigma_threshold"], run["sigma"])


def most_answered(run: dict, queries: int) -> int:
    """Return how many of so many queries a run answers at most; InputError for a number that is not allowed."""
    if not (isinstance(queries, Integral) and 1 <= queries <= MOST_QUERIES):
        raise InputError(f"--queries {queries}: allowed is a whole number, at least 1 and at most {MOST_QUERIES}")
    most = run.get("max_answered", queries)
    if most > queries:
        raise InputError(f"--max-answered {most}: allowed is at most the {queries} queries")
    return most


def _lengths(queries: int, points: int) -> np.ndarray:
    """After how many queries a curve has its points, the last after all."""
    return np.unique(np.linspace(1, queries, points).round().astype(int)) if points > 1 else np.array([queries])


def _at_edge(orders: np.ndarray, found: dict[str, float]) -> list[str]:
    """Return a line for the readings whose best order is the grid's first or last."""
    names = [name for name, order in found.items() if rdp.at_grid_edge(orders, order)]
    if not names:
        return []
    return [
        f"{', '.join(names)}: the best Renyi order is the first or the last that is tried, {orders.min():g} or "
        f"{orders.max():g}; what is said holds, and might be less with others"
    ]


def _in_turn(work: Callable[..., Any], jobs: Iterable[tuple]) -> Iterator[Any]:
    """Yield what `work` makes of each job, in their order, a few at a time on all processors."""
    waiting: deque[Future] = deque()
    with ThreadPoolExecutor(max_workers=PROCESSORS) as pool:
        for job in jobs:
            waiting.append(pool.submit(work, *job))
            if len(waiting) > 2 * PROCESSORS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
