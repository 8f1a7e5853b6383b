"""What discrete noise costs, against exact divergences over all neighbours of small histograms."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from lib.pate.aggregators import account_of, spent
from lib.pate.interactive import NONE, TEACHERS
from pate_accountant import gnmax, threshold
from pate_accountant.confident import selective_caps
from pate_accountant.draws import DRAWS, as_dict
from pate_accountant.ledger_statements import ledger_statements
from tests import oracles

FIXED = settings(derandomize=True, deadline=None, max_examples=40)
ORDERS = np.array([1.5, 2.0, 5.0, 20.0, 100.0])


def log_pmf(sigma: float, most: int) -> np.ndarray:
    """ln P of -most .. most."""
    log_weights = -(np.arange(-most, most + 1.0) ** 2) / (2 * sigma**2)
    return log_weights - logsumexp(log_weights)


def divergence(log_p: np.ndarray, log_q: np.ndarray, order: float) -> float:
    """Renyi divergence of discrete distributions; where q is 0, p is left out (both are tails beyond the grid)."""
    both = np.isfinite(log_p) & np.isfinite(log_q)
    return float(logsumexp(order * log_p[both] + (1 - order) * log_q[both]) / (order - 1))


def shifted(log_p: np.ndarray, by: int) -> np.ndarray:
    """The law of X + by on the same grid."""
    moved = np.full_like(log_p, -np.inf)
    if by >= 0:
        moved[by:] = log_p[: len(log_p) - by]
    else:
        moved[:by] = log_p[-by:]
    return moved


@given(st.floats(0.3, 6), st.integers(1, 3), st.sampled_from([1.5, 2.0, 5.0, 20.0]))
@FIXED
def test_the_curve_bounds_a_shifted_draw_and_half_the_noise_does_not(sigma, shift, order):
    # the integrand is centred at (order) * shift: the grid reaches far beyond it
    log_p = log_pmf(sigma, int(25 * shift + 40 * sigma) + 60)
    exact = divergence(shifted(log_p, shift), log_p, order)
    bound = order * shift**2 / (2 * sigma**2)
    assert exact <= bound * (1 + 1e-9)
    if order.is_integer():  # the shift of the integrand is whole, and the bound attained
        assert exact == pytest.approx(bound, rel=1e-6)
    assert bound / 4 < exact  # what noise of 2 sigma would cost


def log_answers(votes: np.ndarray, sigma: float) -> np.ndarray:
    """ln of the chance of each class, over all draws on a grid; a tie goes to the smaller class."""
    most = int(12 * sigma) + 4
    log_p = log_pmf(sigma, most)
    axes = [votes[i] + np.arange(-most, most + 1) for i in range(len(votes))]
    noisy = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    weights = sum(np.meshgrid(*[log_p] * len(votes), indexing="ij"))
    winner = noisy.argmax(axis=-1)
    return np.array([logsumexp(weights[winner == c]) if (winner == c).any() else -np.inf for c in range(len(votes))])


@pytest.mark.parametrize(("teachers", "classes", "sigma"), [(5, 2, 0.6), (5, 2, 1.3), (4, 3, 0.7), (4, 3, 1.0)])
def test_no_neighbour_of_any_small_histogram_costs_more(teachers, classes, sigma):
    laws = {tuple(votes): log_answers(votes, sigma) for votes in oracles.lattice(teachers, classes)}
    largest = np.zeros(len(ORDERS))
    for one, other in itertools.permutations(laws, 2):
        if np.abs(np.subtract(one, other)).sum() == 2:
            found = [divergence(laws[one], laws[other], order) for order in ORDERS]
            largest = np.maximum(largest, found)
    bound = DRAWS["discrete_gnmax"].independent(ORDERS, {"sigma": sigma})
    assert (largest <= bound * (1 + 1e-9)).all()
    # noise of twice this sigma would be priced a quarter, which some neighbour exceeds
    assert (largest > bound / 4).any()


@pytest.mark.parametrize("sigma", [0.6, 1.5, 4.0])
def test_no_check_costs_more_than_its_curve(sigma):
    log_p = log_pmf(sigma, int(40 * sigma) + 20)
    values = np.arange(-(len(log_p) // 2), len(log_p) // 2 + 1)
    largest = np.zeros(len(ORDERS))
    for distance in range(-6, 7):
        laws = [
            np.array([logsumexp(log_p[values + gap < 0]), logsumexp(log_p[values + gap >= 0])])
            for gap in (distance, distance + 1, distance - 1)
        ]
        for other in laws[1:]:
            largest = np.maximum(largest, [divergence(laws[0], other, order) for order in ORDERS])
    bound = DRAWS["discrete_threshold"].independent(ORDERS, {"sigma": sigma, "threshold": 3.0})
    assert (largest <= bound * (1 + 1e-9)).all()
    assert (largest > bound / 4).any()


def test_the_continuous_tail_does_not_hold():
    """Why no data-dependent cost is offered: a tie, or worse, is likelier than the continuous bound says."""
    wrong = np.exp(log_answers(np.array([2, 3]), 0.5)[0])
    assert wrong > 2 * np.exp(gnmax.log_error_bound(np.array([[2, 3]]), 0.5)[0])
    assert wrong == pytest.approx(0.18, abs=0.01)


# ---------------------------------------------------------------- in the ledger and the account

CONFIDENT = {
    "aggregator": "confident_gnmax",
    "threshold": 6,
    "sigma_threshold": 3.0,
    "sigma": 2.0,
    "max_answered": 5,
    "noise": "discrete",
}
GNMAX = {"aggregator": "gnmax", "sigma": 2.0, "noise": "discrete"}
VOTES = np.array([[9, 1, 0], [4, 3, 3], [0, 10, 0], [2, 2, 6], [5, 5, 0]])


def test_a_discrete_run_is_charged_what_it_drew_on_any_data():
    source = np.array([TEACHERS, NONE, TEACHERS, NONE, NONE])
    ledger = spent(ORDERS, VOTES, source, CONFIDENT)
    assert ledger.check() <= 1e-9
    assert [(entry.mechanism, entry.count) for entry in ledger.entries] == [
        ("discrete_threshold", 5),
        ("discrete_gnmax", 2),
    ]
    expected = 5 * threshold.rdp_independent(ORDERS, 3.0) + 2 * gnmax.rdp_independent(ORDERS, 2.0)
    np.testing.assert_allclose(ledger.independent, expected)
    np.testing.assert_array_equal(ledger.dependent, ledger.independent)
    statements = ledger_statements(ledger, 1e-3)
    assert not statements["independent"].guarantee  # the votes decide how many answers there are
    caps = selective_caps(ORDERS, 5, 5, 3.0, 2.0)
    assert (ledger.independent <= caps * (1 + 1e-12)).all()
    plain = spent(ORDERS, VOTES, np.full(5, TEACHERS), GNMAX)
    assert plain.check() <= 1e-9 and ledger_statements(plain, 1e-3)["independent"].guarantee


@pytest.mark.parametrize("run", [CONFIDENT, GNMAX], ids=lambda run: run["aggregator"])
def test_a_discrete_account_does_not_look_at_the_votes(run):
    run = run | {"delta": 1e-3}
    made = [account_of(ORDERS, [(votes, run, None)], 8) for votes in (VOTES, VOTES[::-1], np.full((5, 3), [10, 0, 0]))]
    for account in made:
        assert set(account.readings) == {"epsilon", "epsilon_data_independent"}
        reading = account.readings["epsilon"]
        assert reading.proved_bound and not reading.data_dependent and not reading.one_sided
        np.testing.assert_array_equal(reading.costs, made[0].readings["epsilon"].costs)
        charged = spent(ORDERS, VOTES, np.full(5, TEACHERS), run).independent
        np.testing.assert_allclose(reading.costs.sum(axis=0), charged)


def test_every_draw_has_its_text():
    assert (
        as_dict("gnmax", 3, {"sigma": 4.0})
        == spent(ORDERS, VOTES[:3], np.ones(3), {"aggregator": "gnmax", "sigma": 4.0}).as_dict()[0]
    )
    assert "Unsupported" in as_dict("gnss", 1, {"order": 5.0, "beta": 0.05, "sigma_ss": 5.0})["dp_event"]
    for name, kind in DRAWS.items():
        given = dict.fromkeys(kind.parameters, 2.0) | ({"beta": 0.1} if name == "gnss" else {})
        cost = kind.independent(np.array([2.0, 3.0]), given)
        assert (cost > 0).all() and np.isfinite(cost[0])
    assert DRAWS["gnss"].independent(np.array([2.0, 3.0]), {"order": 2.0, "beta": 0.1, "sigma_ss": 2.0})[1] == np.inf
