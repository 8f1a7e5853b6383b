"""The ledger: what was really spent, and the same recomputed by dp_accounting.

Each entry is a kind of noise draw, the number of times it was made, its Renyi cost by our own analysis, and the
`dp_accounting` event that describes one draw. Replace-one neighbours throughout.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pate_accountant import gnmax, lnmax, threshold
from pate_accountant.discrete import DISCRETE
from pate_accountant.draws import DRAWS, NEIGHBOURING

if TYPE_CHECKING:
    import dp_accounting

AGREEMENT = 1e-9  # relative; both routes evaluate the same closed form where the noise is Gaussian


@dataclass(frozen=True)
class Entry:
    """`count` draws of one kind.

    independent: (k,) Renyi cost of one draw for any data, infinite where there is no bound. dependent: (k,) cost of all
    draws on the data at hand, one-sided and private. event: one draw for dp_accounting. exact: dp_accounting prices the
    event exactly as we do; otherwise it prices a mechanism of which ours is a post-processing, and ours must cost at
    least as much.
    """

    mechanism: str
    count: int
    parameters: dict[str, float]
    independent: np.ndarray
    dependent: np.ndarray
    event: dp_accounting.DpEvent
    exact: bool


@dataclass
class Ledger:
    """Entries, and their totals at the orders of the ledger."""

    orders: np.ndarray
    entries: list[Entry] = field(default_factory=list)

    def charge(self, entry: Entry) -> None:
        """Add an entry.

        Raises ValueError for a negative count, a cost that is not a number, a negative independent cost, or a dependent
        cost above the independent one: programming errors.
        """
        if entry.count < 0:
            raise ValueError(f"{entry.mechanism}: count {entry.count} is negative")
        # every comparison is one that NaN fails
        if not (entry.independent >= 0).all():
            raise ValueError(f"{entry.mechanism}: a data-independent cost is negative or not a number")
        if np.isnan(entry.dependent).any():
            raise ValueError(f"{entry.mechanism}: a data-dependent cost is not a number")
        if not (entry.dependent <= entry.count * entry.independent * (1 + AGREEMENT) + AGREEMENT).all():
            raise ValueError(f"{entry.mechanism}: the data-dependent cost exceeds the data-independent one")
        self.entries.append(entry)

    def count(self, mechanism: str) -> int:
        """Return the number of draws charged under this name."""
        return sum(entry.count for entry in self.entries if entry.mechanism == mechanism)

    @property
    def independent(self) -> np.ndarray:
        """Data-independent total, (k,): two-sided."""
        return sum((entry.count * entry.independent for entry in self.entries), np.zeros(len(self.orders)))

    @property
    def dependent(self) -> np.ndarray:
        """Data-dependent total of the realised run, (k,): one-sided and private."""
        return sum((entry.dependent for entry in self.entries), np.zeros(len(self.orders)))

    def _priced(self, entry: Entry) -> np.ndarray:
        """All draws of one entry by dp_accounting's RDP accountant, (k,)."""
        import dp_accounting  # takes a second, and not every job needs it
        from dp_accounting import rdp as dp_rdp

        accountant = dp_rdp.RdpAccountant(self.orders, dp_accounting.NeighboringRelation.REPLACE_ONE)
        if entry.count:
            accountant.compose(entry.event, entry.count)
        return accountant.rdp

    def check(self) -> float:
        """Compare the two routes entry by entry; return the largest relative difference.

        They must agree where events are exact; elsewhere ours must not be the smaller. Two infinite costs agree. Raises
        ArithmeticError, naming the mechanism, where they do not, and where either is not a number.
        """
        worst = 0.0
        for entry in self.entries:
            ours, theirs = entry.count * entry.independent, self._priced(entry)
            with np.errstate(invalid="ignore"):  # of infinite costs
                difference = (ours - theirs) / np.maximum(theirs, np.finfo(float).tiny)
            difference = np.where(ours == theirs, 0.0, difference)
            # numpy's maximum keeps what is not a number, which no comparison below lets pass
            found = float((np.abs(difference) if entry.exact else np.maximum(0.0, -difference)).max())
            if not found <= AGREEMENT:
                raise ArithmeticError(
                    f"{entry.mechanism}: the ledger and dp_accounting differ by {found:.3g} (relative)"
                )
            worst = max(worst, found)
        return worst

    def as_dict(self) -> list[dict]:
        """Entries as plain JSON values; the data-dependent costs stay out of it."""
        return [
            {
                "mechanism": entry.mechanism,
                "count": entry.count,
                "parameters": entry.parameters,
                "neighbouring": NEIGHBOURING,
                "dp_event": repr(entry.event),
            }
            for entry in self.entries
        ]


def gnmax_entry(orders: np.ndarray, votes: np.ndarray, sigma: float) -> Entry:
    """GNMax answers to all rows of `votes` (n, m)."""
    dependent = gnmax.rdp(orders, gnmax.log_error_bound(votes, sigma), sigma).sum(axis=0)
    return _entry("gnmax", orders, len(votes), {"sigma": sigma}, dependent)


def threshold_entry(orders: np.ndarray, statistic: np.ndarray, limit: float, sigma: float) -> Entry:
    """Noisy checks of all values of `statistic` (n,) against `limit`, whether or not they passed."""
    dependent = threshold.rdp(orders, statistic, limit, sigma).sum(axis=0)
    return _entry("threshold", orders, len(statistic), {"sigma": sigma, "threshold": limit}, dependent)


def lnmax_entry(orders: np.ndarray, votes: np.ndarray, scale: float) -> Entry:
    """LNMax answers to all rows of `votes` (n, m).

    dp_accounting prices the noisy histogram, two Laplace draws of sensitivity 1; the answer is a post-processing
    of it, which our pure-DP curve must not undercut.
    """
    dependent = lnmax.rdp(orders, lnmax.log_error_bound(votes, scale), scale).sum(axis=0)
    return _entry("lnmax", orders, len(votes), {"laplace_scale": scale}, dependent)


def discrete_entry(orders: np.ndarray, name: str, count: int, parameters: dict[str, float]) -> Entry:
    """`count` draws of `gnmax` or `threshold` with discrete noise, at what they cost on any data (see `discrete`)."""
    return _entry(DISCRETE[name], orders, count, parameters, None)


def ledger_of_draws(orders: np.ndarray, kind: str, count: int, given: dict) -> Ledger:
    """Charge `count` draws of `DRAWS[kind]` at what they cost on any data; given: its parameters, and others."""
    ledger = Ledger(orders)
    ledger.charge(_entry(kind, orders, count, {name: given[name] for name in DRAWS[kind].parameters}, None))
    return ledger


def _entry(
    name: str, orders: np.ndarray, count: int, parameters: dict[str, float], dependent: np.ndarray | None
) -> Entry:
    """Return an entry of draws that `DRAWS` knows; dependent None: what they cost on any data."""
    draw = DRAWS[name]
    independent = draw.independent(orders, parameters)
    dependent = count * independent if dependent is None else dependent
    return Entry(name, count, parameters, independent, dependent, draw.event(parameters), draw.exact)


def selective_ledger(
    orders: np.ndarray,
    votes: np.ndarray,
    answered: np.ndarray,
    limit: float,
    sigma_threshold: float,
    sigma: float,
    scores: np.ndarray | None = None,
) -> Ledger:
    """Ledger of a realised Confident- or Interactive-GNMax run.

    votes: (n, m), every query that was asked. answered: (n,) bool, the published bits. The check is charged on every
    query asked; the answer exactly where it was given.
    """
    votes, answered = np.asarray(votes), np.asarray(answered, bool)
    ledger = Ledger(np.asarray(orders, float))
    ledger.charge(threshold_entry(orders, threshold.statistic(votes, scores), limit, sigma_threshold))
    ledger.charge(gnmax_entry(orders, votes[answered], sigma))
    if ledger.count("threshold") != len(votes) or ledger.count("gnmax") != int(answered.sum()):
        raise AssertionError("a noise draw was made and not charged")
    return ledger


def discrete_selective_ledger(
    orders: np.ndarray, asked: int, answered: int, limit: float, sigma_threshold: float, sigma: float
) -> Ledger:
    """Return the ledger of a Confident-GNMax run with discrete noise: its checks and answers on any data."""
    ledger = Ledger(np.asarray(orders, float))
    ledger.charge(discrete_entry(orders, "threshold", asked, {"sigma": sigma_threshold, "threshold": limit}))
    ledger.charge(discrete_entry(orders, "gnmax", answered, {"sigma": sigma}))
    return ledger
