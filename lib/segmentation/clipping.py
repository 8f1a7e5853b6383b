"""Clipping of per-sample gradients of networks for volumes, with Opacus: over all layers jointly, or layer by layer."""

from typing import ClassVar

import torch
from opacus.grad_sample import GradSampleModule
from torch import nn

from lib.dp_sgd.per_sample_clipping import PerSampleClipping


def layers(module: nn.Module) -> list[nn.Module]:
    """The layers of a network: what has parameters of its own, weights and biases together."""
    return [layer for layer in module.modules() if any(True for _ in layer.parameters(recurse=False))]


def _convolution_gradients(
    layer: nn.Conv3d | nn.ConvTranspose3d, activations: list[torch.Tensor], backprops: torch.Tensor
) -> dict[nn.Parameter, torch.Tensor]:
    """Gradient (b, ...) of each parameter for every sample, by torch's own backward pass, one sample at a time.

    Opacus's own lays out every patch that a kernel sees: 27 times the volume, for each channel. It also cuts them from
    memory as if channels came first there, and has none of a transposed convolution, for which it turns to functorch.
    """
    x, biases = activations[0], None if layer.bias is None else [len(layer.bias)]
    transposed = isinstance(layer, nn.ConvTranspose3d)
    geometry = (layer.stride, layer.padding, layer.dilation, transposed, layer.output_padding, layer.groups)
    wanted = (False, True, layer.bias is not None)
    samples = [
        torch.ops.aten.convolution_backward(
            backprops[i : i + 1], x[i : i + 1], layer.weight, biases, *geometry, wanted
        )[1:]
        for i in range(len(x))
    ]
    weights, shifts = zip(*samples, strict=True)
    gradients = {layer.weight: torch.stack(weights)}
    return gradients if layer.bias is None else {**gradients, layer.bias: torch.stack(shifts)}


class JointClipping(PerSampleClipping):
    """A network of convolutions for volumes, whose samples are clipped over all layers; at least one in a batch."""

    GRAD_SAMPLERS: ClassVar = {
        **GradSampleModule.GRAD_SAMPLERS,
        nn.Conv3d: _convolution_gradients,
        nn.ConvTranspose3d: _convolution_gradients,
    }


class LayerwiseClipping(JointClipping):
    """The same, each of m layers clipped on its own to `clip` / sqrt(m), so that `clip` bounds a sample's gradient.

    (Fay et al. 2020, Experiments: "We clip gradients for each layer".)
    """

    def _groups(self) -> list[list[nn.Parameter]]:
        """The layers' parameters."""
        return [list(layer.parameters(recurse=False)) for layer in layers(self._module)]
