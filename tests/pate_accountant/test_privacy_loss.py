"""Epsilon by privacy loss distributions, beside the exact one and the Renyi bound."""

import math

import dp_accounting
import numpy as np
import pytest

from pate_accountant import rdp
from pate_accountant.errors import InputError
from pate_accountant.privacy_loss import pld_cost
from pate_accountant.subsampled_gaussian import subsampled_gaussian_rdp

ORDERS = np.unique(np.concatenate([np.arange(1.05, 10, 0.05), np.arange(10, 64.5, 0.5)]).round(6))
DELTA = 1e-3


@pytest.mark.parametrize(("multiplier", "steps"), [(math.sqrt(6), 12_670), (math.sqrt(6) / 4, 127)])
def test_loss_distributions_cost_less_than_orders_and_not_much_less(multiplier, steps):
    once = subsampled_gaussian_rdp(ORDERS, 16 / 400, multiplier)
    by_orders, by_losses = rdp.epsilon_tight(ORDERS, steps * once, DELTA)[0], pld_cost(multiplier, 16 / 400, DELTA)
    assert by_orders == pytest.approx(8, rel=0.01)
    assert 0.75 * by_orders < by_losses(steps) < by_orders


def test_a_record_that_is_always_sampled_pays_for_a_plain_gaussian_mechanism():
    exact = dp_accounting.get_epsilon_gaussian(2.0 / math.sqrt(10), DELTA)
    assert exact <= pld_cost(2.0, 1.0, DELTA)(10) <= exact + 0.01


def test_no_step_costs_nothing():
    assert pld_cost(1.0, 0.1, DELTA)(0) == 0


@pytest.mark.parametrize("delta", [0.0, 1.0, math.nan])
def test_delta_lies_between_0_and_1(delta):
    with pytest.raises(InputError, match="delta"):
        pld_cost(1.0, 0.1, delta)
