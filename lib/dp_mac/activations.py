"""Activation functions with their first two derivatives, which the expansions of DP-MAC need."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)

Function = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Activation:
    """f, f' and f'' of a pre-activation, element by element, any shape."""

    value: Function
    first: Function
    second: Function


def _softplus(u: torch.Tensor) -> torch.Tensor:
    # linear above the threshold: at torch's own, 20, it would differ from its derivatives here in double precision
    return F.softplus(u, threshold=40.0)


def _sigmoid_first(u: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(u) * torch.sigmoid(-u)


def _sigmoid_second(u: torch.Tensor) -> torch.Tensor:
    return _sigmoid_first(u) * (1 - 2 * torch.sigmoid(u))


def _tanh_first(u: torch.Tensor) -> torch.Tensor:
    return 1 - torch.tanh(u) ** 2


def _tanh_second(u: torch.Tensor) -> torch.Tensor:
    return -2 * torch.tanh(u) * _tanh_first(u)


def _relu_first(u: torch.Tensor) -> torch.Tensor:
    return (u > 0).to(u)  # 0 at the kink, as automatic differentiation has it


# softplus is the paper's, in all layers; relu, in hidden ones, is the authors' public code's
ACTIVATIONS = {
    "softplus": Activation(_softplus, torch.sigmoid, _sigmoid_first),
    "sigmoid": Activation(torch.sigmoid, _sigmoid_first, _sigmoid_second),
    "tanh": Activation(torch.tanh, _tanh_first, _tanh_second),
    "relu": Activation(torch.relu, _relu_first, torch.zeros_like),
    "linear": Activation(lambda u: u, torch.ones_like, torch.zeros_like),
}
