"""The sampling rate that a DP-SGD budget takes: the paper's two, and that it is the inverse of the accountant."""

import math

import pytest

from lib.core.errors import InputError
from lib.training.sampling_rate import epsilon_at_rate, sampling_rate
from pate_accountant import rdp
from pate_accountant.training_run import TrainingRun, epsilon

ORDERS = rdp.order_grid((1.25, 10.0, 0.25), (10.0, 128.0, 20))  # such large budgets are least at orders below 2
FEW = rdp.order_grid((2.0, 32.0, 2.0), (32.0, 64.0, 3))
DELTA = 1e-5


@pytest.mark.parametrize(("published", "epochs"), [(15.79, 100), (22.33, 182)])
def test_the_published_budgets_take_about_one_twentieth(published, epochs):
    found = sampling_rate(published, 1.1, epochs, ORDERS, DELTA)
    assert found == pytest.approx(0.0488, abs=0.0005)
    assert epsilon_at_rate(found, 1.1, epochs, ORDERS, DELTA) == pytest.approx(published, rel=1e-5)


@pytest.mark.parametrize(
    ("samples", "epochs", "expected"), [(9988, 100, 7.23), (39952, 100, 3.35), (12500, 100, 6.36), (12500, 182, 8.81)]
)
def test_what_the_printed_settings_cost(samples, epochs, expected):
    run = TrainingRun(samples=samples, batch=128, epochs=epochs, sigma=1.1)
    fractional = epsilon_at_rate(128 / samples, 1.1, epochs, ORDERS, DELTA)
    assert fractional == pytest.approx(expected, rel=0.002)
    # the accountant of runs rounds the batches of an epoch up
    assert fractional < epsilon(run, ORDERS, DELTA) < 1.01 * fractional


def test_whole_steps_cost_as_the_accountant_of_runs_says():
    run = TrainingRun(samples=1000, batch=50, epochs=3, sigma=1.5)
    assert epsilon_at_rate(0.05, 1.5, 3, ORDERS, DELTA) == pytest.approx(epsilon(run, ORDERS, DELTA), rel=1e-12)


@pytest.mark.parametrize("rate", [3e-4, 0.01, 0.3, 0.9])
def test_it_is_the_inverse_of_the_cost(rate):
    cost = epsilon_at_rate(rate, 1.3, 20, FEW, DELTA)
    assert sampling_rate(cost, 1.3, 20, FEW, DELTA) == pytest.approx(rate, rel=1e-5)


def test_no_sampling_is_the_gaussian_mechanism():
    expected, _ = rdp.epsilon_classic(ORDERS, 7 * rdp.gaussian_rdp(ORDERS, 2.0, 1.0), DELTA)
    assert epsilon_at_rate(1.0, 2.0, 7, ORDERS, DELTA) == expected


@pytest.mark.parametrize(
    ("target", "named"), [(0.0, "positive"), (math.inf, "positive"), (1e-3, "costs more"), (1e6, "not even")]
)
def test_budgets_that_no_rate_has(target, named):
    with pytest.raises(InputError, match=named):
        sampling_rate(target, 1.1, 100, FEW, DELTA)
