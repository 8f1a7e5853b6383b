"""Errors of R trained networks, each on the same samples."""

from collections.abc import Callable

import torch

from lib.dp_mac.network import MacNetwork

Evaluate = Callable[[list[torch.Tensor]], dict[str, torch.Tensor]]  # measures (R,) by name, from weights a layer


def squared_errors(
    network: MacNetwork, weights: list[torch.Tensor], x: torch.Tensor, y: torch.Tensor, chunk: int = 1000
) -> torch.Tensor:
    """Sum of squared errors of a sample, mean over samples, without the 1/2 of eq. (1); (R,) in double precision.

    x (n, features), y (n, outputs), or (R, n, ...), each network's own. This is the scale of the paper's numbers; its
    public code logs half of it. `chunk`: samples at once, which bounds the memory.
    """
    total = torch.zeros(len(weights[0]), dtype=torch.float64, device=x.device)
    for start in range(0, x.shape[-2], chunk):
        part = (..., slice(start, start + chunk), slice(None))
        residual = network.predict(weights, x[part]) - y[part]
        total += residual.double().square().sum((1, 2))
    return total / x.shape[-2]


def accuracies(
    network: MacNetwork, weights: list[torch.Tensor], x: torch.Tensor, labels: torch.Tensor, chunk: int = 1000
) -> torch.Tensor:
    """Share of samples x (n, features) whose largest output is their label (n,), (R,) in double precision.

    x may be (R, n, features), each network's own.
    """
    right = torch.zeros(len(weights[0]), dtype=torch.float64, device=x.device)
    for start in range(0, len(labels), chunk):
        predicted = network.predict(weights, x[..., start : start + chunk, :]).argmax(-1)
        right += (predicted == labels[start : start + chunk]).sum(1)
    return right / len(labels)
