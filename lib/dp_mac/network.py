"""Fully connected networks as MAC sees them: a chain of layers, each with an objective; R networks at once."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch

from lib.core.errors import InputError
from lib.dp_mac.activations import ACTIVATIONS
from lib.dp_mac.mac_recipe import NetworkForm
from lib.dp_mac.objectives import BinaryCrossEntropy, Objective, SoftmaxCrossEntropy, SquaredError


@dataclass(frozen=True)
class MacNetwork(NetworkForm):
    """Layers of `sizes` (features, hidden..., outputs), of which R are computed side by side.

    Weights are a list of one tensor (R, in, out) a layer; `in` counts one more with a bias, the last row.
    """

    sizes: tuple[int, ...]

    @property
    def layers(self) -> int:
        """Objectives, the output's included."""
        return len(self.sizes) - 1

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """(in, out) of each layer's weights."""
        return [(inputs + self.bias, outputs) for inputs, outputs in pairwise(self.sizes)]

    @property
    def objectives(self) -> list[Objective]:
        """One a layer."""
        hidden: Objective = SquaredError(ACTIVATIONS[self.activation])
        last: Objective
        if self.output == "squared_error":
            last = SquaredError(ACTIVATIONS["linear"]) if self.linear_output else hidden
        elif self.output == "binary_cross_entropy":
            last = BinaryCrossEntropy()
        else:  # of backpropagation, which asks for no derivatives
            last = SoftmaxCrossEntropy()  # type: ignore[assignment]
        return [hidden] * (self.layers - 1) + [last]

    def initial_weights(self, rng: np.random.Generator) -> list[np.ndarray]:
        """Weights (in, out), float32, of one network; no data are used, so they cost no privacy. Biases are zero."""
        drawn = []
        for (inputs, outputs), fan_in in zip(self.shapes, self.sizes, strict=False):
            scale = np.sqrt(2 / (fan_in + outputs)) if self.initial == "glorot" else 1.0
            weight = rng.standard_normal((inputs, outputs), dtype=np.float32) * np.float32(scale)
            weight[fan_in:] = 0
            drawn.append(weight)
        return drawn

    def layer_input(self, z: torch.Tensor) -> torch.Tensor:
        """Return a layer's output (R, b, d) as the next one's input (R, b, in), with the bias's 1 if there is one."""
        return torch.cat([z, torch.ones_like(z[..., :1])], dim=-1) if self.bias else z

    def preactivation(self, weight: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
        """u (R, b, out) of a layer from what the one before gives, z (R, b, d)."""
        return torch.bmm(self.layer_input(z), weight)

    def outputs(self, weights: list[torch.Tensor], x: torch.Tensor) -> list[torch.Tensor]:
        """Return the outputs (R, b, out) of all layers, the prediction last. x: (R, b, features)."""
        given, z = [], x
        for weight, objective in zip(weights, self.objectives, strict=True):
            z = objective.output(self.preactivation(weight, z))
            given.append(z)
        return given

    def predict(self, weights: list[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        """Predictions (R, n, outputs) of every network for samples x, (n, features) or (R, n, features)."""
        with torch.no_grad():
            return self.outputs(weights, x.expand(len(weights[0]), -1, -1))[-1]


def check_data(network: MacNetwork, x: np.ndarray, y: np.ndarray, batch: float, runs: int = 0) -> None:
    """InputError unless x (N, features) and y (N, outputs) are samples for the network, at least `batch` of them.

    Where `runs` are trained side by side, either may have an axis of runs before those.
    """
    for what, array, width in (("x", x, network.sizes[0]), ("y", y, network.sizes[-1])):
        shapes = [(*x.shape[-2:-1], width), (runs, *x.shape[-2:-1], width)]
        if array.shape not in shapes[: 2 if runs else 1] or array.dtype.kind != "f":
            raise InputError(
                f"{what} {array.shape} {array.dtype}: allowed is one floating-point row of {width} for each sample"
            )
        if not np.isfinite(array).all():
            raise InputError(f"{what}: all of it must be finite")
    if network.output != "squared_error" and (y.min(initial=0) < 0 or y.max(initial=0) > 1):
        raise InputError(f"y from {y.min()} to {y.max()}: a classifier's targets lie in [0, 1]")
    if batch > x.shape[-2]:
        raise InputError(f"batch {batch}: there are only {x.shape[-2]} samples")
