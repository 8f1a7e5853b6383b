"""The functional mechanism (Zhang et al. 2012): data go in, polynomial coefficients with Laplace noise come out.

Nothing else of the private data leaves this module, and nothing that trains on what it gives sees the data: training
may go on for any number of epochs. Neighbouring relation: add or remove one record. Each release has Laplace noise of
scale sensitivity / epsilon on every coefficient, so it is epsilon-DP with delta 0, and the whole network is the sum of
its releases' epsilons (sequential composition: the later ones depend on the earlier ones' outcomes, which that allows).
epsilon None: no noise, not private, the same clipping.

Source: Phan, Wu and Dou 2017 for the layers and their order. Degree 7, the paper's, needs all moments of degree 7 of
the 26 numbers of q of a 5 x 5 filter, C(32, 7) = 3,365,856 of them, of a sensitivity beyond use; degree 2 and its 351
coefficients, which serve all filters at once, are ours. The paper's code perturbs the 5 constants of the Chebyshev
polynomial, which hold no data, and multiplies them by data: no release (see `lib.dp_mac.cdbn_published`).
"""

from dataclasses import dataclass

import numpy as np
import torch

from lib.dp_mac.cdbn_sensitivity import (
    hidden_sensitivity,
    laplace,
    moments_norm,
    output_sensitivity,
    patches,
    with_one,
)

BATCH = 500  # images at once
SLACK = 1e-9  # clipped a hair below the bound, or else rounding would leave norms above it


@dataclass(frozen=True)
class Moments:
    """Released sums of q q^T, q = (1, p): (m, m), symmetric, double precision; scale: of the noise on each number."""

    matrix: torch.Tensor
    scale: float


@dataclass(frozen=True)
class OutputCoefficients:
    """linear: (classes, m), the sums of q of each class; quadratic: the moments of all."""

    linear: torch.Tensor
    quadratic: Moments


def hidden_moments(x: torch.Tensor, size: int, stride: int, clip: float) -> torch.Tensor:
    """Return the exact sum over images x (N, channels, side, side) of their patches' moments, clipped image by image.

    Numbers outside [0, 1] are moved to its ends, so that the sensitivity holds for any input.
    """
    bound = hidden_sensitivity(x.shape[1], x.shape[2], size, stride, clip) * (1 - SLACK)
    width = x.shape[1] * size**2 + 1
    total = torch.zeros(width, width, dtype=torch.float64, device=x.device)
    for batch in x.split(BATCH):
        q = with_one(patches(batch.double().clamp(0, 1), size, stride))
        factors = (bound / moments_norm(q)).clamp(max=1.0)
        total += (q * factors[:, None, None]).flatten(0, 1).T @ q.flatten(0, 1)
    return total


def output_sums(
    features: torch.Tensor, y: torch.Tensor, classes: int, clip: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the exact coefficients (classes, m) and (m, m) of records with features (N, n), clipped one by one.

    Features outside [0, 1], by rounding at the least, are moved to its ends.
    """
    bound = output_sensitivity(features.shape[1], clip)[0] * (1 - SLACK)
    q = with_one(features.double().clamp(0, 1))
    q = q * (bound / q.sum(1, keepdim=True)).clamp(max=1.0)
    one_hot = torch.nn.functional.one_hot(y, classes).double()
    return one_hot.T @ q, q.T @ q


def _scale(sensitivity: float, epsilon: float | None) -> float:
    return 0.0 if epsilon is None else sensitivity / epsilon


def _noisy(matrix: torch.Tensor, scale: float, rng: np.random.Generator) -> Moments:
    """Return the symmetric matrix with noise on its upper triangle, mirrored."""
    noise = laplace(rng, scale, tuple(matrix.shape)).triu().to(matrix.device)
    return Moments(matrix + noise + noise.triu(1).T, scale)


def release_hidden(
    x: torch.Tensor, size: int, stride: int, clip: float, epsilon: float | None, rng: np.random.Generator
) -> Moments:
    """Return the moments of the patches of x (N, channels, side, side), epsilon-DP."""
    scale = _scale(hidden_sensitivity(x.shape[1], x.shape[2], size, stride, clip), epsilon)
    return _noisy(hidden_moments(x, size, stride, clip), scale, rng)


def release_output(
    features: torch.Tensor,
    y: torch.Tensor,
    classes: int,
    clip: float,
    epsilons: tuple[float | None, float | None],
    rng: np.random.Generator,
) -> OutputCoefficients:
    """Return the output layer's coefficients, the linear ones epsilons[0]-DP, the quadratic ones epsilons[1]-DP.

    features: (N, n) in [0, 1]; y: (N,) whole numbers below `classes`.
    """
    linear, quadratic = output_sums(features, y, classes, clip)
    scales = [_scale(*pair) for pair in zip(output_sensitivity(features.shape[1], clip), epsilons, strict=True)]
    linear = linear + laplace(rng, scales[0], tuple(linear.shape)).to(linear.device)
    return OutputCoefficients(linear, _noisy(quadratic, scales[1], rng))
