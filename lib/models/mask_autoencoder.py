"""Autoencoders of masks, in two or three dimensions (Fay et al. 2020, "Nonlinear dimensionality reduction in PATE").

Convolutions 3x3(x3) with ReLU, each followed by max-pooling; a fully connected bottleneck; convolutions with ReLU, each
followed by a transposed convolution; logits out. What bounds the code, and the noise on it, lie outside.

The papers leave first weights and scales open. Here no step of an optimiser moves the code far, or it saturates before
the decoder can read it: features enter the bottleneck as a unit vector, and its weights are of the size of 1; the
decoder sees the code in the unit of its standard deviation, and says at first little more than its bias.
"""

import math
from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lib.models.undrawn import undrawn

_FLOOR = 1e-12  # features whose largest is below it count as none
_SPREAD = 1e-4  # raw numbers that vary less over masks are not stretched
_FIRST = 0.05  # what the last layer's first weights are multiplied by

_CONVOLUTIONS = {2: (nn.Conv2d, nn.ConvTranspose2d), 3: (nn.Conv3d, nn.ConvTranspose3d)}


class MaskAutoencoder(nn.Module):
    """Masks (b, C, *sides) to `raw` unbounded numbers each, and codes of `latent` numbers to logits (b, C, *sides).

    sides: 2 or 3 of them; padded with zeros at the far ends to multiples of 2**len(widths), and cut again. widths: of
    the convolutions from the outermost to the innermost. bias (C,): the logits' first bias, say of the share of each
    channel, without which rare voxels are first of all unlearned. rng: draws the first weights. Raises ValueError for
    other numbers of sides or no widths.
    """

    def __init__(
        self,
        channels: int,
        sides: Sequence[int],
        widths: Sequence[int],
        raw: int,
        latent: int,
        bias: Sequence[float] | np.ndarray,
        rng: np.random.Generator,
    ) -> None:
        super().__init__()
        if len(sides) not in _CONVOLUTIONS or not widths or min(*sides, *widths, raw, latent) < 1:
            raise ValueError(f"sides {sides}, widths {widths}, {raw} and {latent} numbers: allowed are 2 or 3 sides")
        convolution, transposed = _CONVOLUTIONS[len(sides)]
        factor = 2 ** len(widths)
        self._sides = tuple(sides)
        small = tuple(math.ceil(side / factor) for side in sides)
        # torch pads the last axis first
        self._padding = [
            n for side, least in zip(sides[::-1], small[::-1], strict=True) for n in (0, least * factor - side)
        ]
        self._small = (widths[-1], *small)
        flat = math.prod(self._small)
        inward = zip([channels, *widths], widths, strict=False)
        self.down = nn.ModuleList(undrawn(convolution, before, after, 3, padding=1) for before, after in inward)
        self.code = undrawn(nn.Linear, flat, raw)
        self.expand = undrawn(nn.Linear, latent, flat)
        self.smooth = nn.ModuleList(undrawn(convolution, width, width, 3, padding=1) for width in widths[::-1])
        outward = zip(widths[::-1], [*widths[-2::-1], channels], strict=True)
        self.up = nn.ModuleList(undrawn(transposed, before, after, 2, stride=2) for before, after in outward)
        with torch.no_grad():
            layers = cast(list[nn.Linear], [*self.down, self.code, self.expand, *self.smooth, *self.up])
            for layer in layers:
                # what a layer's output sums over; a transposed convolution of stride 2 and size 2 has no overlap
                fan = layer.weight.shape[0] if isinstance(layer, transposed) else math.prod(layer.weight.shape[1:])
                drawn = rng.standard_normal(tuple(layer.weight.shape), dtype=np.float32) * np.float32((2 / fan) ** 0.5)
                layer.weight.copy_(torch.from_numpy(drawn))
                layer.bias.zero_()
            self.code.weight.mul_((flat / 2) ** 0.5)  # of a unit vector, not of `flat` features
            layers[-1].weight.mul_(_FIRST)
            layers[-1].bias.copy_(torch.as_tensor(bias, dtype=torch.float32))

    def encode(self, y: Tensor) -> Tensor:
        """Raw numbers (b, raw) of masks y (b, C, *sides)."""
        x = functional.pad(y, self._padding)
        for layer in self.down:
            x = functional.relu(_halved(layer(x)))  # as ReLU first, at less cost
        return self.code(_unit(x.flatten(1)))

    @torch.no_grad()
    def standardise(self, y: Tensor) -> None:
        """Change the bottleneck so that each raw number of masks y (b, C, *sides) has mean 0 and variance 1.

        For public masks, before training: the ball activation is made for such numbers. One that y does not vary keeps
        its scale.
        """
        raw = self.encode(y)
        spread = raw.std(0, correction=0)
        self.code.bias.sub_(raw.mean(0))
        spread = torch.where(spread > _SPREAD, spread, torch.ones_like(spread))
        self.code.weight.div_(spread[:, None])
        self.code.bias.div_(spread)

    def decode(self, z: Tensor) -> Tensor:
        """Logits (b, C, *sides) of codes z (b, latent), of about the unit ball."""
        x = functional.relu(self.expand(z * z.shape[1] ** 0.5)).unflatten(1, self._small)
        for smooth, up in zip(self.smooth, self.up, strict=True):
            x = up(functional.relu(smooth(x)))
        return x[(..., *(slice(side) for side in self._sides))]


def _unit(x: Tensor) -> Tensor:
    """Rows (b, n) less their mean, to norm 1; 0 where all n are equal. Finite for every finite x up to its range."""
    x = x / x.detach().abs().amax(1, keepdim=True).clamp(min=_FLOOR)
    return functional.layer_norm(x, x.shape[1:]) / x.shape[1] ** 0.5


def _halved(x: Tensor) -> Tensor:
    """Max-pooling by 2 along each side of x (b, c, *sides), sides even.

    Torch's own has no deterministic gradient for volumes on CUDA.
    """
    for axis in range(2, x.ndim):
        x = torch.maximum(*x.unflatten(axis, (-1, 2)).unbind(axis + 1))
    return x
