"""Every reading of what a run costs, before it is made: the paper's, and those that are guarantees.

A reading is a (n, k) matrix of Renyi costs a query and order; sums over its first rows give the cost of so many
queries. Data-dependent readings need the private votes and are private themselves.
"""

from dataclasses import dataclass, field

import numpy as np

from pate_accountant import confident, gnmax, lnmax, rdp, threshold
from pate_accountant.confident import selective_caps
from pate_accountant.draws import DRAWS
from pate_accountant.ledger import NEIGHBOURING
from pate_accountant.statement import PrivacyStatement


@dataclass(frozen=True)
class Reading:
    """Costs (n, k) and what an epsilon computed from them means (see PrivacyStatement)."""

    costs: np.ndarray
    data_dependent: bool
    one_sided: bool
    proved_bound: bool

    def statement(
        self, orders: np.ndarray, delta: float, conversion: str = "classic"
    ) -> tuple[PrivacyStatement, float]:
        """Return the epsilon of all queries, by the `classic` or the `tight` conversion, and the optimal order."""
        convert = {"classic": rdp.epsilon_classic, "tight": rdp.epsilon_tight}[conversion]
        epsilon, order = convert(orders, self.costs.sum(axis=0), delta)
        return self.state(epsilon, delta, "rdp", conversion), order

    def state(self, epsilon: float, delta: float, accountant: str, conversion: str) -> PrivacyStatement:
        """Return a statement of this reading with an epsilon computed elsewhere."""
        return PrivacyStatement(
            epsilon=epsilon,
            delta=delta,
            accountant=accountant,
            conversion=conversion,
            neighbouring=NEIGHBOURING,
            data_dependent=self.data_dependent,
            sanitized=False,
            one_sided=self.one_sided,
            proved_bound=self.proved_bound,
        )

    def followed_by(self, later: "Reading") -> "Reading":
        """Both costs in a row; what is weaker in one is weaker in both."""
        return Reading(
            np.concatenate([self.costs, later.costs]),
            data_dependent=self.data_dependent or later.data_dependent,
            one_sided=self.one_sided or later.one_sided,
            proved_bound=self.proved_bound and later.proved_bound,
        )

    def curve(self, orders: np.ndarray, delta: float, lengths: np.ndarray) -> np.ndarray:
        """Epsilon (classic conversion) after the first `lengths` (p,) queries; shape (p,)."""
        totals = np.cumsum(self.costs, axis=0)[lengths - 1]
        return (totals + np.log(1 / delta) / (orders - 1)).min(axis=1)


@dataclass(frozen=True)
class Account:
    """All readings of a run by name; `epsilon` is the paper's. `answered` (n,): chance that each query is answered.

    `extra` holds statements that are no sums over queries; `caps` is the guarantee announced before a run that may
    leave queries unanswered, one row for the whole run.
    """

    readings: dict[str, Reading]
    answered: np.ndarray
    extra: dict[str, PrivacyStatement] = field(default_factory=dict)
    caps: Reading | None = None

    def followed_by(self, later: "Account") -> "Account":
        """Both runs, one after the other, on the same private data: the readings that both have, put in a row."""
        readings = {
            name: reading.followed_by(later.readings[name])
            for name, reading in self.readings.items()
            if name in later.readings
        }
        caps = None
        if self.caps and later.caps:
            caps = self.caps.followed_by(later.caps)
        return Account(readings, np.concatenate([self.answered, later.answered]), caps=caps)


def lnmax_account(orders: np.ndarray, votes: np.ndarray, run: dict, moments: int) -> Account:
    """LNMax: all orders, the first `moments` moments, the data-independent bound, and the scale of the labels."""

    def dependent(scale: float) -> Reading:
        costs = lnmax.rdp(orders, lnmax.log_error_bound(votes, scale), scale)
        return Reading(costs, data_dependent=True, one_sided=True, proved_bound=True)

    scale, delta = run["laplace_scale"], run["delta"]
    readings = {
        "epsilon": dependent(scale),
        "epsilon_data_independent": _repeated(lnmax.rdp_independent(orders, scale), votes),
    }
    if "labels_laplace_scale" in run:
        readings["epsilon_labels_scale"] = dependent(run["labels_laplace_scale"])
    grid = np.arange(1, moments + 1)
    sums = lnmax.log_moments(grid, lnmax.log_error_bound(votes, scale), scale).sum(axis=0)
    by_moments, _ = lnmax.epsilon_moments(grid, sums, delta)
    extra = {"epsilon_moments": readings["epsilon"].state(by_moments, delta, f"moments(1..{moments})", "moments")}
    return Account(readings, np.ones(len(votes)), extra)


def gnmax_account(orders: np.ndarray, votes: np.ndarray, run: dict, moments: int) -> Account:
    """GNMax: data-dependent, the same in both directions, and data-independent."""
    sigma = run["sigma"]
    log_q = gnmax.log_error_bound(votes, sigma)
    two_sided = gnmax.rdp_two_sided(orders, log_q, sigma, votes.shape[1])
    readings = {
        "epsilon": Reading(gnmax.rdp(orders, log_q, sigma), data_dependent=True, one_sided=True, proved_bound=True),
        "epsilon_two_sided": Reading(two_sided, data_dependent=True, one_sided=False, proved_bound=True),
        "epsilon_data_independent": _repeated(gnmax.rdp_independent(orders, sigma), votes),
    }
    return Account(readings, np.ones(len(votes)))


def confident_account(
    orders: np.ndarray, votes: np.ndarray, run: dict, moments: int, scores: np.ndarray | None = None
) -> Account:
    """Confident-GNMax, or with the student's `scores` (n, m) Interactive-GNMax: the paper's expectation, and bounds.

    What a check costs on the data at hand depends on the scores, and they on the answers that the first round happened
    to give: with scores, a bound that knows them holds for that student only, and is no guarantee of the two rounds.
    """
    limit, sigma_threshold, sigma = run["threshold"], run["sigma_threshold"], run["sigma"]
    parameters = (orders, votes, limit, sigma_threshold, sigma, scores)
    answered = np.exp(threshold.log_probabilities(threshold.statistic(votes, scores), limit, sigma_threshold)[0])
    check = threshold.rdp_independent(orders, sigma_threshold)
    two_sided = gnmax.rdp_two_sided(orders, gnmax.log_error_bound(votes, sigma), sigma, votes.shape[1])
    independent = check + answered[:, None] * gnmax.rdp_independent(orders, sigma)
    readings = {
        "epsilon": Reading(
            confident.expected_rdp(*parameters), data_dependent=True, one_sided=True, proved_bound=False
        ),
        # the number of answers is an expectation here, and depends on the votes
        "epsilon_data_independent": Reading(independent, data_dependent=True, one_sided=False, proved_bound=False),
        "epsilon_joint": Reading(
            confident.joint_rdp(*parameters), data_dependent=True, one_sided=True, proved_bound=scores is None
        ),
        "epsilon_charge_all": Reading(
            confident.charge_all_rdp(*parameters), data_dependent=True, one_sided=True, proved_bound=scores is None
        ),
        "epsilon_two_sided": Reading(
            check + answered[:, None] * two_sided, data_dependent=True, one_sided=False, proved_bound=False
        ),
        "epsilon_charge_all_two_sided": Reading(
            check + two_sided, data_dependent=True, one_sided=False, proved_bound=True
        ),
    }
    caps = selective_caps(orders, len(votes), run["max_answered"], sigma_threshold, sigma)
    announced = Reading(caps[None], data_dependent=False, one_sided=False, proved_bound=True)
    return Account(readings, answered, caps=announced)


def discrete_confident_account(orders: np.ndarray, votes: np.ndarray, run: dict, moments: int) -> Account:
    """Confident-GNMax with discrete noise: what holds on any data, every query charged as if answered.

    `answered` is then no chance but one for every query.
    """
    sigma_threshold, sigma = run["sigma_threshold"], run["sigma"]
    costs = gnmax.rdp_independent(orders, sigma) + threshold.rdp_independent(orders, sigma_threshold)
    announced = selective_caps(orders, len(votes), run["max_answered"], sigma_threshold, sigma)
    caps = Reading(announced[None], data_dependent=False, one_sided=False, proved_bound=True)
    return _held(_repeated(costs, votes), votes, caps)


def account_of_draws(kind: str, orders: np.ndarray, votes: np.ndarray, run: dict, moments: int) -> Account:
    """Return a mechanism that answers every query by one draw of `DRAWS[kind]`: what that costs on any data.

    The draw's parameters are keys of the run's block.
    """
    draw = DRAWS[kind]
    costs = draw.independent(orders, {name: run[name] for name in draw.parameters})
    return _held(_repeated(costs, votes), votes)


def _held(reading: Reading, votes: np.ndarray, caps: Reading | None = None) -> Account:
    """Return the account of a mechanism of which nothing but a bound on any data is known."""
    return Account({"epsilon": reading, "epsilon_data_independent": reading}, np.ones(len(votes)), caps=caps)


def _repeated(costs: np.ndarray, votes: np.ndarray) -> Reading:
    """Return a data-independent cost (k,) paid on every query."""
    return Reading(
        np.broadcast_to(costs, (len(votes), len(costs))), data_dependent=False, one_sided=False, proved_bound=True
    )
