"""The module is MAC's network: its weights in and out, and its predictions."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.dp_mac.activations import ACTIVATIONS
from lib.dp_mac.network import MacNetwork
from lib.models.chain import Chain


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 7), min_size=2, max_size=5).map(tuple),
    output=st.sampled_from(["squared_error", "binary_cross_entropy"]),
    activation=st.sampled_from(sorted(ACTIVATIONS)),
    bias=st.booleans(),
    seed=st.integers(0, 999),
)
def test_it_predicts_what_macs_network_does(sizes, output, activation, bias, seed):
    network = MacNetwork(sizes, output=output, activation=activation, bias=bias)
    rng = np.random.default_rng(seed)
    # a bias that is not zero, which an initial one is
    weights = [torch.from_numpy(rng.standard_normal(shape)) for shape in network.shapes]
    x = torch.from_numpy(rng.standard_normal((6, sizes[0])))
    chain = Chain(sizes, ACTIVATIONS[activation].value, bias).double()
    chain.load(weights)
    with torch.no_grad():
        found = network.objectives[-1].output(chain(x))
    torch.testing.assert_close(found, network.predict([weight[None] for weight in weights], x)[0])
    assert all(torch.equal(one, two) for one, two in zip(chain.weights(), weights, strict=True))


def test_weights_are_copied_in_and_out_and_nothing_is_drawn():
    state = torch.get_rng_state()
    chain = Chain((3, 2, 1), torch.tanh, bias=True)
    assert torch.equal(torch.get_rng_state(), state)
    weights = [torch.ones(4, 2), torch.ones(3, 1)]
    chain.load(weights)
    weights[0].zero_()
    chain.weights()[1].zero_()
    assert all((weight == 1).all() for weight in chain.weights())
    assert {tuple(parameter.shape) for parameter in chain.parameters()} == {(2, 3), (2,), (1, 2), (1,)}
    with pytest.raises(ValueError):
        chain.load(weights[:1])
