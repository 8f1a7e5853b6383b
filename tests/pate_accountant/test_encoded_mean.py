"""Noise on means of codes: the papers' numbers, two further routes to each, and what a budget buys."""

import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting import pld
from dp_accounting import rdp as dp_rdp
from hypothesis import given, settings
from hypothesis import strategies as st

from pate_accountant import gaussian
from pate_accountant.encoded_mean import EncodedMeanNoise, calibrated, sensitivity
from pate_accountant.errors import InputError
from pate_accountant.ledger_statements import encoded_statements, ledger_statements
from tests import oracles

FIXED = settings(derandomize=True, deadline=None, max_examples=80)
ORDERS = np.unique(np.concatenate([np.arange(1.02, 12, 0.02), np.geomspace(12, 400, 60)]))
PAPER = {"queries": 80, "teachers": 8, "radius": 1.0, "epsilon": 8.0, "delta": 1e-3}
RUNS = st.fixed_dictionaries(
    {
        "queries": st.integers(1, 500),
        "teachers": st.integers(1, 1000),
        "radius": st.floats(0.01, 500),
        "epsilon": st.floats(0.1, 12),
        "delta": st.sampled_from([1e-2, 1e-3, 1e-5, 1e-8]),
        "pieces": st.integers(1, 200),
    }
)


def pld_epsilon(multiplier, delta):
    accountant = pld.PLDAccountant(value_discretization_interval=1e-3)
    return accountant.compose(dp_accounting.GaussianDpEvent(multiplier)).get_epsilon(delta)


# ---------------------------------------------------------------- the papers' numbers


@pytest.mark.parametrize(("route", "sigma"), [("rdp", 1.2826), ("analytic", 1.0733)])
def test_noise_of_the_paper(route, sigma):
    noise = calibrated(**PAPER, route=route)
    assert noise.sigma == pytest.approx(sigma, abs=5e-5)
    assert noise.sensitivity == pytest.approx(2 * math.sqrt(80) / 8, rel=1e-15)
    assert encoded_statements(noise, 1e-3)[route].epsilon == pytest.approx(8, rel=1e-8)


def test_algorithm_2_prints_the_closed_form():
    n, k, epsilon, log = 80, 8, 8.0, math.log(1e3)
    printed = math.sqrt(2 * n) * (math.sqrt(log + epsilon) + math.sqrt(log)) / (k * epsilon)
    assert calibrated(**PAPER, route="rdp").sigma == pytest.approx(printed, rel=1e-12)
    epsilon, order = oracles.optimal_gaussian_order(2 * math.sqrt(n) / k, printed, 1e-3)
    assert epsilon == pytest.approx(8, rel=1e-9)
    assert order == pytest.approx(3.13, abs=5e-3)


def test_analytic_noise_is_the_least():
    noise = calibrated(**PAPER, route="analytic")
    assert oracles.gaussian_delta(noise.sensitivity, noise.sigma, 8.0) <= 1e-3
    assert oracles.gaussian_delta(noise.sensitivity, 0.999 * noise.sigma, 8.0) > 1e-3


def test_patches_that_are_queries_take_more_noise():
    assert calibrated(**PAPER, route="rdp", pieces=48).sigma == pytest.approx(8.886, abs=5e-4)
    patches = calibrated(**PAPER | {"queries": 80 * 48}, route="rdp")
    assert patches.sigma == pytest.approx(8.886, abs=5e-4)
    # and so does a code as long as 48 pieces together
    assert calibrated(**PAPER | {"radius": math.sqrt(48)}, route="rdp").sigma == pytest.approx(patches.sigma, rel=1e-12)


@pytest.mark.parametrize(
    ("numbers", "sigma"), [(64**3 * 3, 568.7), (64**3 * 4, 656.7), (240 * 240 * 155 * 3, 3319)], ids=str
)
def test_noise_of_pca_pate(numbers, sigma):
    """Masks in [0, 1]^d differ by at most sqrt(d): a radius of half that about the middle."""
    run = PAPER | {"radius": math.sqrt(numbers) / 2}
    found = calibrated(**run, route="rdp").sigma
    assert found == pytest.approx(sigma, rel=2e-4)
    # more than the variance that all components have together, d / 4 at most: none is worth keeping
    assert found**2 > numbers / 4


@pytest.mark.parametrize(
    ("teachers", "epsilon", "sigmas"),
    [
        (8, 8.0, (1.37, 1.71)),
        (8, 1.0, (7.3, 10.6)),
        (100, 8.0, (0.109, 0.137)),
        (100, 1.0, (0.587, 0.851)),
        (1000, 8.0, (0.011, 0.014)),
        (1000, 1.0, (0.059, 0.085)),
        (130, 8.0, (0.084, 0.105)),
        (130, 1.0, (0.45, 0.65)),
    ],
)
def test_noise_on_130_queries_by_teachers(teachers, epsilon, sigmas):
    for delta, sigma in zip((1e-3, 1e-5), sigmas, strict=True):
        found = calibrated(130, teachers, 1.0, epsilon, delta, "analytic").sigma
        digits = len(str(sigma).partition(".")[2])
        assert found == pytest.approx(sigma, abs=0.6 * 10**-digits)


# ---------------------------------------------------------------- never too little


@given(RUNS)
@FIXED
def test_both_routes_give_enough_and_the_analytic_one_no_more(run):
    closed, analytic = (calibrated(**run, route=route) for route in ("rdp", "analytic"))
    assert analytic.sigma < closed.sigma
    for noise in (closed, analytic):
        exact = oracles.gaussian_delta(noise.sensitivity, noise.sigma, run["epsilon"])
        assert exact <= run["delta"] * (1 + 1e-12)
    assert oracles.gaussian_delta(analytic.sensitivity, 0.999 * analytic.sigma, run["epsilon"]) > run["delta"]
    best = oracles.optimal_gaussian_order(closed.sensitivity, closed.sigma, run["delta"])[0]
    assert best == pytest.approx(run["epsilon"], rel=1e-7)
    assert oracles.optimal_gaussian_order(closed.sensitivity, 0.999 * closed.sigma, run["delta"])[0] > run["epsilon"]


@given(RUNS, st.floats(1e-2, 1e2))
@FIXED
def test_epsilons_of_given_noise_hold(run, factor):
    calibrated_noise = calibrated(**run, route="analytic")
    numbers = {name: run[name] for name in ("queries", "teachers", "radius", "pieces")}
    noise = EncodedMeanNoise(**numbers, sigma=calibrated_noise.sigma * factor)
    made = encoded_statements(noise, run["delta"])
    assert made["analytic"].epsilon <= made["rdp"].epsilon + 1e-8
    exact = oracles.gaussian_delta(noise.sensitivity, noise.sigma, made["analytic"].epsilon)
    assert exact <= run["delta"] * (1 + 1e-12)
    best = oracles.optimal_gaussian_order(noise.sensitivity, noise.sigma, run["delta"])[0]
    assert made["rdp"].epsilon == pytest.approx(best, rel=1e-6)
    for statement in made.values():
        assert statement.guarantee
        assert statement.neighbouring == "replace_one"
        assert not (statement.data_dependent or statement.one_sided)


@pytest.mark.parametrize("epsilon", [1.0, 8.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-5])
def test_dp_accounting_agrees_by_two_routes(epsilon, delta):
    run = PAPER | {"epsilon": epsilon, "delta": delta}
    closed, analytic = (calibrated(**run, route=route) for route in ("rdp", "analytic"))
    accountant = dp_rdp.RdpAccountant(ORDERS, dp_accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(dp_accounting.GaussianDpEvent(closed.sigma / closed.sensitivity))
    assert accountant.get_epsilon(delta) <= epsilon
    # by privacy loss distributions, which round up: the analytic noise is just enough, the closed form's more than that
    by_losses = pld_epsilon(analytic.sigma / analytic.sensitivity, delta)
    assert by_losses == pytest.approx(epsilon, abs=5e-3)
    assert pld_epsilon(0.99 * analytic.sigma / analytic.sensitivity, delta) > epsilon
    assert pld_epsilon(closed.sigma / closed.sensitivity, delta) < epsilon


def test_the_ledger_charges_every_answer_and_dp_accounting_agrees():
    noise = calibrated(**PAPER, route="rdp", pieces=3)
    ledger = noise.ledger(ORDERS)
    assert ledger.check() <= 1e-9
    assert ledger.count("encoded_mean") == 240
    # query by query or as one vector: the same cost
    np.testing.assert_allclose(ledger.independent, ORDERS * (noise.sensitivity / noise.sigma) ** 2 / 2, rtol=1e-12)
    made = ledger_statements(ledger, 1e-3)["independent"]
    assert made.guarantee
    assert made.epsilon == pytest.approx(8.0, abs=1e-3)
    assert made.epsilon >= 8.0 - 1e-9
    assert [entry["neighbouring"] for entry in ledger.as_dict()] == ["replace_one"]


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("name", ["queries", "teachers", "pieces"])
@pytest.mark.parametrize("value", [0, -1, 1.5])
def test_impossible_counts_are_refused(name, value):
    with pytest.raises(InputError, match=name):
        sensitivity(**{"queries": 1, "teachers": 1, "radius": 1.0, "pieces": 1, name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name in ("radius", "epsilon") for value in (0.0, -1.0, math.nan, math.inf)]
    + [("delta", 0.0), ("delta", 1.0), ("delta", math.nan), ("route", "moments")],
)
def test_impossible_targets_are_refused(name, value):
    arguments = PAPER | {"route": "rdp", name: value}
    with pytest.raises(InputError, match=name):
        calibrated(**arguments)


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.nan, math.inf])
def test_without_noise_there_is_no_epsilon(sigma):
    with pytest.raises(InputError, match="sigma"):
        EncodedMeanNoise(queries=1, teachers=1, radius=1.0, sigma=sigma)


@pytest.mark.parametrize("compute", [gaussian.epsilon_rdp, gaussian.epsilon_analytic])
@pytest.mark.parametrize(
    ("arguments", "name"), [((0.0, 1.0, 1e-5), "sensitivity"), ((1.0, 0.0, 1e-5), "sigma"), ((1.0, 1.0, 1.0), "delta")]
)
def test_impossible_noise_is_refused(compute, arguments, name):
    with pytest.raises(ValueError, match=name):
        compute(*arguments)
