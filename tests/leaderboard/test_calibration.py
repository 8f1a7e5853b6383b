"""The noise of every method costs no more than its target and hardly less, by exact divergences and a second route."""

import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting import rdp as dp_rdp
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.dp_mac.accounting import MacRun
from lib.leaderboard.calibration import (
    AGREEMENT,
    Budget,
    calibrated,
    confident_noise,
    encoded_mean_noise,
    gnmax_noise,
    lnmax_noise,
    sampled_noise,
)
from lib.leaderboard.statements import stated
from pate_accountant import rdp
from pate_accountant.lnmax import rdp_independent
from pate_accountant.replaced import replaced_gaussian_rdp
from pate_accountant.subsampled_gaussian import subsampled_gaussian_rdp
from pate_accountant.training_run import TrainingRun
from tests.leaderboard.builders import ORDERS, PRIVATE, build
from tests.oracles import gaussian_delta

FIXED = settings(derandomize=True, deadline=None, max_examples=25)
FEW = settings(derandomize=True, deadline=None, max_examples=5)
BUDGETS = st.builds(Budget, st.floats(0.5, 10), st.sampled_from([1e-3, 1e-5, 1e-6]), st.just(ORDERS))
COUNTS = st.integers(1, 500)


def by_events(event, budget):
    """Epsilon of an event whose Gaussians state their noise over the distance of two neighbours."""
    accountant = dp_rdp.RdpAccountant(budget.orders, dp_accounting.NeighboringRelation.REPLACE_ONE)
    return accountant.compose(event).get_epsilon(budget.delta)


def gaussians(sigma, sensitivity, count):
    return dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(sigma / sensitivity), count)


def check_statements(found, budget, second):
    assert set(stated(found.cost)) == {"guarantee", "rdp", second}
    counted = stated(found.cost)["guarantee"]
    assert 0.998 * budget.epsilon < counted.epsilon <= budget.epsilon
    assert counted.epsilon == min(each.epsilon for each in stated(found.cost).values())
    for each in stated(found.cost).values():
        assert each.delta == budget.delta and each.neighbouring == "replace_one" and each.guarantee
        assert not (each.data_dependent or each.sanitized or each.one_sided)
        assert each.epsilon < AGREEMENT * budget.epsilon
    assert stated(found.cost)["rdp"].conversion == "tight"
    assert all(isinstance(value, float) and value > 0 for value in found.parameters.values())
    return counted.epsilon


def renyi(found):
    return stated(found.cost)["rdp"].epsilon


@given(COUNTS, BUDGETS)
@FIXED
def test_gnmax_costs_what_its_events_cost(queries, budget):
    found = gnmax_noise(queries, budget)
    epsilon, sigma = check_statements(found, budget, "analytic"), found.parameters["sigma"]
    assert by_events(gaussians(sigma, math.sqrt(2), queries), budget) == pytest.approx(renyi(found), rel=1e-9)
    assert gaussian_delta(math.sqrt(2 * queries), sigma, epsilon) <= budget.delta
    assert gaussian_delta(math.sqrt(2 * queries), sigma, 0.99 * epsilon) > budget.delta


@given(COUNTS, st.floats(0.01, 1), st.floats(0.5, 10), BUDGETS)
@FIXED
def test_confident_gnmax_costs_its_caps(queries, share, ratio, budget):
    answered = max(1, round(share * queries))
    found = confident_noise(queries, answered, ratio, budget)
    epsilon, sigma = check_statements(found, budget, "analytic"), found.parameters["sigma"]
    threshold = found.parameters["sigma_threshold"]
    assert threshold == pytest.approx(ratio * sigma)
    caps = dp_accounting.ComposedDpEvent([gaussians(threshold, 1.0, queries), gaussians(sigma, math.sqrt(2), answered)])
    assert by_events(caps, budget) == pytest.approx(renyi(found), rel=1e-9)
    distance = math.sqrt(queries / threshold**2 + 2 * answered / sigma**2)
    assert gaussian_delta(distance, 1.0, epsilon) <= budget.delta
    assert gaussian_delta(distance, 1.0, 0.99 * epsilon) > budget.delta


def laplace_delta(scale, count, epsilon, upwards, parts=4000):
    """Delta of `count` Laplace mechanisms of sensitivity 1, exact but for losses moved by less than 2 / (scale parts).

    Of Lap(0) against Lap(1) the privacy loss is 1 / scale on the left of both and -1 / scale on their right; a loss of
    at least l in between has the probability 1 - exp(-(1 / scale - l) / 2) / 2. Losses are moved to a grid, all
    upwards or all downwards, and added up by the Fourier transform.
    """
    losses = np.linspace(-1, 1, parts + 1) / scale
    at_least = 1 - np.exp(-(1 / scale - losses) / 2) / 2
    one = -np.diff([1, *(at_least[:-1] if upwards else at_least[1:]), 0])
    size = parts * count + 1
    summed = np.fft.irfft(np.fft.rfft(one, size) ** count, size)
    total = count * losses[0] + np.arange(size) * (losses[1] - losses[0])
    return np.maximum(summed, 0)[total > epsilon] @ -np.expm1(epsilon - total[total > epsilon])


@pytest.mark.parametrize(("queries", "epsilon"), [(1, 1.0), (40, 1.0), (100, 8.0)])
def test_lnmax_costs_what_its_noisy_counts_cost(queries, epsilon):
    budget = Budget(epsilon, 1e-5, ORDERS)
    found = lnmax_noise(queries, budget)
    epsilon, scale = check_statements(found, budget, "pld"), found.parameters["laplace_scale"]
    assert laplace_delta(scale, 2 * queries, epsilon, upwards=False) <= budget.delta
    assert laplace_delta(scale, 2 * queries, epsilon, upwards=True) <= 1.03 * budget.delta
    assert laplace_delta(scale, 2 * queries, 0.99 * epsilon, upwards=False) > budget.delta
    events = dp_accounting.SelfComposedDpEvent(dp_accounting.LaplaceDpEvent(scale), 2 * queries)
    assert by_events(events, budget) == pytest.approx(renyi(found), rel=1e-9)


@pytest.mark.slow
@given(st.integers(1, 300), BUDGETS)
@FIXED
def test_lnmax_costs_less_than_any_mechanism_as_pure(queries, budget):
    found = lnmax_noise(queries, budget)
    scale = found.parameters["laplace_scale"]
    check_statements(found, budget, "pld")
    any_pure = queries * rdp_independent(ORDERS, scale)
    assert renyi(found) <= budget.by_rdp(any_pure)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow if kind == "dp_sgd" else []) for kind in PRIVATE]
)
@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0, 8.0])
def test_all_methods_prove_what_they_promise_within_3_percent_of_each_other(kind, epsilon):
    """Every one is within a fifth of a percent below its promise, so any two are far closer than 3 percent."""
    proved = stated(build(kind, epsilon).cost())["guarantee"].epsilon
    assert 0.998 < proved / epsilon <= 1


@given(COUNTS, st.integers(1, 500), BUDGETS)
@FIXED
def test_an_encoded_mean_costs_what_its_events_cost(queries, teachers, budget):
    found = encoded_mean_noise(queries, teachers, math.sqrt(2), budget)
    epsilon, sigma = check_statements(found, budget, "analytic"), found.parameters["sigma"]
    moved = math.sqrt(2) / teachers
    assert by_events(gaussians(sigma, moved, queries), budget) == pytest.approx(renyi(found), rel=1e-9)
    assert gaussian_delta(moved * math.sqrt(queries), sigma, epsilon) <= budget.delta
    assert gaussian_delta(moved * math.sqrt(queries), sigma, 0.99 * epsilon) > budget.delta
    # one-hot answers cost the same as votes: noise of the same size on their mean
    assert sigma * teachers == pytest.approx(gnmax_noise(queries, budget).parameters["sigma"], rel=2e-3)


@pytest.mark.slow
@given(st.integers(100, 2000), st.floats(0.02, 1), st.integers(1, 30), BUDGETS)
@FEW
def test_sampled_gaussians_cost_a_replaced_record(samples, rate, epochs, budget):
    run = TrainingRun(samples=samples, batch=max(1.0, rate * samples), epochs=epochs, sigma=1.0)
    found = sampled_noise(run, budget)
    epsilon, sigma = check_statements(found, budget, "pld"), found.parameters["sigma"]
    steps = epochs * math.ceil(samples / run.batch)
    by_rdp = rdp.epsilon_tight(ORDERS, steps * replaced_gaussian_rdp(ORDERS, run.rate, sigma), budget.delta)[0]
    assert epsilon <= by_rdp == renyi(found)
    half = steps * replaced_gaussian_rdp(ORDERS, run.rate, sigma / 2)
    assert rdp.epsilon_tight(ORDERS, half, budget.delta)[0] > budget.epsilon
    one_more = steps * subsampled_gaussian_rdp(ORDERS, run.rate, sigma)
    assert rdp.epsilon_tight(ORDERS, one_more, budget.delta)[0] < by_rdp


def test_a_step_of_the_whole_data_set_is_a_gaussian_of_twice_the_clip():
    budget = Budget(1.0, 1e-5, ORDERS)
    found = sampled_noise(TrainingRun(samples=50, batch=50, epochs=10, sigma=1.0), budget)
    sigma = found.parameters["sigma"]
    assert by_events(gaussians(sigma, 2.0, 10), budget) == pytest.approx(renyi(found))
    assert gaussian_delta(2 * math.sqrt(10), sigma, stated(found.cost)["guarantee"].epsilon) <= 1e-5


def test_noise_is_in_the_unit_of_the_vector_that_a_step_releases():
    budget, sizes = Budget(1.0, 1e-5, ORDERS), {"samples": 50, "batch": 50, "epochs": 10, "sigma": 1.0}
    longer = MacRun(**sizes, layers=1, coefficients=("constant", "linear"), scaling="layers")
    once, found = (sampled_noise(run, budget).parameters["sigma"] for run in (TrainingRun(**sizes), longer))
    assert found == pytest.approx(math.sqrt(2) * once, rel=2e-3)


def test_what_is_not_accounted_for_is_refused():
    budget = Budget(1.0, 1e-5, ORDERS)
    learned = MacRun(samples=50, batch=5, epochs=1, layers=2, sigma=1.0, pretraining_epochs=1, sigma_histogram=5.0)
    with pytest.raises(InputError, match="thresholds learned"):
        sampled_noise(learned, budget)
    with pytest.raises(InputError, match="max_answered 11"):
        confident_noise(10, 11, 1.0, budget)
    with pytest.raises(InputError, match="ratio 0"):
        confident_noise(10, 5, 0.0, budget)


def test_two_routes_that_differ_by_too_much_are_refused():
    budget = Budget(1.0, 1e-5, ORDERS)
    with pytest.raises(InputError, match=r"epsilon 1.0: .* by rdp and .* by pld") as caught:
        calibrated(budget, lambda noise: ORDERS / noise**2, "pld", lambda noise: 0.1 / noise, lambda noise: {})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("epsilon", "delta", "named"), [(0.0, 1e-5, "epsilon"), (math.inf, 1e-5, "epsilon"), (1, 1, "delta")]
)
def test_a_budget_that_is_none_is_refused(epsilon, delta, named):
    with pytest.raises(InputError, match=named):
        Budget(epsilon, delta, ORDERS)
