"""ResNet8: against the same network written out, at every size of image, and its first weights."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from opacus.grad_sample import GradSampleModule
from torch.func import functional_call, grad, vmap

from lib.models.resnet8 import FEATURES, INPUT, STEM, SUMS, ResNet8

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = (4, 6, 8)


def make(channels=3, classes=5, seed=0, **settings):
    return ResNet8(channels, classes, np.random.default_rng(seed), **{"widths": SMALL, **settings})


def written_out(weights, x, skip):
    """The network in training mode, from its weights."""

    def normal(value, name):
        return F.batch_norm(value, None, None, weights[f"{name}.weight"], weights[f"{name}.bias"], training=True)

    x = F.conv2d(x, weights["stem.weight"], padding=1)
    for k, stride in enumerate((1, 2, 2)):
        name = f"blocks.{k}"
        active = normal(x, f"{name}.norm1").relu()
        inner = normal(F.conv2d(active, weights[f"{name}.conv1.weight"], stride=stride, padding=1), f"{name}.norm2")
        inner = F.conv2d(inner.relu(), weights[f"{name}.conv2.weight"], padding=1)
        if skip:
            inner = inner + (x if k == 0 else F.conv2d(active, weights[f"{name}.project.weight"], stride=stride))
        x = inner
    x = F.adaptive_avg_pool2d(normal(x, "norm").relu(), 1).flatten(1)
    return x @ weights["linear.weight"].T + weights["linear.bias"]


@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.parametrize(("channels", "side"), [(3, 50), (3, 32), (1, 28), (1, 8)])
def test_it_is_the_network_written_out(channels, side, skip):
    module = make(channels, skip=skip)
    for parameter in module.parameters():  # norms away from 1 and 0
        parameter.data += 0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1))
    x = torch.randn((6, channels, side, side), generator=torch.Generator().manual_seed(2))
    expected = written_out(module.state_dict(), x, skip)
    torch.testing.assert_close(module(x), expected, rtol=1e-4, atol=1e-5)
    assert module(x).shape == (6, 5)


def test_the_papers_network_has_eight_layers_with_weights_beside_the_shortcuts():
    module = ResNet8(3, 10, np.random.default_rng(0))
    layers = [name for name, p in module.named_parameters() if p.ndim > 1]
    assert sum("project" not in name for name in layers) == 8 and sum("project" in name for name in layers) == 2
    convolutions = 9 * (3 * 16 + 2 * 16 * 16 + 16 * 32 + 32 * 32 + 32 * 64 + 64 * 64) + 16 * 32 + 32 * 64
    norms = 2 * (16 + 16 + 16 + 32 + 32 + 64 + 64)
    assert sum(p.numel() for p in module.parameters()) == convolutions + norms + 64 * 10 + 10
    plain = ResNet8(3, 10, np.random.default_rng(0), skip=False)
    assert not [name for name, _ in plain.named_parameters() if "project" in name]


@pytest.mark.parametrize("side", [50, 32, 28, 9, 8])
def test_sites_have_the_shapes_that_are_told(side):
    module, seen = make(), {}

    def noting(site, carried, value):
        assert carried.shape == value.shape
        seen[site] = tuple(value.shape[1:])
        return value

    module(torch.randn(2, 3, side, side), noting)
    assert list(seen) == list(range(INPUT, FEATURES + 1))
    assert list(seen.values()) == module.site_shapes(side, side)


def test_what_the_hook_returns_is_what_goes_on():
    module = make()
    x = torch.randn(4, 3, 8, 8)
    for changed in range(INPUT, FEATURES + 1):
        # the sample's own square: normalisation would undo a factor
        out = module(x, lambda site, carried, value, changed=changed: value**2 if site == changed else value)
        assert not torch.allclose(out, module(x), atol=1e-2)
    squared = module(x, lambda site, carried, value: value**2 if site == INPUT else value)
    torch.testing.assert_close(squared, module(x**2))


def test_a_block_carries_its_input_or_its_projection():
    module, seen = make(), {}

    def noting(site, carried, value):
        seen[site] = (carried, value)
        return value

    x = torch.randn(4, 3, 8, 8)
    module(x, noting)
    assert torch.equal(seen[STEM][1], module.stem(x)) and torch.equal(seen[SUMS[0]][0], module.stem(x))
    for before, site, block in zip(SUMS, SUMS[1:], module.blocks[1:], strict=False):
        active = F.relu(block.norm1(seen[before][1]))
        torch.testing.assert_close(seen[site][0], F.conv2d(active, block.project.weight, stride=2))


def test_first_weights_have_the_law_of_the_public_code():
    before = torch.get_rng_state()
    module = ResNet8(3, 10, np.random.default_rng(0))
    assert torch.equal(torch.get_rng_state(), before)  # nothing is drawn from torch's global generator
    for name, parameter in module.named_parameters():
        if parameter.ndim == 4:
            expected = (2 / (parameter.shape[2] ** 2 * parameter.shape[0])) ** 0.5
            assert float(parameter.detach().std()) == pytest.approx(expected, rel=5 / (2 * parameter.numel()) ** 0.5), (
                name
            )
        elif "linear" in name:
            assert parameter.abs().max() <= 64**-0.5 and parameter.std() > 0
        else:
            assert torch.equal(parameter, torch.full_like(parameter, float(name.endswith("weight"))))
    same, other = (make(seed=seed).state_dict() for seed in (0, 1))
    assert all(torch.equal(value, same[name]) for name, value in make(seed=0).state_dict().items())
    assert not torch.equal(same["stem.weight"], other["stem.weight"])


def test_with_group_normalisation_a_sample_does_not_see_its_batch():
    x = torch.randn(5, 3, 8, 8)
    grouped, batched = make(norm="group", groups=2), make()
    torch.testing.assert_close(grouped(x)[:2], grouped(x[:2]), rtol=1e-5, atol=1e-6)
    assert not torch.allclose(batched(x)[:2], batched(x[:2]), atol=1e-2)
    assert not list(grouped.buffers())


def test_opacus_finds_the_gradient_of_every_sample_with_group_normalisation():
    module = make(norm="group", groups=2)
    x, y = torch.randn(5, 3, 8, 8), torch.arange(5)

    def loss(weights, x, y):
        return F.cross_entropy(functional_call(module, weights, (x[None],)), y[None])

    weights = {name: p.detach() for name, p in module.named_parameters()}
    expected = vmap(grad(loss), in_dims=(None, 0, 0))(weights, x, y)
    wrapped = GradSampleModule(module, loss_reduction="sum")
    F.cross_entropy(wrapped(x.requires_grad_()), y, reduction="sum").backward()
    for name, parameter in module.named_parameters():
        torch.testing.assert_close(parameter.grad_sample, expected[name], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        ({"widths": (4, 6)}, "widths"),
        ({"norm": "layer"}, "norm 'layer': allowed are batch, group"),
        ({"norm": "group", "groups": 4}, "groups 4"),
    ],
)
def test_impossible_networks_are_refused(settings, match):
    with pytest.raises(ValueError, match=match):
        make(**settings)


def test_shortcuts_have_no_convolution_with_a_stride():
    """A strided 1x1 convolution ended the process on some images; what it would see is taken beforehand."""
    strides = [layer.stride for layer in make().modules() if getattr(layer, "kernel_size", None) == (1, 1)]
    assert strides == [(1, 1), (1, 1)]
