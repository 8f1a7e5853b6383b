"""The aggregators by the name that the configuration gives them: how each answers, and what that costs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce

import numpy as np

from lib.core.errors import InputError
from lib.core.seeding import noise_bits, noise_generator
from lib.pate.confident import NO_ANSWER, confident_gnmax, stop_after
from lib.pate.discrete_gaussian import DiscreteGaussian
from lib.pate.gnmax import gnmax
from lib.pate.interactive import NONE, TEACHERS, interactive_gnmax
from lib.pate.lnmax import lnmax
from lib.pate.queries import Round, Scores
from pate_accountant import readings
from pate_accountant.discrete import DISCRETE, is_discrete
from pate_accountant.ledger import (
    Ledger,
    discrete_selective_ledger,
    gnmax_entry,
    ledger_of_draws,
    lnmax_entry,
    selective_ledger,
)

Answers = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Costs:
    """Cost of a run, with one law of noise.

    account(orders, votes, run, moments), and scores where a student takes part: every reading, before the run.
    ledger(orders, votes, source, run, scores): what was drawn for the queries that were asked, after it.
    """

    account: Callable[..., readings.Account]
    ledger: Callable[..., Ledger]


@dataclass(frozen=True)
class Aggregator:
    """One aggregator.

    answers(votes, run, noise, scores): the labels of the queries that were asked, and where each came from
    (`interactive`). continuous, discrete: what that costs with such noise; discrete None: it cannot have it.
    """

    answers: Callable[..., Answers]
    continuous: Costs
    discrete: Costs | None = None


def _lnmax(votes: np.ndarray, run: dict, rng: np.random.Generator, scores: Scores) -> Answers:
    return _from_teachers(lnmax(votes, run["laplace_scale"], rng))


def _lnmax_ledger(orders: np.ndarray, votes: np.ndarray, source: np.ndarray, run: dict, scores: Scores) -> Ledger:
    ledger = Ledger(orders)
    ledger.charge(lnmax_entry(orders, votes, run["laplace_scale"]))
    return ledger


def _gnmax(votes: np.ndarray, run: dict, rng: np.random.Generator, scores: Scores) -> Answers:
    return _from_teachers(gnmax(votes, run["sigma"], rng))


def _gnmax_ledger(orders: np.ndarray, votes: np.ndarray, source: np.ndarray, run: dict, scores: Scores) -> Ledger:
    ledger = Ledger(orders)
    ledger.charge(gnmax_entry(orders, votes, run["sigma"]))
    return ledger


def _confident_gnmax(votes: np.ndarray, run: dict, rng: np.random.Generator, scores: Scores) -> Answers:
    labels = confident_gnmax(votes, run["threshold"], run["sigma_threshold"], run["sigma"], rng)
    return _from_teachers(stop_after(labels, run["max_answered"]))


def _interactive_gnmax(votes: np.ndarray, run: dict, rng: np.random.Generator, scores: Scores) -> Answers:
    assert scores is not None  # a run with a student has them
    labels, source = interactive_gnmax(
        votes, scores, run["confidence"], run["threshold"], run["sigma_threshold"], run["sigma"], rng
    )
    asked = len(stop_after(np.where(source == TEACHERS, labels, NO_ANSWER), run["max_answered"]))
    return labels[:asked], source[:asked]


def _selective_ledger(orders: np.ndarray, votes: np.ndarray, source: np.ndarray, run: dict, scores: Scores) -> Ledger:
    answered = source == TEACHERS
    return selective_ledger(orders, votes, answered, run["threshold"], run["sigma_threshold"], run["sigma"], scores)


def _discrete_selective_ledger(
    orders: np.ndarray, votes: np.ndarray, source: np.ndarray, run: dict, scores: Scores
) -> Ledger:
    answers = int((source == TEACHERS).sum())
    return discrete_selective_ledger(
        orders, len(votes), answers, run["threshold"], run["sigma_threshold"], run["sigma"]
    )


def _from_teachers(labels: np.ndarray) -> Answers:
    return labels, np.where(labels == NO_ANSWER, NONE, TEACHERS)


def _one_draw_a_query(kind: str) -> Costs:
    """Costs of an aggregator that answers each query by one draw of `DRAWS[kind]`, as that costs on any data.

    The draw's parameters are keys of the run's block.
    """

    def ledger(orders: np.ndarray, votes: np.ndarray, source: np.ndarray, run: dict, scores: Scores) -> Ledger:
        return ledger_of_draws(orders, kind, len(votes), run)

    return Costs(partial(readings.account_of_draws, kind), ledger)


_SELECTIVE = Costs(readings.confident_account, _selective_ledger)
AGGREGATORS = {
    "lnmax": Aggregator(_lnmax, Costs(readings.lnmax_account, _lnmax_ledger)),
    "gnmax": Aggregator(_gnmax, Costs(readings.gnmax_account, _gnmax_ledger), _one_draw_a_query(DISCRETE["gnmax"])),
    "confident_gnmax": Aggregator(
        _confident_gnmax, _SELECTIVE, Costs(readings.discrete_confident_account, _discrete_selective_ledger)
    ),
    "interactive_gnmax": Aggregator(_interactive_gnmax, _SELECTIVE),
}


def account_of(orders: np.ndarray, rounds: Sequence[Round], moments: int) -> readings.Account:
    """Return the account of a run's rounds: of each its votes (n, m), block, and the student's scores if any."""
    accounts = [
        _costs(run).account(orders, votes, run, moments, *([] if scores is None else [scores]))
        for votes, run, scores in rounds
    ]
    return reduce(readings.Account.followed_by, accounts)


def spent(orders: np.ndarray, votes: np.ndarray, source: np.ndarray, run: dict, scores: Scores = None) -> Ledger:
    """Return the ledger of a realised run: votes (n, m) and source (n,) of the queries that were asked."""
    return _costs(run).ledger(orders, votes, source, run, scores)


def noise_of(run: dict, noise_seed: int | None, *job: str) -> np.random.Generator | DiscreteGaussian:
    """Return the source of a run's noise, keyed by the job (see `lib.core.seeding.noise_generator`).

    Raises InputError where the run asks for discrete noise that its mechanism cannot have.
    """
    _costs(run)
    return DiscreteGaussian(noise_bits(noise_seed, *job)) if is_discrete(run) else noise_generator(noise_seed, *job)


def _costs(run: dict) -> Costs:
    """Return what a run costs with the noise that it asks for; InputError where its mechanism cannot have that."""
    aggregator = AGGREGATORS[run["aggregator"]]
    if not is_discrete(run):
        return aggregator.continuous
    if aggregator.discrete is None:
        allowed = " and ".join(name for name, other in AGGREGATORS.items() if other.discrete)
        raise InputError(f"noise = 'discrete' for {run['aggregator']}: allowed for {allowed}")
    return aggregator.discrete
