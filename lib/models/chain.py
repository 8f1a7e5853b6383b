"""A fully connected network without branches, as an ordinary module that any optimizer of torch trains."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import cast

import torch
from torch import nn

from lib.models.undrawn import undrawn


class Chain(nn.Module):
    """Linear layers of `sizes` (features, hidden..., outputs) with `activation` between them.

    Weights go in and come out as a list of one array (in, out) a layer; `in` counts one more with a bias, the last row.
    A new chain's weights are whatever its memory held: `load` them.
    """

    def __init__(self, sizes: tuple[int, ...], activation: Callable[[torch.Tensor], torch.Tensor], bias: bool) -> None:
        """activation: element by element; it may not work in place."""
        super().__init__()
        # no initial draw: it would come from torch's global generator
        self._layers = nn.ModuleList(undrawn(nn.Linear, *shape, bias=bias) for shape in pairwise(sizes))
        self._activation = activation

    @property
    def _linear(self) -> Iterable[nn.Linear]:
        return cast(Iterable[nn.Linear], self._layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Pre-activations (b, outputs) of the last layer; x (b, features)."""
        *hidden, last = self._layers
        for layer in hidden:
            x = self._activation(layer(x))
        return last(x)

    def load(self, weights: list[torch.Tensor]) -> None:
        """Take a copy of the weights of every layer."""
        with torch.no_grad():
            for layer, weight in zip(self._linear, weights, strict=True):
                layer.weight.copy_(weight[: layer.in_features].T)
                if layer.bias is not None:
                    layer.bias.copy_(weight[-1])

    def weights(self) -> list[torch.Tensor]:
        """Return copies of the weights of every layer."""
        return [
            torch.cat([layer.weight.detach().T, *([] if layer.bias is None else [layer.bias.detach()[None]])])
            for layer in self._linear
        ]
