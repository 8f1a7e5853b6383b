"""The noise of every method: its cost recomputed by other routes, no more than the target and hardly less."""

import math

import dp_accounting
import numpy as np
import pytest
from dp_accounting import rdp as dp_rdp
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.accounting import rdp
from lib.accounting.lnmax import pure_epsilon
from lib.accounting.replaced import replaced_gaussian_rdp
from lib.accounting.subsampled_gaussian import subsampled_gaussian_rdp
from lib.accounting.training_run import TrainingRun
from lib.core.errors import InputError
from lib.dp_mac.accounting import MacRun
from lib.leaderboard.calibration import (
    Budget,
    calibrated,
    confident_noise,
    encoded_mean_noise,
    gnmax_noise,
    lnmax_noise,
    sampled_noise,
)
from lib.leaderboard.statements import stated
from tests.leaderboard.builders import ORDERS
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
    assert 0.95 * budget.epsilon < counted.epsilon <= budget.epsilon
    assert counted.epsilon == max(each.epsilon for each in stated(found.cost).values())
    for each in stated(found.cost).values():
        assert each.delta == budget.delta and each.neighbouring == "replace_one" and each.guarantee
        assert not (each.data_dependent or each.sanitized or each.one_sided)
        assert each.epsilon > 0.75 * budget.epsilon
    assert stated(found.cost)["rdp"].conversion == "tight"
    assert all(isinstance(value, float) and value > 0 for value in found.parameters.values())
    return counted.epsilon


@given(COUNTS, BUDGETS)
@FIXED
def test_gnmax_costs_what_its_events_cost(queries, budget):
    found = gnmax_noise(queries, budget)
    epsilon, sigma = check_statements(found, budget, "analytic"), found.parameters["sigma"]
    assert by_events(gaussians(sigma, math.sqrt(2), queries), budget) == pytest.approx(epsilon, rel=1e-9)
    assert gaussian_delta(math.sqrt(2 * queries), sigma, epsilon) <= budget.delta
    assert gaussian_delta(math.sqrt(2 * queries), sigma / 2, budget.epsilon) > budget.delta


@given(COUNTS, st.floats(0.01, 1), st.floats(0.5, 10), BUDGETS)
@FIXED
def test_confident_gnmax_costs_its_caps(queries, share, ratio, budget):
    answered = max(1, round(share * queries))
    found = confident_noise(queries, answered, ratio, budget)
    epsilon, sigma = check_statements(found, budget, "analytic"), found.parameters["sigma"]
    threshold = found.parameters["sigma_threshold"]
    assert threshold == pytest.approx(ratio * sigma)
    caps = dp_accounting.ComposedDpEvent([gaussians(threshold, 1.0, queries), gaussians(sigma, math.sqrt(2), answered)])
    assert by_events(caps, budget) == pytest.approx(epsilon, rel=1e-9)
    distance = math.sqrt(queries / threshold**2 + 2 * answered / sigma**2)
    assert gaussian_delta(distance, 1.0, epsilon) <= budget.delta
    assert gaussian_delta(distance, 0.5, budget.epsilon) > budget.delta


def response_delta(one, count, epsilon):
    """Delta of `count` randomised responses of epsilon `one` each: exactly, k of them lie and count - k do not."""
    k = np.arange(count + 1)
    log_choose = np.array([math.lgamma(count + 1) - math.lgamma(i + 1) - math.lgamma(count - i + 1) for i in k])
    log_p = log_choose + (count - k) * one - count * np.log1p(np.exp(one))
    log_q = log_choose + k * one - count * np.log1p(np.exp(one))
    return np.maximum(np.exp(log_p) - np.exp(epsilon + log_q), 0).sum()


@pytest.mark.slow
@given(st.integers(1, 300), BUDGETS)
@FIXED
def test_lnmax_costs_no_less_than_randomised_response(queries, budget):
    found = lnmax_noise(queries, budget)
    epsilon, scale = check_statements(found, budget, "pld"), found.parameters["laplace_scale"]
    one = pure_epsilon(scale)
    assert response_delta(one, queries, epsilon) <= budget.delta
    assert response_delta(2 * one, queries, budget.epsilon) > budget.delta
    # dp_accounting rounds losses up, to no more than its interval a query
    second = stated(found.cost)["pld"].epsilon
    assert response_delta(one, queries, second) <= budget.delta * (1 + 1e-9)
    assert response_delta(one, queries, second - 1e-3 - 1e-4 * queries) > budget.delta or queries * one <= second + 1e-2


@given(COUNTS, st.integers(1, 500), BUDGETS)
@FIXED
def test_an_encoded_mean_costs_what_its_events_cost(queries, teachers, budget):
    found = encoded_mean_noise(queries, teachers, math.sqrt(2), budget)
    epsilon, sigma = check_statements(found, budget, "analytic"), found.parameters["sigma"]
    moved = math.sqrt(2) / teachers
    assert by_events(gaussians(sigma, moved, queries), budget) == pytest.approx(epsilon, rel=1e-9)
    assert gaussian_delta(moved * math.sqrt(queries), sigma / 2, budget.epsilon) > budget.delta
    # one-hot answers cost the same as votes: noise of the same size on their mean
    assert sigma * teachers == pytest.approx(gnmax_noise(queries, budget).parameters["sigma"], rel=5e-4)


@pytest.mark.slow
@given(st.integers(100, 2000), st.floats(0.02, 1), st.integers(1, 30), BUDGETS)
@FEW
def test_sampled_gaussians_cost_a_replaced_record(samples, rate, epochs, budget):
    run = TrainingRun(samples=samples, batch=max(1.0, rate * samples), epochs=epochs, sigma=1.0)
    found = sampled_noise(run, budget)
    epsilon, sigma = check_statements(found, budget, "pld"), found.parameters["sigma"]
    steps = epochs * math.ceil(samples / run.batch)
    assert rdp.epsilon_tight(ORDERS, steps * replaced_gaussian_rdp(ORDERS, run.rate, sigma), budget.delta)[0] == epsilon
    half = steps * replaced_gaussian_rdp(ORDERS, run.rate, sigma / 2)
    assert rdp.epsilon_tight(ORDERS, half, budget.delta)[0] > budget.epsilon
    one_more = steps * subsampled_gaussian_rdp(ORDERS, run.rate, sigma)
    assert rdp.epsilon_tight(ORDERS, one_more, budget.delta)[0] < epsilon


def test_a_step_of_the_whole_data_set_is_a_gaussian_of_twice_the_clip():
    budget = Budget(1.0, 1e-5, ORDERS)
    found = sampled_noise(TrainingRun(samples=50, batch=50, epochs=10, sigma=1.0), budget)
    sigma = found.parameters["sigma"]
    assert by_events(gaussians(sigma, 2.0, 10), budget) == pytest.approx(stated(found.cost)["guarantee"].epsilon)
    assert gaussian_delta(2 * math.sqrt(10), sigma, stated(found.cost)["pld"].epsilon) <= 1e-5


def test_what_is_not_accounted_for_is_refused():
    budget = Budget(1.0, 1e-5, ORDERS)
    learned = MacRun(samples=50, batch=5, epochs=1, layers=2, sigma=1.0, pretraining_epochs=1, sigma_histogram=5.0)
    with pytest.raises(InputError, match="thresholds learned"):
        sampled_noise(learned, budget)
    with pytest.raises(InputError, match="max_answered 11"):
        confident_noise(10, 11, 1.0, budget)
    with pytest.raises(InputError, match="ratio 0"):
        confident_noise(10, 5, 0.0, budget)


def test_routes_that_differ_by_too_much_are_the_users_to_mend():
    budget = Budget(1.0, 1e-5, ORDERS)
    with pytest.raises(InputError, match=r"epsilon 1.0: by pld 1.04 times its noise costs 7;") as caught:
        calibrated(budget, lambda noise: ORDERS / noise**2, "pld", lambda noise: 7.0, lambda noise: {})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("epsilon", "delta", "named"), [(0.0, 1e-5, "epsilon"), (math.inf, 1e-5, "epsilon"), (1, 1, "delta")]
)
def test_a_budget_that_is_none_is_refused(epsilon, delta, named):
    with pytest.raises(InputError, match=named):
        Budget(epsilon, delta, ORDERS)
