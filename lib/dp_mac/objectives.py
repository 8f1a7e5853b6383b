"""Objectives of single layers: T_n, a sum over a layer's units of a function of each unit's pre-activation.

A layer's objective is 1/(2N) sum_n T_n (eq. (3)). Since a unit's pre-activation is u = w^T z, all derivatives in w
follow from those in u: dT/dw = T'(u) z and d2T/dw2 = T''(u) z z^T.
"""

from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn.functional as F  # noqa: N812 (its usual name)

from lib.dp_mac.activations import Activation


class Objective(Protocol):
    """T of each unit and its derivatives in the pre-activation; arguments and results have one shape, (..., units)."""

    def value(self, u: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """T(u)."""

    def first(self, u: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """T'(u)."""

    def second(self, u: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """T''(u)."""

    def output(self, u: torch.Tensor) -> torch.Tensor:
        """Return the layer's prediction."""


@dataclass(frozen=True)
class SquaredError:
    """T = (target - f(u))^2, of every hidden layer and of an autoencoder's output (eqs. (3) and (4))."""

    activation: Activation

    def value(self, u: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """T(u)."""
        return (target - self.activation.value(u)) ** 2

    def first(self, u: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """T'(u) = 2 (f - target) f'."""
        return 2 * (self.activation.value(u) - target) * self.activation.first(u)

    def second(self, u: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """T''(u) = 2 (f - target) f'' + 2 f'^2."""
        residual = self.activation.value(u) - target
        return 2 * residual * self.activation.second(u) + 2 * self.activation.first(u) ** 2

    def output(self, u: torch.Tensor) -> torch.Tensor:
        """f(u)."""
        return self.activation.value(u)


@dataclass(frozen=True)
class BinaryCrossEntropy:
    """T = ln(1 + e^u) - target u, a classifier's output: one unit a class, each on its own (Appendix G).

    Targets lie in [0, 1]; several classes are several such units, as in the paper, and the largest output wins. The
    factor 1/(2N) before T is the one of Appendix G's sensitivities.
    """

    def value(self, u: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """T(u)."""
        return F.softplus(u, threshold=40.0) - target * u

    def first(self, u: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """T'(u) = sigmoid(u) - target."""
        return torch.sigmoid(u) - target

    def second(self, u: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """T''(u) = sigmoid(u) sigmoid(-u), of the targets' shape."""
        return torch.sigmoid(u) * torch.sigmoid(-u)

    def output(self, u: torch.Tensor) -> torch.Tensor:
        """Probability of each class, taken on its own: sigmoid(u)."""
        return torch.sigmoid(u)


@dataclass(frozen=True)
class SoftmaxCrossEntropy:
    """-target ln softmax(u), the output of Abadi et al. (2016), for training by gradients only.

    Its units are not independent, so it has no expansion unit by unit, and DP-MAC cannot use it.
    """

    def value(self, u: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """Share of each unit in the cross-entropy, which is their sum."""
        return -target * F.log_softmax(u, dim=-1)

    def output(self, u: torch.Tensor) -> torch.Tensor:
        """Probability of each class."""
        return F.softmax(u, dim=-1)
