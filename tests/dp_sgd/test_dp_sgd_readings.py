"""What DP-SGD's printed noise may mean: each reading's bound, its epsilon by two routes, and the steps it allows."""

import math

import dp_accounting
import numpy as np
import pytest
import torch
from dp_accounting import rdp as dp_rdp
from opacus.optimizers import DPPerLayerOptimizer

from lib.core.errors import InputError
from lib.dp_sgd.readings import most_steps, noise_readings, pld_cost, rdp_cost, statement

ORDERS = np.unique(np.concatenate([np.arange(1.05, 10, 0.05), np.arange(10, 64.5, 0.5)]).round(6))
BY_KIND = {(r.clipping, r.noise): r for r in noise_readings(6.0, 4.0, 20)}
DELTA = 1e-3


# ---------------------------------------------------------------- readings


def test_multipliers_of_the_readings():
    root = math.sqrt(6)
    assert {kind: reading.multiplier for kind, reading in BY_KIND.items()} == pytest.approx(
        {
            ("by_layer", "whole"): root,
            ("by_layer", "layer"): root / math.sqrt(20),
            ("by_layer", "absolute"): root / (4 * math.sqrt(20)),
            ("jointly", "whole"): root,
            ("jointly", "absolute"): root / 4,
        }
    )
    assert BY_KIND["by_layer", "absolute"].multiplier == pytest.approx(0.137, abs=5e-4)
    assert BY_KIND["jointly", "absolute"].multiplier == pytest.approx(0.612, abs=5e-4)


def test_the_bound_by_layer_is_attained_and_the_clip_alone_is_not_one():
    """Every layer's gradient at its clip: what one patient adds to the sum."""
    rng = np.random.default_rng(1)
    layers = [rng.standard_normal(size) * 100 for size in range(1, 21)]
    clipped = [layer * min(1, 4 / np.linalg.norm(layer)) for layer in layers]
    norm = np.linalg.norm(np.concatenate(clipped))
    assert norm == pytest.approx(BY_KIND["by_layer", "absolute"].bound, rel=1e-12)
    assert norm > 4 * BY_KIND["jointly", "absolute"].bound


def test_opacus_means_a_multiple_of_the_whole_bound():
    layers = [torch.nn.Parameter(torch.zeros(50_000)) for _ in range(4)]
    for layer in layers:
        layer.grad_sample = torch.zeros(1, len(layer))
    optimizer = DPPerLayerOptimizer(
        torch.optim.SGD(layers, lr=1.0),
        noise_multiplier=math.sqrt(6),
        max_grad_norm=[4.0] * 4,
        expected_batch_size=1,
        generator=torch.Generator().manual_seed(0),
    )
    optimizer.step()
    (reading,) = (r for r in noise_readings(6.0, 4.0, 4) if (r.clipping, r.noise) == ("by_layer", "whole"))
    noise = torch.cat([layer.detach() for layer in layers]).std().item()
    assert noise == pytest.approx(reading.deviation, rel=0.01)


# ---------------------------------------------------------------- costs

# of 400 patients; each pin is of the readings' multiplier, whichever way it clips
PINS = [
    (("jointly", "whole"), 1, 3_260_575),
    (("jointly", "whole"), 4, 203_555),
    (("jointly", "whole"), 16, 12_670),
    (("jointly", "absolute"), 4, 2265),
    (("jointly", "absolute"), 8, 535),
    (("jointly", "absolute"), 16, 127),
    (("by_layer", "absolute"), 1, 0),
    (("by_layer", "absolute"), 16, 0),
]


@pytest.mark.parametrize(("kind", "batch", "steps"), PINS)
def test_steps_within_the_papers_budget(kind, batch, steps):
    cost = rdp_cost(BY_KIND[kind].multiplier, batch / 400, ORDERS, DELTA)
    most = most_steps(cost, 8.0)
    assert most == pytest.approx(steps, rel=1e-3)
    assert cost(most) <= 8.0 < cost(most + 1)


@pytest.mark.parametrize(("kind", "batch", "steps"), [pin for pin in PINS if pin[2] and pin[1] > 1])
def test_dp_accounting_agrees_at_the_whole_orders_it_prices_exactly(kind, batch, steps):
    multiplier, rate = BY_KIND[kind].multiplier, batch / 400
    whole = np.arange(2.0, 33.0)
    accountant = dp_rdp.RdpAccountant(whole)
    accountant.compose(dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(multiplier)), int(steps))
    assert rdp_cost(multiplier, rate, whole, DELTA)(int(steps)) == pytest.approx(
        accountant.get_epsilon(DELTA), rel=1e-6
    )


@pytest.mark.parametrize(("kind", "batch"), [(("jointly", "whole"), 16), (("jointly", "absolute"), 16)])
def test_loss_distributions_cost_less_and_not_much_less(kind, batch):
    multiplier, rate = BY_KIND[kind].multiplier, batch / 400
    by_orders, by_losses = rdp_cost(multiplier, rate, ORDERS, DELTA), pld_cost(multiplier, rate, DELTA)
    steps = most_steps(by_orders, 8.0)
    assert 0.75 * by_orders(steps) < by_losses(steps) < by_orders(steps)
    assert by_losses(steps * 21 // 20) < 8.0  # and so allow more steps


def test_a_patient_who_is_always_sampled_pays_for_a_plain_gaussian_mechanism():
    exact = dp_accounting.get_epsilon_gaussian(2.0 / math.sqrt(10), DELTA)
    assert exact <= pld_cost(2.0, 1.0, DELTA)(10) <= exact + 0.01
    assert exact <= rdp_cost(2.0, 1.0, ORDERS, DELTA)(10) <= 1.2 * exact


def test_no_step_costs_nothing():
    assert rdp_cost(1.0, 0.1, ORDERS, DELTA)(0) == pld_cost(1.0, 0.1, DELTA)(0) == 0


@pytest.mark.parametrize(("clipping", "holds"), [("by_layer", False), ("jointly", True)])
def test_a_reading_that_clips_jointly_is_no_guarantee_of_a_run_by_layer(clipping, holds):
    reading = BY_KIND["jointly", "absolute"]
    cost = rdp_cost(reading.multiplier, 0.04, ORDERS, DELTA)
    made = statement(cost, 127, DELTA, "rdp", reading, clipping)
    assert made.guarantee is holds
    assert made.neighbouring == "add_or_remove_one"
    assert (made.epsilon, made.delta, made.conversion) == (cost(127), DELTA, "tight")


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("position", [0, 1])
def test_noise_and_clip_must_be_positive(position, value):
    arguments = [6.0, 4.0, 20]
    arguments[position] = value
    with pytest.raises(InputError, match="variance"):
        noise_readings(*arguments)


def test_a_network_has_layers():
    with pytest.raises(InputError, match="layers"):
        noise_readings(6.0, 4.0, 0)


@pytest.mark.parametrize("delta", [0.0, 1.0, math.nan])
def test_delta_lies_between_0_and_1(delta):
    with pytest.raises(InputError, match="delta"):
        rdp_cost(1.0, 0.1, ORDERS, delta)
    with pytest.raises(InputError, match="delta"):
        pld_cost(1.0, 0.1, delta)


def test_a_budget_is_positive():
    with pytest.raises(InputError, match="epsilon"):
        most_steps(float, 0.0)
