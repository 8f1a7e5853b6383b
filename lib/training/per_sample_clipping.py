"""Clipping of per-sample gradients that are laid out, with Opacus: for convolutions, where ghost clipping saves little.

A layer's weights are used at every place of an image, so a sample's gradient is a sum over places, and its norm no
product of two: with small images and few channels it is cheapest to have the gradient itself.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)
from opacus.grad_sample import GradSampleModule
from torch import nn

_CACHE = 2**21  # bytes, about what a core has for itself; from half a MiB to two it is all one


class Sampled(nn.Parameter):
    """A parameter as Opacus leaves it after a backward pass."""

    grad_sample: Any  # a tensor (b, ...), or None


class PerSampleClipping(GradSampleModule):
    """A module whose layers with parameters compute every sample on its own; see `GhostClipping`, which it stands for.

    Norms, factors and sums are in double precision, and of the same gradients, so that no sample's part of the sum is
    longer than the clip. Opacus refuses layers with buffers, batch normalisation among them (NotImplementedError).
    """

    def __init__(self, module: nn.Module, clip: float) -> None:
        """clip: the largest norm of a sample's gradient over all layers."""
        super().__init__(module, loss_reduction="sum")
        self.GRAD_SAMPLERS = {**GradSampleModule.GRAD_SAMPLERS, nn.Conv2d: _convolution_gradients}
        self._clip = clip

    def backward(self, loss: torch.Tensor, x: torch.Tensor) -> None:
        """Set every parameter's `grad` to the sum of the samples' clipped gradients.

        loss: the sum of the samples' losses, no two of which may share anything but parameters. x: the batch that the
        module was given, which must require a gradient. A sample whose gradient is not finite makes the sum NaN.
        """
        torch.autograd.grad(loss, x)  # the hooks on its way fill grad_sample; parameters' gradients are not needed
        groups = self._groups()
        for parameters in groups:
            _clip_jointly(parameters, self._clip / math.sqrt(len(groups)))

    def _groups(self) -> list[list["Sampled"]]:
        """Parameters that are clipped jointly, here all; of more groups, each is clipped to clip / sqrt(groups)."""
        return [list(self._module.parameters())]


def _clip_jointly(parameters: list["Sampled"], clip: float) -> None:
    """Set each `grad` to the sum of the samples' gradients, clipped over these parameters; `grad_sample` goes."""
    samples = [parameter.grad_sample.flatten(1).double() for parameter in parameters]  # (b, numbers) each
    norms = torch.stack([gradients.norm(dim=1) for gradients in samples]).norm(dim=0)
    factors = (clip / norms).clamp(max=1.0)  # 1 for a gradient of 0, which so stays one
    # an infinite gradient would have the factor 0, with which a product of matrices may leave it out
    factors = factors.where(norms.isfinite(), torch.nan)
    for parameter, gradients in zip(parameters, samples, strict=True):
        parameter.grad = (factors @ gradients).view_as(parameter).to(parameter)
        parameter.grad_sample = None


def _convolution_gradients(
    layer: nn.Conv2d, activations: list[torch.Tensor], backprops: torch.Tensor
) -> dict[torch.Tensor, torch.Tensor]:
    """Gradient (b, ...) of each parameter for every sample; of a layer without groups or dilation, padded by pixels.

    Opacus's own cuts patches from memory as if channels came first there, and is silently wrong where they come last.
    """
    (rows, columns), (above, beside) = layer.kernel_size, map(int, layer.padding)
    backprops = backprops.flatten(2)  # (b, outputs, places)
    images = activations[0]
    weight = backprops.new_empty(len(images), backprops.shape[1], images.shape[1] * rows * columns)
    some = _together(images, weight.shape[2] * backprops.shape[2])
    for own, signal, gradients in zip(images.split(some), backprops.split(some), weight.split(some), strict=True):
        padded = F.pad(own, (beside, beside, above, above)).contiguous()
        # views of the windows, copied once: a good deal less time than F.unfold, to the same numbers
        windows = padded.unfold(2, rows, layer.stride[0]).unfold(3, columns, layer.stride[1])
        patches = windows.permute(0, 1, 4, 5, 2, 3).flatten(1, 3).flatten(2)  # (some, inputs * size^2, places)
        torch.bmm(signal, patches.mT, out=gradients)
    made = {layer.weight: weight.unflatten(2, layer.weight.shape[1:])}
    return made if layer.bias is None else {**made, layer.bias: backprops.sum(2)}


def _together(images: torch.Tensor, patches: int) -> int:
    """So many samples that their patches, so many numbers each, fit into a core's cache; on another device all.

    Patches of a whole batch are written to memory and read again: with 16 channels of 28x28 pixels that takes three
    times as long, to the same bytes.
    """
    return max(1, _CACHE // (patches * images.element_size())) if images.device.type == "cpu" else max(1, len(images))
