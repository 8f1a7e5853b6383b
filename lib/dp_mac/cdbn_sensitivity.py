"""How far one record moves the coefficients that are released, in L1.

What is released of every layer is a sum over records of c(record), the upper triangle of the sum of q q^T over the
record's vectors q = (1, p), p in [0, 1]^n: the patches of an image, or its features. Adding or removing a record
changes it by c(record) exactly, whatever the others are. Its L1 norm, by the binomial formula, is

    sum over q of sum_{i <= j} |q_i q_j| = sum over q of (|q|_1^2 + |q|_2^2) / 2,                            (1)

which grows with every |q_i|; so, of all images in [0, 1], the white one has the largest, `hidden_sensitivity` at clip 1
(what pads an image stays 0), and the bound is attained. With clip < 1 a record is multiplied by min(1, C / norm), C =
clip times that bound: then no norm exceeds C, and every record of a larger one attains it. Clipping looks at one record
and a public constant only. The output layer's linear coefficients, one row a class, get q in the row of the record's
class: |q|_1 <= 1 + n.

Replacing a record is removing one and adding one: no more than twice as much, so epsilon becomes 2 epsilon. Twice is
attained by the linear coefficients (two labels). Unclipped moments move less: each coefficient is at least 0 and grows
with the image, so they move the most between the black and the white one, by the bound less the constants' part.

That the patches' moments are those of all filters (the objective of filter w is a polynomial in w whose coefficients
have no w in them) is why the number of filters does not enter. All of this is ours; the paper's own sensitivities are
`published_hidden` and `published_output`, as its authors' public code computes them.
"""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from lib.core.errors import InputError


def padded(x: torch.Tensor, size: int, stride: int) -> torch.Tensor:
    """Images with zeros around them, one more at the end where their number is odd ("SAME")."""
    side = x.shape[-1]
    padding = max((-(-side // stride) - 1) * stride + size - side, 0)
    before = padding // 2
    return F.pad(x, (before, padding - before, before, padding - before))


def patches(x: torch.Tensor, size: int, stride: int) -> torch.Tensor:
    """Cut patches (N, P, channels * size^2) from images x (N, channels, side, side): P = ceil(side / stride)^2."""
    return F.unfold(padded(x, size, stride), size, stride=stride).transpose(1, 2)


def with_one(p: torch.Tensor) -> torch.Tensor:
    """q = (1, p) along the last axis."""
    return torch.cat([torch.ones_like(p[..., :1]), p], dim=-1)


def moments_norm(q: torch.Tensor) -> torch.Tensor:
    """Equation (1) for each record, (N,), of its vectors q (N, P, m)."""
    return ((q.abs().sum(-1) ** 2 + (q**2).sum(-1)) / 2).sum(-1)


def checked_clip(clip: float) -> float:
    """Return the clip; raise InputError unless it lies in (0, 1]."""
    if not 0 < clip <= 1:
        raise InputError(f"clip {clip}: it must lie in (0, 1]")
    return clip


def hidden_sensitivity(channels: int, side: int, size: int, stride: int, clip: float = 1.0) -> float:
    """L1 sensitivity (add or remove one image) of a hidden layer's moments; InputError for a clip outside (0, 1]."""
    white = torch.ones(1, channels, side, side, dtype=torch.float64)
    return checked_clip(clip) * moments_norm(with_one(patches(white, size, stride))).item()


def output_sensitivity(features: int, clip: float = 1.0) -> tuple[float, float]:
    """L1 sensitivities (add or remove one record) of the output layer's linear and quadratic coefficients.

    Records are clipped to |q|_1 <= C = clip (1 + features); as 0 <= q_i <= 1, |q|_2^2 <= |q|_1, and (1) is at most
    (C^2 + C) / 2. Attained for whole C by q of C ones. Raises InputError for a clip outside (0, 1].
    """
    bound = checked_clip(clip) * (1 + features)
    return bound, (bound**2 + bound) / 2


# Vlcek's degree 7 for the sigmoid, as the public code has it: coefficients of 1, x, x^3, x^5, x^7
PUBLISHED_CHEBYSHEV = {0: 16 / 32, 1: 35 / 32, 3: -35 / 32, 5: 21 / 32, 7: -5 / 32}


def published_chebyshev(x: torch.Tensor, coefficients: dict[int, Any] = PUBLISHED_CHEBYSHEV) -> torch.Tensor:
    """Return the polynomial with these coefficients, by power."""
    return sum((value * x**power for power, value in coefficients.items()), torch.zeros_like(x))


def published_hidden(x: torch.Tensor, size: int, stride: int = 2) -> float:
    """Return the public code's sensitivity of a hidden layer, from the batch x (N, channels, side, side) at hand.

    2 max over images and filters of sum_ij T(h_ij), plus 2 max over images and channels of sum v, where h is the
    convolution by ones, plus 1, over its largest value in the batch, and T the polynomial, clipped to [0, 1]. It is not
    a bound: (a) it looks at the batch, private data; (b) the largest filter stands for the sum over filters, each of
    which has coefficients of its own; (c) the coefficients' signs cancel in T where the norm needs their magnitudes: 1
    for 3.5 at h = 1; (d) the largest channel stands for the sum. For one white image of 28 x 28 that is added, and 10
    filters of 5 x 5, the coefficients move by 3.5 times as much as this.
    """
    h = patches(x, size, stride).sum(-1) + 1
    hidden = published_chebyshev(h / h.max()).clamp(0, 1)
    return float(2 * hidden.sum(-1).abs().max() + 2 * x.sum((-2, -1)).abs().max())


def published_output(hidden: int, classes: int) -> float:
    """Return the paper's sensitivity of the output layer (Lemma 5, by its code): classes (hidden + hidden^2 / 4).

    Of the cross-entropy of `classes` logistic units, expanded by Taylor to degree 2: |1/2 - y_c| <= 1/2 for every
    linear, 1/8 for every quadratic coefficient of each class, doubled for replacing a record. As such it holds for
    features in [0, 1]; what the public code does with it does not (see `lib.dp_mac.cdbn_published`).
    """
    return classes * (hidden + hidden**2 / 4)


def laplace(rng: np.random.Generator, scale: float, shape: tuple[int, ...]) -> torch.Tensor:
    """Laplace noise in double precision, 0 for scale 0.

    Drawn in floating point: what leaks by its lowest bits (Mironov 2012) is not accounted.
    """
    return torch.from_numpy(rng.laplace(0.0, scale, shape)) if scale else torch.zeros(shape, dtype=torch.float64)
