"""Many independent multi-layer perceptrons at once, as batched matrix products."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)


@dataclass(frozen=True)
class StackedMLP:
    """T independent networks of one shape: features -> hidden... -> classes, each hidden layer with a leaky ReLU.

    slope: of the leaky ReLU below zero; 0 is a ReLU. Parameters are a dictionary of arrays: `weight{i}` (in, out) and
    `bias{i}` (1, out) for one network, with a leading axis T where they are stacked.
    """

    features: int
    hidden: tuple[int, ...]
    classes: int
    slope: float = 0.0

    @property
    def _sizes(self) -> tuple[int, ...]:
        return (self.features, *self.hidden, self.classes)

    @property
    def decayed(self) -> tuple[str, ...]:
        """Names of the parameters that weight decay applies to: all weights, no biases."""
        return tuple(f"weight{i}" for i in range(len(self._sizes) - 1))

    @property
    def widest(self) -> int:
        """Numbers per sample in the widest layer that is computed."""
        return max(self._sizes[1:])

    def initial(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        """Parameters (float32) of one network: He et al. (2015), normal, over the inputs; biases zero."""
        parameters = {}
        for i, (inputs, outputs) in enumerate(pairwise(self._sizes)):
            gain = 2 / (1 + self.slope**2) if i < len(self.hidden) else 1.0  # no ReLU halves the logits
            weight = rng.standard_normal((inputs, outputs), dtype=np.float32)
            parameters[f"weight{i}"] = weight * np.float32(np.sqrt(gain / inputs))
            parameters[f"bias{i}"] = np.zeros((1, outputs), np.float32)
        return parameters

    def logits(self, parameters: dict[str, torch.Tensor], x: torch.Tensor, shared: bool = False) -> torch.Tensor:
        """Logits (T, b, classes) of stacked parameters.

        x: float samples (T, b, ...), a batch for each network; or with `shared` (b, ...), the same for all.
        """
        teachers = len(parameters["bias0"])
        value = x.flatten(1).expand(teachers, -1, -1) if shared else x.flatten(2)
        for i in range(len(self._sizes) - 1):
            value = torch.baddbmm(parameters[f"bias{i}"], value, parameters[f"weight{i}"])
            if i < len(self.hidden):
                value = F.leaky_relu(value, self.slope)
        return value
