"""Objectives, coordinates and expansions against autograd."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.core.errors import InputError
from lib.dp_mac import auxiliary
from lib.dp_mac.activations import ACTIVATIONS
from lib.dp_mac.network import MacNetwork
from lib.dp_mac.objectives import BinaryCrossEntropy, SquaredError
from lib.dp_mac.release import exact
from tests.dp_mac.builders import KINDS, coefficients, dense, drawn

FIXED = settings(derandomize=True, deadline=None, max_examples=30)
NETWORKS = [
    MacNetwork((4, 3, 2, 5), output="squared_error"),
    MacNetwork((4, 3, 2), output="binary_cross_entropy", bias=True),
    MacNetwork((3, 4, 3), output="squared_error", activation="tanh", bias=True),
    MacNetwork((5, 2), output="binary_cross_entropy"),
    MacNetwork((2, 3, 2), output="squared_error", activation="sigmoid"),
    MacNetwork((4, 3, 4), output="squared_error", activation="relu", linear_output=True, bias=True),
]
networks = st.sampled_from(NETWORKS)
seeds = st.integers(0, 2**31)
CLOSE = {"rtol": 1e-9, "atol": 1e-9}


def layer_objective(network, k, weight, inputs, target):
    """1/(2b) sum_n T_n of one layer written from its definition, (R,), for autograd."""
    u = network.layer_input(inputs) @ weight
    if k == network.layers - 1 and network.output == "binary_cross_entropy":
        values = torch.nn.functional.binary_cross_entropy_with_logits(u, target, reduction="none")
    else:
        functions = {"softplus": torch.nn.functional.softplus, "tanh": torch.tanh, "sigmoid": torch.sigmoid}
        functions |= {"relu": torch.relu, "linear": lambda u: u}
        linear = network.linear_output and k == network.layers - 1
        values = (target - functions["linear" if linear else network.activation](u)) ** 2
    return values.sum(-1) / 2


# ---------------------------------------------------------------- functions of a pre-activation


@pytest.mark.parametrize("name", ACTIVATIONS)
@given(st.floats(-60, 60))
@FIXED
def test_activations_have_the_derivatives_they_say(name, point):
    activation = ACTIVATIONS[name]
    u = torch.tensor([point], dtype=torch.float64, requires_grad=True)
    for function, derivative in ((activation.value, activation.first), (activation.first, activation.second)):
        given_ = function(u)
        found = torch.autograd.grad(given_.sum(), u, allow_unused=True)[0] if given_.requires_grad else None
        found = torch.zeros_like(u) if found is None else found
        torch.testing.assert_close(derivative(u).detach(), found, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("objective", [SquaredError(ACTIVATIONS["softplus"]), BinaryCrossEntropy()])
@given(st.floats(-30, 30), st.floats(0, 1))
@FIXED
def test_objectives_have_the_derivatives_they_say(objective, point, target):
    u = torch.tensor([point], dtype=torch.float64, requires_grad=True)
    t = torch.tensor([target], dtype=torch.float64)
    for function, derivative in ((objective.value, objective.first), (objective.first, objective.second)):
        found = torch.autograd.grad(function(u, t).sum(), u)[0]
        torch.testing.assert_close(derivative(u, t).detach(), found, rtol=1e-9, atol=1e-12)


# ---------------------------------------------------------------- networks


def test_layers_give_what_plain_modules_give():
    network = NETWORKS[1]
    weights, x, _, _ = drawn(network, 3, 6, seed=1)
    first, last = network.outputs(weights, x)
    for run in range(3):
        hidden = torch.nn.functional.softplus(x[run] @ weights[0][run, :4] + weights[0][run, 4])
        torch.testing.assert_close(first[run], hidden, **CLOSE)
        logits = hidden @ weights[1][run, :3] + weights[1][run, 3]
        torch.testing.assert_close(last[run], torch.sigmoid(logits), **CLOSE)
    torch.testing.assert_close(network.predict(weights, x[0])[0], last[0], **CLOSE)


def test_first_weights_have_the_spread_they_say_and_no_bias():
    for initial, bias in (("glorot", True), ("standard_normal", False)):
        network = MacNetwork((200, 300, 100), output="squared_error", initial=initial, bias=bias)
        drawn_weights = network.initial_weights(np.random.default_rng(0))
        for weight, (inputs, outputs) in zip(drawn_weights, ((200, 300), (300, 100)), strict=True):
            assert weight.shape == (inputs + bias, outputs) and weight.dtype == np.float32
            expected = np.sqrt(2 / (inputs + outputs)) if initial == "glorot" else 1.0
            assert weight[:inputs].std() == pytest.approx(expected, rel=0.03)
            assert abs(weight[:inputs].mean()) < 0.03 * expected
            assert not weight[inputs:].any()


def test_only_an_autoencoder_has_a_linear_output():
    with pytest.raises(InputError, match="linear_output = True: allowed is false with output binary_cross_entropy"):
        MacNetwork((4, 2), output="binary_cross_entropy", linear_output=True)


# ---------------------------------------------------------------- coordinates


def objective(network, weights, x, y, coordinates, mu):
    """One half of a sample's share of eq. (2), (R, b): (T_output + mu sum_k T_k) / 2."""
    return sum(
        (1.0 if k == network.layers - 1 else mu) * layer_objective(network, k, weights[k], inputs, target)
        for k, (inputs, target) in enumerate(zip([x, *coordinates], [*coordinates, y], strict=True))
    )


@given(networks, seeds, st.floats(0.1, 3))
@FIXED
def test_the_gradient_in_the_coordinates_is_autograds(network, seed, mu):
    weights, x, y, coordinates = drawn(network, 2, 4, seed)
    for z in coordinates:
        z.requires_grad_()
    total = objective(network, weights, x, y, coordinates, mu)
    if not coordinates:
        return
    expected = torch.autograd.grad(total.sum(), coordinates)
    with torch.no_grad():
        first = network.outputs(weights, x)[0]
        found = auxiliary.gradients(network, weights, first, y, coordinates, mu)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other, **CLOSE)


def test_the_z_step_is_adam_on_that_objective_and_lowers_it():
    network = NETWORKS[0]
    weights, x, y, _ = drawn(network, 2, 4, seed=3, spread=0.5)
    start = network.outputs(weights, x)[:-1]
    mine = auxiliary.auxiliary_coordinates(network, weights, x, y, 12, 0.03, 0.7)
    other = [z.clone().requires_grad_() for z in start]
    adam = torch.optim.Adam(other, lr=0.03)
    for _ in range(12):
        adam.zero_grad()
        objective(network, weights, x, y, other, 0.7).sum().backward()
        adam.step()
    for one, two in zip(mine, other, strict=True):
        torch.testing.assert_close(one, two.detach(), rtol=1e-6, atol=1e-8)
    before, after = (objective(network, weights, x, y, z, 0.7) for z in (start, mine))
    assert (after < before).all()
    unmoved = auxiliary.auxiliary_coordinates(network, weights, x, y, 0, 0.03)
    assert all(torch.equal(one, two) for one, two in zip(unmoved, start, strict=True))
    assert auxiliary.auxiliary_coordinates(NETWORKS[3], *drawn(NETWORKS[3], 2, 4, seed=3)[:3], 5, 0.1) == []


@given(networks, seeds, st.integers(0, 4))
@FIXED
def test_a_samples_coefficients_depend_on_no_other_sample(network, seed, changed):
    weights, x, y, _ = drawn(network, 2, 5, seed, dtype=torch.float32)
    others = [n for n in range(5) if n != changed]
    swapped = [x.clone(), y.clone()]
    swapped[0][:, changed] *= -3
    swapped[1][:, changed] = 1 - swapped[1][:, changed]
    found = []
    for inputs, targets in ((x, y), swapped):
        z = auxiliary.auxiliary_coordinates(network, weights, inputs, targets, 10, 0.05)
        found.append(coefficients(network, 2, weights, inputs, targets, z))
    for one, two in zip(*found, strict=True):
        for kind in KINDS:
            np.testing.assert_allclose(
                dense(one, kind)[:, others], dense(two, kind)[:, others], rtol=2e-4, atol=2e-5 * dense(one, kind).max()
            )


# ---------------------------------------------------------------- expansions


@given(networks, seeds)
@FIXED
def test_the_linear_coefficient_is_autograds_gradient_sample_by_sample(network, seed):
    weights, x, y, coordinates = drawn(network, 2, 4, seed)
    found = coefficients(network, 1, weights, x, y, coordinates)
    inputs, targets = [x, *coordinates], [*coordinates, y]
    for k, layer in enumerate(found):
        for run in range(2):
            for n in range(4):
                weight = weights[k][run].clone().requires_grad_()
                half = layer_objective(network, k, weight, inputs[k][run, n : n + 1], targets[k][run, n : n + 1])
                expected = torch.autograd.grad(2 * half.sum(), weight)[0]
                np.testing.assert_allclose(dense(layer, "linear")[run, n], expected.numpy().ravel(), **CLOSE)


@given(networks, seeds)
@FIXED
def test_the_quadratic_coefficient_is_half_of_autograds_hessian(network, seed):
    weights, x, y, coordinates = drawn(network, 1, 2, seed)
    found = coefficients(network, 2, weights, x, y, coordinates)
    inputs, targets = [x, *coordinates], [*coordinates, y]
    for k, layer in enumerate(found):
        rows, columns = network.shapes[k]
        for n in range(2):

            def objective(weight, k=k, n=n):
                return 2 * layer_objective(network, k, weight, inputs[k][0, n : n + 1], targets[k][0, n : n + 1]).sum()

            hessian = torch.autograd.functional.hessian(objective, weights[k][0]).numpy()
            mine = dense(layer, "quadratic")[0, n].reshape(columns, rows, rows)
            for unit in range(columns):
                np.testing.assert_allclose(mine[unit], hessian[:, unit, :, unit] / 2, **CLOSE)
                for other in set(range(columns)) - {unit}:
                    assert not hessian[:, unit, :, other].any()  # units do not meet: one matrix each is all


@given(networks, seeds, st.sampled_from([1, 2]))
@FIXED
def test_the_polynomial_is_taylors_at_its_point(network, seed, order):
    weights, x, y, coordinates = drawn(network, 2, 4, seed)
    present = torch.ones(2, 4, dtype=torch.float64)
    inputs, targets = [x, *coordinates], [*coordinates, y]
    moved = drawn(network, 2, 4, seed + 1)[0]
    for k, layer in enumerate(coefficients(network, order, weights, x, y, coordinates)):
        polynomial = exact(layer, present, 4)

        def objective(weight, k=k):
            return layer_objective(network, k, weight, inputs[k], targets[k]).sum(-1) / 4

        value, gradient = (function(weights[k]) for function in (polynomial.value, polynomial.gradient))
        torch.testing.assert_close(value, objective(weights[k]), **CLOSE)
        at = weights[k].clone().requires_grad_()
        torch.testing.assert_close(gradient, torch.autograd.grad(objective(at).sum(), at)[0], **CLOSE)
        # away from the point: Taylor's polynomial, written with autograd's directional derivatives
        step = moved[k] - weights[k]
        _, first = torch.autograd.functional.jvp(objective, weights[k], step)
        predicted = value + first
        if order == 2:
            _, second = torch.autograd.functional.vhp(lambda w, f=objective: f(w).sum(), weights[k], step)
            predicted = predicted + 0.5 * (second * step).sum((1, 2))
        torch.testing.assert_close(polynomial.value(moved[k]), predicted, rtol=1e-8, atol=1e-8)
        at = moved[k].clone().requires_grad_()
        slope = torch.autograd.grad(polynomial.value(at).sum(), at)[0]
        torch.testing.assert_close(polynomial.gradient(moved[k]), slope, **CLOSE)


@given(networks, seeds)
@FIXED
def test_norms_and_sums_are_those_of_the_coefficients_written_out(network, seed):
    layers = coefficients(network, 2, *drawn(network, 3, 5, seed))
    weighting = torch.from_numpy(np.random.default_rng(seed).random((3, 5)))
    for layer in layers:
        for kind in KINDS:
            written = dense(layer, kind)
            np.testing.assert_allclose(layer.norm(kind).numpy(), np.linalg.norm(written, axis=2), **CLOSE)
            total = (written * weighting.numpy()[..., None]).sum(1)
            np.testing.assert_allclose(layer.total(kind, weighting).numpy().reshape(3, -1), total, **CLOSE)


def test_an_asymmetric_matrix_acts_by_its_symmetric_part():
    layer = coefficients(NETWORKS[0], 2, *drawn(NETWORKS[0], 1, 3, seed=0))[0]
    polynomial = exact(layer, torch.ones(1, 3, dtype=torch.float64), 3)
    polynomial.quadratic.add_(torch.randn(polynomial.quadratic.shape, generator=torch.Generator().manual_seed(0)))
    at = torch.ones(1, 4, 3, dtype=torch.float64, requires_grad=True)
    slope = torch.autograd.grad(polynomial.value(at).sum(), at)[0]
    torch.testing.assert_close(polynomial.gradient(at.detach()), slope, **CLOSE)
