"""One weight, so that an objective and its approximation can be drawn (Figure 2)."""

from dataclasses import dataclass

import numpy as np
import torch

from lib.dp_mac.activations import ACTIVATIONS
from lib.dp_mac.expansion import Polynomial, per_sample
from lib.dp_mac.objectives import BinaryCrossEntropy, Objective, SquaredError
from lib.dp_mac.release import exact
from lib.dp_mac.sensitivity import Sensitivities, hidden_corrected, output_corrected

SQUARED = SquaredError(ACTIVATIONS["softplus"])


@dataclass(frozen=True)
class Toy:
    """A layer of one weight with its data: inputs and targets (N,), within `bound`."""

    objective: Objective
    inputs: np.ndarray
    targets: np.ndarray
    bound: float

    def values(self, weights: np.ndarray) -> np.ndarray:
        """Return the objective 1/(2N) sum T_n at each of weights (k,)."""
        u = torch.from_numpy(np.outer(weights, self.inputs))
        targets = torch.from_numpy(np.broadcast_to(self.targets, u.shape).copy())
        return self.objective.value(u, targets).mean(1).numpy() / 2

    def expansion(self, order: int) -> Polynomial:
        """Its expansion of an order at the weight 0."""
        shape = (1, len(self.inputs), 1)
        inputs, targets = (torch.from_numpy(part).reshape(shape) for part in (self.inputs, self.targets))
        samples = per_sample(self.objective, torch.zeros(1, 1, 1, dtype=torch.float64), inputs, targets, order)
        return exact(samples, torch.ones(1, len(self.inputs), dtype=torch.float64), len(self.inputs))

    def sensitivities(self) -> Sensitivities:
        """Of the coefficients of the second order, at the weight 0, adding or removing a sample."""
        bounds = hidden_corrected if isinstance(self.objective, SquaredError) else output_corrected
        return bounds(np.zeros((1, 1)), self.bound, len(self.inputs))


def toys(samples: int, bound: float, rng: np.random.Generator) -> dict[str, Toy]:
    """Return the paper's two: an input layer of true weight -0.7, and an output layer of true weight 0.7.

    Inputs are uniform in [-bound, bound] (the paper does not say); targets softplus(-0.7 z), and classes drawn with
    probability sigmoid(0.7 z).
    """
    inputs = rng.uniform(-bound, bound, (2, samples))
    classes = (rng.random(samples) < 1 / (1 + np.exp(-0.7 * inputs[1]))).astype(float)
    largest = max(bound, float(np.logaddexp(0, 0.7 * bound)))  # of the first layer's inputs and targets
    return {
        "input layer": Toy(SQUARED, inputs[0], np.logaddexp(0, -0.7 * inputs[0]), largest),
        "output layer": Toy(BinaryCrossEntropy(), inputs[1], classes, bound),
    }


def at(polynomial: Polynomial, weights: np.ndarray) -> np.ndarray:
    """Return a polynomial in one weight at weights (k,)."""
    spread = torch.from_numpy(weights)
    assert polynomial.constant is not None and polynomial.linear is not None
    value = polynomial.constant[0] + polynomial.linear[0, 0, 0] * spread
    if polynomial.quadratic is not None:
        value = value + polynomial.quadratic[0, 0, 0, 0] * spread**2
    return value.numpy()
