"""The 3D U-Net: its shape, its first weights, and that no sample sees another."""

import numpy as np
import pytest
import torch
from monai.networks.nets import DynUNet
from torch import nn

from lib.models.unet3d import DIVISOR, UNet3D

pytestmark = pytest.mark.usefixtures("one_thread")

NETWORK = UNet3D(channels=2, outputs=3, widths=(4, 8, 8, 12, 16))


def module(seed=0, network=NETWORK):
    return network.module(np.random.default_rng(seed))


@pytest.mark.parametrize("outputs", [1, 4])
@pytest.mark.parametrize("sides", [(32, 32, 32), (48, 48, 32), (32, 16, 16)])
def test_logits_have_the_images_sides(outputs, sides):
    network = UNet3D(channels=3, outputs=outputs, widths=(2, 4, 4, 4, 8))
    with torch.no_grad():
        assert module(network=network)(torch.rand(2, 3, *sides)).shape == (2, outputs, *sides)


def test_there_are_four_poolings_and_five_widths():
    strides = [layer.stride for layer in module().modules() if isinstance(layer, nn.Conv3d)]
    assert strides.count((2, 2, 2)) == 4 and DIVISOR == 16
    ups = [layer for layer in module().modules() if isinstance(layer, nn.ConvTranspose3d)]
    assert [(layer.in_channels, layer.out_channels) for layer in ups] == [(16, 12), (12, 8), (8, 8), (8, 4)]


def test_it_is_monais_network():
    """With the same weights, the same logits as from the class itself, which is asked for them in its own way."""
    whole = DynUNet(
        3, 2, 3, [3] * 5, [1, 2, 2, 2, 2], [2] * 4, NETWORK.widths, norm_name=("instance", {"affine": True})
    ).eval()
    ours = module()
    theirs = dict(whole.named_parameters()) | {f"levels.{n}": p for n, p in whole.skip_layers.named_parameters()}
    theirs |= {f"output.{n}": p for n, p in whole.output_block.named_parameters()}
    with torch.no_grad():
        for name, parameter in ours.named_parameters():
            theirs[name].copy_(parameter)
        x = torch.rand(1, 2, 32, 32, 16)
        torch.testing.assert_close(ours(x), whole(x))


def test_every_layer_is_met_once():
    layers = [layer for layer in module().modules() if list(layer.parameters(recurse=False))]
    assert len(layers) == len({id(layer) for layer in layers}) == 41
    assert list(module().state_dict()) == [name for name, _ in module().named_parameters()]
    assert not list(module().buffers())


def test_nothing_is_in_place():
    assert not any(getattr(layer, "inplace", False) for layer in module().modules())


def test_first_weights_are_keyed_by_their_generator_alone():
    state = torch.get_rng_state()
    first, again, other = (module(seed).state_dict() for seed in (1, 1, 2))
    assert torch.equal(state, torch.get_rng_state())
    for name in first:
        assert torch.equal(first[name], again[name])
        assert torch.equal(first[name], other[name]) == (first[name].ndim == 1)


def test_first_weights_follow_the_law():
    for name, weight in module(network=UNet3D(channels=1, outputs=1)).named_parameters():
        weight = weight.detach().double()
        if weight.ndim == 1:
            assert (weight == (1 if name.endswith("weight") else 0)).all()
        elif weight.numel() > 1000:
            reference = torch.empty_like(weight)
            nn.init.kaiming_normal_(reference, a=0.01, generator=torch.Generator().manual_seed(0))
            assert weight.std() == pytest.approx(reference.std().item(), rel=8 / weight.numel() ** 0.5)
            assert abs(weight.mean()) < 5 * reference.std() / weight.numel() ** 0.5


@pytest.mark.slow
def test_no_sample_sees_another():
    """To rounding, in training as in evaluation; of what it sees of itself something depends on every channel."""
    net = module().double()
    x = torch.rand(3, 2, 32, 32, 16, generator=torch.Generator().manual_seed(0)).double()
    changed = x.clone()
    changed[1:] *= 100
    with torch.no_grad():
        for mode in (True, False):
            net.train(mode)
            torch.testing.assert_close(net(x)[:1], net(changed)[:1])
            torch.testing.assert_close(net(x)[:1], net(x[:1]))
        for channel in range(2):
            changed = x[:1].clone()
            changed[:, channel, 5, 5, 5] += 10
            assert (net(changed) - net(x[:1])).abs().max() > 1e-3


def test_weights_can_be_loaded_and_others_cannot():
    weights = {name: weight.detach().numpy() for name, weight in module(3).named_parameters()}
    loaded = NETWORK.loaded(weights).state_dict()
    assert all(np.array_equal(loaded[name], weight) for name, weight in weights.items())
    with pytest.raises(RuntimeError, match="size mismatch"):
        UNet3D(channels=1, outputs=3, widths=NETWORK.widths).loaded(weights)


@pytest.mark.parametrize(
    "change", [{"widths": (4, 8, 16, 32)}, {"widths": (4, 8, 16, 32, 0)}, {"channels": 0}, {"outputs": 0}]
)
def test_what_is_no_network_is_refused(change):
    with pytest.raises(ValueError, match=next(iter(change))):
        UNet3D(**{"channels": 1, "outputs": 1, **change})


def test_how_it_lies_in_memory_changes_its_logits_by_rounding_alone():
    net, x = module(), torch.rand(2, 2, 32, 32, 16, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        logits = net(x)
        torch.testing.assert_close(logits, net.to(memory_format=torch.contiguous_format)(x))
