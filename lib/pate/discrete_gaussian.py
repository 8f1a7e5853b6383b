"""Exact draws of the discrete Gaussian (Canonne, Kamath and Steinke 2020, Algorithms 1 to 3).

P[X = x] is proportional to exp(-x^2 / (2 sigma^2)) on the integers. Only integers and fractions are computed with, so
that the law is this one to the last bit, and no rounding of a real number tells of the value that was noised.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

Bits = Callable[[int], int]  # bits(k): an integer uniform in [0, 2^k)


class NormalNoise(Protocol):
    """Draw normal noise: a numpy generator, or `DiscreteGaussian`."""

    def normal(self, mean: float, sigma: float, size: Any, /) -> np.ndarray:
        """Return draws of that size."""


class DiscreteGaussian:
    """Noise with the interface of a numpy generator's `normal`, whole numbers instead of real ones.

    A mechanism that draws its noise by `rng.normal(0.0, sigma, shape)` becomes discrete when it is given this.
    """

    def __init__(self, bits: Bits) -> None:
        """bits: of `lib.core.seeding.noise_bits`."""
        self._bits = bits

    def normal(self, mean: float, sigma: float, size: int | tuple[int, ...]) -> np.ndarray:
        """Draws (int64) of that size around the whole number `mean`; sigma > 0 is taken as the exact binary fraction.

        Raises ValueError for another mean or sigma.
        """
        if not (math.isfinite(sigma) and sigma > 0 and float(mean).is_integer()):
            raise ValueError(f"mean {mean} and sigma {sigma}: a whole number and a positive finite one are needed")
        exact = Fraction(sigma)
        drawn = [draw(exact, self._bits) for _ in range(math.prod(np.atleast_1d(size).tolist()))]
        return int(mean) + np.array(drawn, np.int64).reshape(size)


def draw(sigma: Fraction, bits: Bits) -> int:
    """One draw: a discrete Laplace of scale t = floor(sigma) + 1, kept with a chance that corrects it (Algorithm 3).

    It is kept with probability exp(-(|x| - sigma^2 / t)^2 / (2 sigma^2)).
    """
    scale = math.floor(sigma) + 1
    above, below = (sigma**2).as_integer_ratio()
    while True:
        candidate = _laplace(scale, bits)
        if _bernoulli_exp((abs(candidate) * below * scale - above) ** 2, 2 * above * below * scale**2, bits):
            return candidate


def _laplace(scale: int, bits: Bits) -> int:
    """Return a discrete Laplace draw, P[X = x] proportional to exp(-|x| / scale) (Algorithm 2 with s = 1)."""
    while True:
        low = _below(scale, bits)
        if not _bernoulli_exp(low, scale, bits):
            continue
        high = 0
        while _bernoulli_exp(1, 1, bits):
            high += 1
        size, negative = low + scale * high, bits(1)
        if not (negative and size == 0):  # else 0 would have twice its share
            return -size if negative else size


def _bernoulli_exp(above: int, below: int, bits: Bits) -> bool:
    """Return true with probability exp(-above / below), above >= 0 and below > 0 (Algorithm 1)."""
    while above > below:
        if not _bernoulli_exp(1, 1, bits):
            return False
        above -= below
    tries = 1
    while _below(tries * below, bits) < above:
        tries += 1
    return tries % 2 == 1


def _below(limit: int, bits: Bits) -> int:
    """Return an integer uniform in [0, limit), by rejection."""
    count = (limit - 1).bit_length()
    while (drawn := bits(count)) >= limit:
        pass
    return drawn
