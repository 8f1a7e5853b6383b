"""A convolutional student for virtual adversarial training, after the network of Miyato et al. (2017).

Blocks of 3x3 convolutions, each with batch normalisation and leaky ReLU, end in max-pooling and dropout; a top of one
3x3 and then 1x1 convolutions ends in global average pooling and a linear layer (takerum/vat_tf, cnn.py).
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lib.models.undrawn import undrawn

# Where a pass takes the mean and variance of batch normalisation from.
RUNNING = "running"  # the running averages: prediction
BATCH = "batch"  # the batch at hand, leaving the averages alone: unlabelled and perturbed images
UPDATE = "update"  # the batch at hand, which also updates the averages: labelled images
Layer = TypeVar("Layer", nn.Conv2d, nn.Linear)


class BatchNorm(nn.Module):
    """Batch normalisation of (n, channels, ...) whose statistics come from where RUNNING says."""

    mean: Tensor
    variance: Tensor

    def __init__(self, channels: int, momentum: float) -> None:
        super().__init__()
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("variance", torch.ones(channels))

    def forward(self, x: Tensor, statistics: str) -> Tensor:
        """Shape as x."""
        if statistics == BATCH:
            return functional.batch_norm(x, None, None, self.weight, self.bias, training=True)
        update = statistics == UPDATE
        return functional.batch_norm(x, self.mean, self.variance, self.weight, self.bias, update, self.momentum)


Pair = tuple[nn.Conv2d, BatchNorm]


class VatClassifier(nn.Module):
    """Logits (n, classes) of images (n, channels, height, width) in [0, 1].

    blocks: widths of the convolutions of each block; top: widths of the convolutions after the blocks. Without blocks
    all of these are 1x1: on images (n, pixels, 1, 1) a fully connected network with these widths.
    slope: of the leaky ReLU below 0; dropout: share dropped after each block; momentum: weight of the newest batch in
    the running statistics. With blocks, height and width must be at least 3 * 2**len(blocks), for the top's first
    convolution.
    """

    def __init__(
        self,
        channels: int,
        blocks: Sequence[Sequence[int]],
        top: Sequence[int],
        classes: int,
        slope: float,
        dropout: float,
        momentum: float,
        rng: np.random.Generator,
    ) -> None:
        super().__init__()
        self.slope, self.dropout = slope, dropout

        def layers(widths: Sequence[int], sizes: Sequence[int], padding: int) -> nn.ModuleList:
            nonlocal channels
            made = nn.ModuleList()
            for width, size in zip(widths, sizes, strict=True):
                convolution = undrawn(nn.Conv2d, channels, width, size, padding=padding, bias=False)
                made.append(nn.ModuleList([_he_initialised(convolution, rng), BatchNorm(width, momentum)]))
                channels = width
            return made

        self.blocks = nn.ModuleList(layers(widths, [3] * len(widths), 1) for widths in blocks)
        self.top = layers(top, [3 if blocks else 1] + [1] * (len(top) - 1), 0)
        self.last = _he_initialised(undrawn(nn.Linear, channels, classes), rng)

    def forward(self, x: Tensor, statistics: str = RUNNING, dropout: torch.Generator | None = None) -> Tensor:
        """Logits; `statistics` as in `BatchNorm`; nothing is dropped without a generator to draw it from."""
        for block in self.blocks:
            for convolution, norm in cast(Iterable[Pair], block):
                x = functional.leaky_relu(norm(convolution(x), statistics), self.slope)
            x = functional.max_pool2d(x, 2)
            if dropout is not None and self.dropout > 0:
                kept = torch.rand(x.shape, generator=dropout, device=x.device) >= self.dropout
                x = x * kept / (1 - self.dropout)
        for convolution, norm in cast(Iterable[Pair], self.top):
            x = functional.leaky_relu(norm(convolution(x), statistics), self.slope)
        return self.last(x.mean((2, 3)))


def _he_initialised(layer: Layer, rng: np.random.Generator) -> Layer:
    """Draw weights of variance 2/inputs (He et al., 2015), biases 0; batch normalisation undoes the scale."""
    shape = tuple(layer.weight.shape)
    drawn = rng.standard_normal(shape, dtype=np.float32) * np.float32((2 / np.prod(shape[1:])) ** 0.5)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(drawn))
        if layer.bias is not None:
            layer.bias.zero_()
    return layer
