"""The networks of mask autoencoders: shapes, padding, pooling and first weights."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from lib.models.mask_autoencoder import MaskAutoencoder, _halved, _unit


def make(channels=2, sides=(12, 8, 16), widths=(3, 4), raw=6, latent=5, bias=(0.0, 1.0), seed=0):
    return MaskAutoencoder(channels, sides, widths, raw, latent, bias, np.random.default_rng(seed))


@pytest.mark.parametrize("sides", [(12, 8), (11, 5), (12, 8, 16), (5, 9, 15), (3, 3, 3)])
def test_shapes_whatever_the_sides(sides):
    network = make(sides=sides)
    y = torch.rand(3, 2, *sides)
    assert network.encode(y).shape == (3, 6)
    assert network.decode(torch.rand(3, 5)).shape == y.shape


def test_it_is_the_papers_sequence_of_layers():
    """Convolution, ReLU, max-pool; fully connected; convolution, ReLU, transposed convolution; against torch's own."""
    network = make()
    y = torch.rand(3, 2, 12, 8, 16)
    x = y
    for layer in network.down:
        assert isinstance(layer, nn.Conv3d) and layer.kernel_size == (3, 3, 3)
        x = functional.max_pool3d(functional.relu(layer(x)), 2)
    x = x.flatten(1)
    unit = functional.normalize(x - x.mean(1, keepdim=True))
    torch.testing.assert_close(network.encode(y), network.code(unit), rtol=1e-3, atol=1e-3)
    widths = [(layer.in_channels, layer.out_channels) for layer in network.down]
    assert widths == [(2, 3), (3, 4)]
    assert [(layer.in_channels, layer.out_channels) for layer in network.up] == [(4, 3), (3, 2)]
    assert all(isinstance(layer, nn.ConvTranspose3d) for layer in network.up)


@pytest.mark.parametrize("sides", [(4, 6), (4, 6, 2)])
def test_halving_is_max_pooling_with_a_gradient(sides):
    x = torch.rand(2, 3, *sides, dtype=torch.float64, requires_grad=True)
    pool = {2: functional.max_pool2d, 3: functional.max_pool3d}[len(sides)]
    torch.testing.assert_close(_halved(x), pool(x, 2))
    weights = torch.rand_like(_halved(x))
    (found,) = torch.autograd.grad((_halved(x) * weights).sum(), x)
    (expected,) = torch.autograd.grad((pool(x, 2) * weights).sum(), x)
    torch.testing.assert_close(found, expected)


def test_first_weights_come_from_the_generator():
    one, same, other = make(seed=1).state_dict(), make(seed=1).state_dict(), make(seed=2).state_dict()
    assert all((one[name] == same[name]).all() for name in one)
    assert any((one[name] != other[name]).any() for name in one)
    assert one["up.1.bias"].tolist() == [0.0, 1.0]


def test_the_signal_neither_fades_nor_grows_at_first():
    network = make(1, (32, 32, 32), (8, 16, 32), 64, 64, (0.0,))
    y = (torch.rand(4, 1, 32, 32, 32) > 0.5).float()
    assert 0.5 < network.encode(y).std() < 2
    for latent in (2, 64):  # whatever the number of codes, logits vary a little about their bias
        network = make(1, (32, 32, 32), (8, 16, 32), latent, latent, (0.0,))
        assert 0.01 < network.decode(functional.normalize(torch.randn(4, latent))).std() < 0.5


@pytest.mark.parametrize("scale", [0.0, 1e-20, 1.0, 1e30])
def test_features_are_a_unit_vector_whatever_their_size(scale):
    x = (torch.rand(5, 40, generator=torch.Generator().manual_seed(0)) * scale).requires_grad_()
    unit = _unit(x)
    unit[:, 0].sum().backward()
    assert x.grad.isfinite().all()
    expected = torch.full((5,), 1.0 if scale >= 1 else 0.0)
    torch.testing.assert_close(unit.detach().norm(dim=1), expected, rtol=1e-3, atol=1e-6)


def test_standardised_raw_numbers_have_mean_0_and_variance_1():
    network = make(channels=1, bias=(0.0,))
    y = (torch.rand(30, 1, 12, 8, 16) > torch.rand(30, 1, 1, 1, 1)).float()
    network.standardise(y)
    raw = network.encode(y).detach()
    torch.testing.assert_close(raw.mean(0), torch.zeros(6), rtol=0, atol=1e-3)
    torch.testing.assert_close(raw.std(0, correction=0), torch.ones(6), rtol=1e-3, atol=0)
    for same in (y[:1], torch.zeros(3, 1, 12, 8, 16)):  # nothing to stretch
        network = make(channels=1, bias=(0.0,))
        before = network.code.weight.clone()
        network.standardise(same)
        assert (network.code.weight == before).all()
        torch.testing.assert_close(network.encode(same).detach(), torch.zeros(len(same), 6), rtol=0, atol=1e-4)


@pytest.mark.parametrize("change", [{"sides": (4,)}, {"widths": ()}, {"sides": (4, 0)}, {"latent": 0}])
def test_what_is_no_network(change):
    with pytest.raises(ValueError, match="2 or 3 sides"):
        make(**change)
