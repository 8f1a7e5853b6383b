"""The ball activation, and what its nearly uniform image looks like (Fay et al. 2020, "Activation function").

phi(o) = o_{1:l} / ((exp(-o_0 sqrt(8/pi)) + 1)^(1/l) |o_{1:l}|) maps R^{l+1} into the unit ball of R^l: a direction
from l numbers, and a radius from one, as U^(1/l) with U nearly uniform where o_0 is a standard normal number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit, ndtr

if TYPE_CHECKING:
    from torch import Tensor

_SLOPE = math.sqrt(8 / math.pi)
_FLOOR = 1e-12  # directions whose largest number is below it shrink to 0, where phi has no limit


def ball_activation(o: np.ndarray) -> np.ndarray:
    """Phi of o (..., l + 1), in float64: points (..., l) of the unit ball, up to rounding; 0 for the direction 0."""
    o = np.asarray(o, np.float64)
    direction = o[..., 1:]
    scaled = direction / np.maximum(np.abs(direction).max(axis=-1, keepdims=True), _FLOOR)
    unit = scaled / np.sqrt(np.maximum(np.square(scaled).sum(axis=-1, keepdims=True), 1.0))
    return unit * np.exp(-np.logaddexp(0.0, -_SLOPE * o[..., :1]) / direction.shape[-1])


def ball_activation_torch(o: Tensor) -> Tensor:
    """Phi of o (..., l + 1): (..., l) of its dtype; finite, with a finite gradient, for every finite o.

    Rounding may leave a norm just above 1: `lib.encoders.bound` clips what is released.
    """
    from torch.nn import functional  # figures of this activation need no torch, which takes seconds to import

    direction = o[..., 1:]
    # phi does not depend on the length of the direction, so dividing by a constant of about that length changes
    # neither value nor gradient, and keeps squares within float32
    scaled = direction / direction.detach().abs().amax(-1, keepdim=True).clamp(min=_FLOOR)
    unit = scaled / scaled.square().sum(-1, keepdim=True).clamp(min=1.0).sqrt()
    return unit * (-functional.softplus(-_SLOPE * o[..., :1]) / direction.shape[-1]).exp()


def logistic_normal_cdfs(x: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Distribution functions at x of the standard logistic and of N(0, 8/pi) (Fay et al. 2020, Figure 1)."""
    return expit(x), ndtr(np.asarray(x) / _SLOPE)


def logistic_normal_gap() -> float:
    """Largest difference of the two, over all x: how far U^(1/l) is from its uniform model."""

    def negative(x: float) -> float:
        logistic, normal = logistic_normal_cdfs(x)
        return -abs(logistic - normal)

    grid = np.linspace(0.0, 20.0, 2001)  # both are symmetric about 0, and beyond 20 both are 1 to 1e-8
    logistic, normal = logistic_normal_cdfs(grid)
    best = int(np.argmax(np.abs(logistic - normal)))
    around = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
    return -float(minimize_scalar(negative, bounds=around, method="bounded", options={"xatol": 1e-10}).fun)


def disc_histograms(samples: int, bins: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Densities on the square [-1, 1]^2 for l = 2 (Fay et al. 2020, Figure 2), each from `samples` points.

    Returns `edges` (bins + 1,), and (bins, bins), first axis horizontal: `activation` of phi(o) for standard normal o,
    `uniform` of uniform points of the disc (Muller 1959), and `difference`, the absolute difference of the two.
    """
    edges = np.linspace(-1.0, 1.0, bins + 1)

    def density(points: np.ndarray) -> np.ndarray:
        counts, _, _ = np.histogram2d(points[:, 0], points[:, 1], bins=(edges, edges))
        return counts / (samples * (edges[1] - edges[0]) ** 2)

    activation = density(ball_activation(rng.standard_normal((samples, 3))))
    directions = rng.standard_normal((samples, 2))
    lengths = np.sqrt(rng.random((samples, 1)))
    uniform = density(directions / np.linalg.norm(directions, axis=1, keepdims=True) * lengths)
    return {
        "edges": edges,
        "activation": activation,
        "uniform": uniform,
        "difference": np.abs(activation - uniform),
    }
