"""Polynomials in the place of ln(1 + e^x): Chebyshev interpolation, with a bound of its error that is proved.

Source: Phan, Wu and Dou, "Preserving Differential Privacy in Convolutional Deep Belief Networks" (Machine Learning 106,
2017), which puts a Chebyshev expansion of degree 7 of the sigmoid, on [-1, 1], into the energy of a hidden layer. That
of the sigmoid's integral, which the free energy of a restricted Boltzmann machine has in it, on [-radius, radius], is
ours; its derivative stands for the sigmoid.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from lib.core.errors import InputError

POINTS = 100_001  # of the grid that bounds the error


@dataclass(frozen=True)
class Approximation:
    """coefficients: (degree + 1,) of 1, x, x^2, ... error: no |p(x) - ln(1 + e^x)| exceeds it for |x| <= radius."""

    coefficients: np.ndarray
    radius: float
    error: float


def softplus(radius: float, degree: int = 2) -> Approximation:
    """ln(1 + e^x) on [-radius, radius], interpolated at the Chebyshev points.

    ln(1 + e^x) - x/2 is even, so an odd degree above 1 gives the polynomial of the degree below, and even degrees are
    taken at one more: degree 2 has the accuracy of 3. The bound is the largest error on a grid, plus half a step times
    a bound of the error's slope: ln(1 + e^x) has slopes in (0, 1), and |p'| <= sum k |a_k| radius^(k - 1).
    Raises InputError for a radius that is not positive and finite or a degree below 1.
    """
    if not (np.isfinite(radius) and radius > 0):
        raise InputError(f"radius {radius}: it must be positive and finite")
    if degree < 1:
        raise InputError(f"degree {degree}: it must be at least 1")
    odd = degree if degree % 2 else degree + 1
    found = Chebyshev.interpolate(lambda x: np.logaddexp(0, x), odd, domain=[-radius, radius])
    coefficients = found.convert(kind=Polynomial).coef[: degree + 1]
    grid = np.linspace(-radius, radius, POINTS)
    largest = np.abs(Polynomial(coefficients)(grid) - np.logaddexp(0, grid)).max()
    powers = np.arange(1, degree + 1)
    slope = 1 + (powers * np.abs(coefficients[1:]) * radius ** (powers - 1)).sum()
    return Approximation(coefficients, radius, float(largest + slope * radius / (POINTS - 1)))
