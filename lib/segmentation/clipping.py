"""Clipping of one patient's gradient of a network for volumes: over all layers jointly, or layer by layer.

One patient at a time, so that plain backpropagation gives the gradient, and Opacus need not lay out those of many.
"""

import math

import torch
from torch import nn


def layers(module: nn.Module) -> list[nn.Module]:
    """Return the layers of a network: what has parameters of its own, weights and biases together."""
    return [layer for layer in module.modules() if any(True for _ in layer.parameters(recurse=False))]


class JointClipping:
    """A network that is shown one patient, whose gradient is clipped over all layers (see `GhostClipping`).

    Norms and factors are in double precision, and of the gradient that is handed on.
    """

    def __init__(self, module: nn.Module, clip: float) -> None:
        """clip: the largest norm of the gradient over all layers."""
        self._module, self._clip = module, clip

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Return the network's output for images of one patient."""
        return self._module(x)

    def backward(self, loss: torch.Tensor, x: torch.Tensor) -> None:
        """Set every parameter's `grad` to its clipped gradient of one patient's loss; NaN where that is not finite."""
        groups = self._groups()
        found = iter(torch.autograd.grad(loss, [parameter for group in groups for parameter in group]))
        for group in groups:
            gradients = [next(found).double() for _ in group]
            norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
            # 1 for a gradient of 0, which so stays one; an infinite one would have the factor 0
            factor = (self._clip / math.sqrt(len(groups)) / norm).clamp(max=1.0).where(norm.isfinite(), torch.nan)
            for parameter, gradient in zip(group, gradients, strict=True):
                parameter.grad = (factor * gradient).to(parameter)

    def _groups(self) -> list[list[nn.Parameter]]:
        """Parameters that are clipped jointly, here all."""
        return [list(self._module.parameters())]


class LayerwiseClipping(JointClipping):
    """Clip each of m layers on its own to `clip` / sqrt(m), so that `clip` bounds a patient's gradient.

    (Fay et al. 2020, Experiments: "We clip gradients for each layer".)
    """

    def _groups(self) -> list[list[nn.Parameter]]:
        """Return the layers' parameters."""
        return [list(layer.parameters(recurse=False)) for layer in layers(self._module)]
