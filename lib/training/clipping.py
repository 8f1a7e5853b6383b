"""Clip the samples' gradients of a module in training.

Opacus takes a second to import: it is left to runs that clip.
"""

from typing import Protocol

import torch
from torch import nn


class Clipping(Protocol):
    """A module whose gradients are clipped, sample by sample, before they are summed."""

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Return what the module gives for a batch."""

    def backward(self, loss: torch.Tensor, x: torch.Tensor) -> None:
        """Set every parameter's `grad` to the sum of clipped gradients; loss: the sum of the samples' losses."""


def ghost_clipping(module: nn.Module, clip: float) -> Clipping:
    """For modules of linear layers alone; clip: the largest norm of a sample's gradient over all layers."""
    from lib.training.ghost_clipping import GhostClipping

    return GhostClipping(module, clip)


def per_sample_clipping(module: nn.Module, clip: float) -> Clipping:
    """Return the clipping of a module with convolutions."""
    from lib.training.per_sample_clipping import PerSampleClipping

    return PerSampleClipping(module, clip)
