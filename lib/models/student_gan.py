"""The networks of the improved GAN of Salimans et al. (2016) for flat images: a classifier and a generator.

Both follow the authors' MNIST experiment (openai/improved-gan, train_mnist_feature_matching.py and nn.py).
"""

from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from lib.models.undrawn import undrawn

_TINY = 1e-6  # keeps norms and variances from being zero, as in the authors' code


def _normal(rng: np.random.Generator, *shape: int, sd: float) -> Tensor:
    """Return normal draws of that standard deviation, float32."""
    return torch.from_numpy(rng.standard_normal(shape, dtype=np.float32) * np.float32(sd))


class WeightNormLinear(nn.Module):
    """x -> x V' diag(s / |V_j|) + b: a layer whose weights have a norm s_j of their own (Salimans & Kingma, 2016).

    `train_scale` says whether s is learnt; the authors learn it in the last layer only.
    """

    def __init__(self, inputs: int, outputs: int, train_scale: bool, rng: np.random.Generator) -> None:
        super().__init__()
        self.direction = nn.Parameter(_normal(rng, outputs, inputs, sd=0.1))
        self.bias = nn.Parameter(torch.zeros(outputs))
        if train_scale:
            self.scale = nn.Parameter(torch.ones(outputs))
        else:
            self.register_buffer("scale", torch.ones(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """(n, inputs) -> (n, outputs)."""
        # what comes out is scaled, not the weights: several passes over the matrix less in either direction
        return torch.addcmul(self.bias, functional.linear(x, self.direction), self._factor())

    def weight(self) -> Tensor:
        """Return the matrix (outputs, inputs) of directions times norms."""
        return self.direction * self._factor()[:, None]

    def _factor(self) -> Tensor:
        """Return (outputs,) s_j / |V_j|."""
        return self.scale / torch.sqrt(_TINY + torch.linalg.vector_norm(self.direction, dim=1).square())

    @torch.no_grad()
    def standardise(self, x: Tensor) -> Tensor:
        """Set s and b so that the outputs for the batch x have mean 0 and variance 1 each; returns these outputs."""
        out = self(x)
        mean, sd = out.mean(0), torch.sqrt(_TINY + out.var(0, unbiased=False))
        self.scale.div_(sd)
        self.bias.copy_((self.bias - mean) / sd)
        return self(x)


class GanClassifier(nn.Module):
    """K logits of flat images: weight-normalised layers with ReLU, and Gaussian noise before every layer.

    The discriminator is the same network: with l = log-sum-exp of the logits, an image is real with probability
    e^l / (e^l + 1), that is, "generated" is class K+1 with logit 0 (Salimans et al., section 5).

    inputs: pixels; hidden: widths; classes: K; input_noise, hidden_noise: standard deviations of the noise.
    """

    def __init__(
        self,
        inputs: int,
        hidden: Sequence[int],
        classes: int,
        input_noise: float,
        hidden_noise: float,
        rng: np.random.Generator,
    ) -> None:
        super().__init__()
        widths = [inputs, *hidden, classes]
        self.layers = nn.ModuleList(
            WeightNormLinear(widths[i], widths[i + 1], i == len(hidden), rng) for i in range(len(hidden) + 1)
        )
        self.noise = [input_noise] + [hidden_noise] * len(hidden)

    def _disturbed(self, x: Tensor, layer: int, noise: torch.Generator | None) -> Tensor:
        """Return what `layer` sees: its input with the noise drawn from `noise`, without noise if that is None."""
        if noise is None or self.noise[layer] == 0:
            return x
        drawn = torch.randn(x.shape, generator=noise, device=x.device, dtype=x.dtype)
        return torch.add(x, drawn, alpha=self.noise[layer])

    def features(self, x: Tensor, noise: torch.Generator | None) -> Tensor:
        """(n, inputs) -> (n, hidden[-1]): the last hidden layer, before its noise."""
        for i, layer in enumerate(self.layers[:-1]):
            x = torch.relu(layer(self._disturbed(x, i, noise)))
        return x

    def forward(self, x: Tensor, noise: torch.Generator | None = None) -> Tensor:
        """(n, inputs) -> logits (n, classes); the noise layers are off without `noise`."""
        last = len(self.layers) - 1
        return self.layers[last](self._disturbed(self.features(x, noise), last, noise))

    @torch.no_grad()
    def standardise(self, x: Tensor, noise: torch.Generator) -> None:
        """Initialise every layer by the data x (n, inputs), first layer first (see `WeightNormLinear.standardise`)."""
        for i, layer in enumerate(self.layers):
            x = torch.relu(cast(WeightNormLinear, layer).standardise(self._disturbed(x, i, noise)))

    @torch.no_grad()
    def dense(self) -> dict[str, np.ndarray]:
        """weight_i (out, in) and bias_i (out,) of each layer: all that predictions need."""
        parts = {"weight": WeightNormLinear.weight, "bias": lambda layer: layer.bias}
        return {
            f"{name}_{i}": part(layer).cpu().numpy()
            for i, layer in enumerate(self.layers)
            for name, part in parts.items()
        }


class BatchStandardise(nn.Module):
    """Standardises each feature over the batch and adds a learnt bias; a generator always sees a whole batch."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        """(n, width) -> (n, width)."""
        centred = x - x.mean(0)
        return torch.addcmul(self.bias, centred, torch.rsqrt(_TINY + centred.square().mean(0)))


class GanGenerator(nn.Module):
    """Images in [0, 1] from uniform noise: softplus layers with batch normalisation, then a sigmoid.

    inputs: length of the noise vector; hidden: widths; outputs: pixels.
    """

    def __init__(self, inputs: int, hidden: Sequence[int], outputs: int, rng: np.random.Generator) -> None:
        super().__init__()
        self.inputs = inputs
        self.layers = nn.ModuleList()
        self.norms = nn.ModuleList(BatchStandardise(width) for width in hidden)
        for width in hidden:
            layer = undrawn(nn.Linear, inputs, width, bias=False)
            with torch.no_grad():
                # Glorot; the standardisation that follows makes the result independent of the scale
                layer.weight.copy_(_normal(rng, width, inputs, sd=(2 / (inputs + width)) ** 0.5))
            self.layers.append(layer)
            inputs = width
        # the authors' first directions are Glorot's here too, 0.4 as long: a step of Adam turns them so far that in
        # some runs pixels are stuck at white, which the classifier sees and the generator cannot mend
        self.last = WeightNormLinear(inputs, outputs, True, rng)

    def forward(self, count: int, noise: torch.Generator) -> Tensor:
        """`count` images (count, outputs) from noise drawn with the generator, on the generator's device."""
        x = torch.rand((count, self.inputs), generator=noise, device=noise.device)
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = functional.softplus(norm(layer(x)))
        return torch.sigmoid(self.last(x))
