"""Ghost clipping: the sum of clipped gradients that a loop over samples gives, and no sample beyond the clip."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.dp_mac.activations import ACTIVATIONS
from lib.dp_mac.network import MacNetwork
from lib.models.chain import Chain
from lib.training.ghost_clipping import GhostClipping


def chain_of(network, weights):
    chain = Chain(network.sizes, ACTIVATIONS[network.activation].value, network.bias)
    chain.load([torch.as_tensor(weight, dtype=torch.float32) for weight in weights])
    return chain


def loss_of(network, u, y):
    """(b,), half the squared error or the cross-entropy."""
    return (0.5 if network.output == "squared_error" else 1.0) * network.objectives[-1].value(u, y).sum(1)


def flat(gradients):
    return torch.cat([gradient.double().flatten() for gradient in gradients]).numpy()


def clipped_sum(network, weights, x, y, clip):
    """By ghost clipping, (numbers,), and every sample's norm."""
    chain = chain_of(network, weights)
    ghost = GhostClipping(chain, clip)
    x = torch.tensor(x, dtype=torch.float32, requires_grad=True)
    ghost.backward(loss_of(network, ghost(x), torch.tensor(y, dtype=torch.float32)).sum(), x)
    return flat([parameter.grad for parameter in chain.parameters()]), ghost.per_sample_gradient_norms.numpy()


def loop(network, weights, x, y):
    """Gradient of every sample, one at a time, (b, numbers), in double precision."""
    chain = chain_of(network, weights).double()
    found = np.zeros((len(x), sum(parameter.numel() for parameter in chain.parameters())))
    for i, (row, target) in enumerate(zip(torch.tensor(x), torch.tensor(y), strict=True)):
        loss = loss_of(network, chain(row[None]), target[None]).sum()
        found[i] = flat(torch.autograd.grad(loss, list(chain.parameters())))
    return found


NETWORKS = st.builds(
    MacNetwork,
    sizes=st.lists(st.integers(1, 7), min_size=2, max_size=5).map(tuple),
    output=st.sampled_from(["squared_error", "binary_cross_entropy"]),
    activation=st.sampled_from(sorted(ACTIVATIONS)),
    bias=st.booleans(),
)


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=150)
@given(network=NETWORKS, samples=st.sampled_from([0, 1, 2, 9]), seed=st.integers(0, 999))
def test_it_is_the_sum_of_a_loop_over_samples(network, samples, seed):
    """With clips that all, some and none of the samples exceed."""
    rng = np.random.default_rng(seed)
    weights = [rng.standard_normal(shape).astype(np.float32) for shape in network.shapes]
    x = rng.standard_normal((samples, network.sizes[0])).astype(np.float32).astype(float)
    y = rng.random((samples, network.sizes[-1])).astype(np.float32).astype(float)
    gradients = loop(network, weights, x, y)
    norms = np.linalg.norm(gradients, axis=1)
    for clip in (0.5 * norms.min(initial=1), np.median(norms) if samples else 1.0, 2 * norms.max(initial=1)):
        found, seen = clipped_sum(network, weights, x, y, clip)
        np.testing.assert_allclose(seen, norms, rtol=1e-3, atol=1e-6)
        expected = np.minimum(1, clip / norms) @ gradients
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4 * clip)


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    network=NETWORKS,
    decades=st.tuples(st.integers(-20, 20), st.integers(-20, 20), st.integers(-20, 20)),
    clip=st.sampled_from([1e-6, 1e-2, 1.0]),
    seed=st.integers(0, 999),
)
def test_no_sample_exceeds_the_clip(network, decades, clip, seed):
    """Of any size and with any weights; it may be no number, with which no step is taken."""
    rng = np.random.default_rng(seed)
    of_x, of_y, of_weights = 10.0 ** np.array(decades)
    weights = [of_weights * rng.standard_normal(shape) for shape in network.shapes]
    y = rng.random((1, network.sizes[-1])) * (of_y if network.output == "squared_error" else 1)
    found, norms = clipped_sum(network, weights, of_x * rng.standard_normal((1, network.sizes[0])), y, clip)
    norm = np.linalg.norm(found)
    assert not norm > clip * (1 + 1e-6)
    if norms[0] > clip and np.isfinite(norm):
        assert norm > clip * (1 - 1e-6)


def test_a_gradient_whose_square_vanishes_is_clipped():
    """In single precision the square of what comes back is 0, and so is its product with any input."""
    network, back, forth, clip = MacNetwork((6, 6), output="squared_error", activation="linear"), 1e-23, 1e18, 1e-6
    assert np.float32(back) ** 2 == 0 and 6 * back * forth > 50 * clip
    found, norms = clipped_sum(network, [np.zeros((6, 6))], np.full((1, 6), forth), np.full((1, 6), back), clip)
    assert norms == pytest.approx(6 * back * forth) and np.linalg.norm(found) == pytest.approx(clip)


def test_a_gradient_that_is_all_rounding_is_clipped_as_it_is():
    """What comes back cancels; the gradient of the rescaled loss is rounded anew, and is beyond the clip."""
    network = MacNetwork((8, 3, 3, 8), output="squared_error", activation="linear")
    beyond = []
    for seed in range(50):
        rng = np.random.default_rng(seed)
        decoder = np.linalg.qr(rng.standard_normal((8, 3)))[0]
        weights = [decoder, rng.standard_normal((3, 3)), decoder.T]
        x = 1e6 * rng.standard_normal((1, 8))
        x -= x @ decoder @ decoder.T  # neither seen by the first layer nor made by the last
        norm = clipped_sum(network, weights, x, x, 1.0)[1][0]
        found, _ = clipped_sum(network, weights, x, x, norm / 3)
        assert np.linalg.norm(found) == pytest.approx(norm / 3, rel=1e-6)
        chain, target = chain_of(network, weights), torch.tensor(x, dtype=torch.float32)
        (loss_of(network, chain(target), target) / 3).sum().backward()
        beyond.append(np.linalg.norm(flat([parameter.grad for parameter in chain.parameters()])) / (norm / 3))
    assert max(beyond) > 2


@pytest.mark.parametrize("value", [np.inf, 1e38])
def test_a_gradient_that_is_not_finite_spoils_the_sum(value):
    """The largest weights overflow on the way."""
    network = MacNetwork((2, 2, 2), output="squared_error", activation="linear")
    x = np.array([[1.0, 2.0], [value, 3.0]])
    found, norms = clipped_sum(network, [np.full((2, 2), 1e3)] * 2, x, np.ones((2, 2)), 1.0)
    assert np.isfinite(norms).tolist() == [True, False] and not np.isfinite(found).all()
