"""Clipping of one patient's gradient of a network for volumes, beside autograd's own."""

import numpy as np
import pytest
import torch

from lib.models.unet3d import UNet3D
from lib.segmentation.clipping import JointClipping, LayerwiseClipping, layers
from lib.segmentation.loss import segmentation_loss

pytestmark = pytest.mark.usefixtures("one_thread")

RNG = np.random.default_rng(5)
X = RNG.normal(size=(3, 2, 32, 16, 16))
Y = RNG.random((3, 3, 32, 16, 16))
Y /= Y.sum(1, keepdims=True)


def unet():
    rng = np.random.default_rng(0)
    module = UNet3D(channels=2, outputs=3, widths=(2, 3, 3, 4, 4)).module(rng).double()
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.ndim == 1:  # ones and zeros would hide what is not multiplied, or not added
                parameter += 0.3 * torch.from_numpy(rng.standard_normal(len(parameter)))
    return module


def losses(logits, y):
    return segmentation_loss(logits, y, "dice_and_cross_entropy")


def loop(module, x, y, loss=losses):
    """Gradient of every sample, one at a time, for each, one tensor a parameter."""
    parameters = list(module.parameters())
    return [torch.autograd.grad(loss(module(x[i : i + 1]), y[i : i + 1]).sum(), parameters) for i in range(len(x))]


def norm(gradients):
    return torch.stack([gradient.norm() for gradient in gradients]).norm()


def clipped_sum(kind, module, x, y, clip, loss=losses):
    """Of every sample alone, added."""
    clipping, total = kind(module, clip), [torch.zeros_like(parameter) for parameter in module.parameters()]
    for i in range(len(x)):
        one = x[i : i + 1].detach().requires_grad_()
        clipping.backward(loss(clipping(one), y[i : i + 1]), one)
        total = [sum_ + parameter.grad for sum_, parameter in zip(total, module.parameters(), strict=True)]
    return total


def expected_sum(kind, module, samples, clip):
    """From gradients of a loop; groups by the modules that own the parameters."""
    places = {parameter: place for place, parameter in enumerate(module.parameters())}
    groups = [list(places.values())]
    if kind is LayerwiseClipping:
        groups = [[places[p] for p in layer._parameters.values() if p is not None] for layer in module.modules()]
        groups = [group for group in groups if group]
    total = [torch.zeros_like(parameter) for parameter in places]
    for gradients in samples:
        for group in groups:
            factor = min(1.0, clip / len(groups) ** 0.5 / norm([gradients[k] for k in group]).clamp(min=1e-300))
            for k in group:
                total[k] += factor * gradients[k]
    return total


@pytest.mark.slow
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("kind", [JointClipping, LayerwiseClipping])
def test_a_whole_unet_is_clipped_as_by_autograd(kind, last):
    """Every parameter, however images lie in memory, with clips that all, some and none of the gradients exceed."""
    x, y = torch.tensor(X), torch.tensor(Y)
    samples = loop(unet(), x, y)
    x = x.contiguous(memory_format=torch.channels_last_3d) if last else x
    norms = sorted(float(norm(gradients)) for gradients in samples)
    for clip in (1e-3 * norms[0], 0.5 * (norms[0] + norms[1]), 100 * norms[-1]):
        module = unet()
        found, expected = clipped_sum(kind, module, x, y, clip), expected_sum(kind, module, samples, clip)
        assert len(found) == len(expected) == 60
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-7, atol=1e-9 * clip)


@pytest.mark.parametrize("kind", [JointClipping, LayerwiseClipping])
def test_a_sample_reaches_the_clip_and_no_more(kind):
    """Of a clip that every layer exceeds: half of it would be no bound."""
    x, y = torch.tensor(X[:1]), torch.tensor(Y[:1])
    module = unet()
    found = clipped_sum(kind, module, x, y, 1e-9)
    assert norm(found) == pytest.approx(1e-9, rel=1e-6)
    count = len(layers(module))
    assert count == 41
    for layer in layers(module):
        part = norm([parameter.grad for parameter in layer.parameters(recurse=False)])
        if kind is LayerwiseClipping:
            assert part == pytest.approx(1e-9 / count**0.5, rel=1e-6)


def test_a_gradient_that_is_not_finite_shows():
    module = unet()
    x, y = torch.tensor(X[:1]), torch.tensor(Y[:1])
    found = clipped_sum(JointClipping, module, x, y, 1.0, lambda logits, y: logits.sum() * torch.inf)
    assert all(gradient.isnan().all() for gradient in found)
