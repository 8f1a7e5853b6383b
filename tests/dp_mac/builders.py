"""Small networks, samples and coefficients that the tests of DP-MAC share."""

import numpy as np
import torch

from lib.dp_mac.expansion import PerSample, per_sample
from lib.dp_mac.network import MacNetwork

KINDS = ("constant", "linear", "quadratic")


def drawn(network: MacNetwork, runs: int, samples: int, seed: int, spread: float = 1.0, dtype=torch.float64):
    """Weights, x, y and perturbed coordinates of `runs` networks."""
    rng = np.random.default_rng(seed)

    def normal(*shape):
        return torch.from_numpy(spread * rng.standard_normal(shape)).to(dtype)

    weights = [normal(runs, *shape) for shape in network.shapes]
    x = normal(runs, samples, network.sizes[0])
    y = normal(runs, samples, network.sizes[-1])
    if network.output == "binary_cross_entropy":
        y = torch.from_numpy(rng.integers(0, 2, y.shape)).to(dtype)
    coordinates = [normal(runs, samples, size) for size in network.sizes[1:-1]]
    return weights, x, y, coordinates


def coefficients(network: MacNetwork, order: int, weights, x, y, coordinates) -> list[PerSample]:
    """Per-sample coefficients of every layer."""
    return [
        per_sample(kind, weight, network.layer_input(z), target, order)
        for kind, weight, z, target in zip(
            network.objectives, weights, [x, *coordinates], [*coordinates, y], strict=True
        )
    ]


def dense(layer: PerSample, kind: str) -> np.ndarray:
    """One sample's coefficient after the other, written out, in double precision: (R, b, numbers)."""
    inputs = layer.inputs.double().numpy()
    if kind == "constant":
        return layer.constant.double().numpy()[..., None]
    if kind == "linear":
        found = np.einsum("rbi,rbh->rbih", inputs, layer.linear.double().numpy())
    else:
        found = np.einsum("rbh,rbi,rbj->rbhij", layer.quadratic.double().numpy(), inputs, inputs)
    return found.reshape(*found.shape[:2], -1)
