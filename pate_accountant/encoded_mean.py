"""Compute the cost of the noisy mean of teachers' latent codes.

Fay et al. 2020, Algorithm 2; Fay et al. 2022, Theorem 2.

Neighbouring relation: replace one private record. It is in the share of one teacher, whose answers to all queries may
change, each from one end of its ball to the other. The answers to all queries are one Gaussian vector (Fay et al. 2022,
eq. (2)). What the codes are made and read with, encoder, decoder and all they were fitted on, is public.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pate_accountant import rdp
from pate_accountant.encoded_sensitivity import sensitivity
from pate_accountant.errors import InputError
from pate_accountant.gaussian import sigma_analytic, sigma_rdp
from pate_accountant.ledger import Entry, Ledger

ROUTES: dict[str, Callable[[float, float, float], float]] = {"rdp": sigma_rdp, "analytic": sigma_analytic}


@dataclass(frozen=True, kw_only=True)
class EncodedMeanNoise:
    """Noise on the means of teachers' codes, and what the answers to all queries cost.

    queries, teachers, radius, pieces: as in `sensitivity`. sigma: standard deviation of the noise on each number of a
    mean, in the codes' unit. Raises InputError for what is not allowed; without noise there is no epsilon.
    """

    queries: int
    teachers: int
    radius: float
    sigma: float
    pieces: int = 1

    def __post_init__(self) -> None:
        """Check numbers."""
        sensitivity(self.queries, self.teachers, self.radius, self.pieces)
        if not (math.isfinite(self.sigma) and self.sigma > 0):
            raise InputError(f"sigma {self.sigma}: it must be positive and finite; without noise there is no epsilon")

    @property
    def sensitivity(self) -> float:
        """L2 sensitivity of all answers together, in the codes' unit."""
        return sensitivity(self.queries, self.teachers, self.radius, self.pieces)

    def ledger(self, orders: np.ndarray) -> Ledger:
        """One entry, a draw for every code's mean; dp_accounting's accountant is its second route."""
        import dp_accounting  # takes a second, and not every job needs it

        orders = np.asarray(orders, float)
        count, once = self.queries * self.pieces, sensitivity(1, self.teachers, self.radius)
        cost = rdp.gaussian_rdp(orders, self.sigma, once)
        ledger = Ledger(orders)
        ledger.charge(
            Entry(
                "encoded_mean",
                count,
                {"sigma": self.sigma, "teachers": self.teachers, "radius": self.radius},
                cost,
                count * cost,  # nothing in it depends on the data
                dp_accounting.GaussianDpEvent(self.sigma / once),
                exact=True,
            )
        )
        return ledger


def calibrated(
    queries: int, teachers: int, radius: float, epsilon: float, delta: float, route: str, pieces: int = 1
) -> EncodedMeanNoise:
    """Return the least noise with which the answers to all queries cost `epsilon` at `delta`.

    route: `rdp`, the closed form (Fay et al. 2020, eqs. (5) and (15)), or `analytic` (Fay et al. 2022, Theorem 2), the
    least that there is. The others are as in `sensitivity`. Raises InputError for what is not allowed.
    """
    bound = sensitivity(queries, teachers, radius, pieces)
    sigma = _sigma(bound, epsilon, delta, route)
    return EncodedMeanNoise(queries=queries, teachers=teachers, radius=radius, sigma=sigma, pieces=pieces)


def _sigma(bound: float, epsilon: float, delta: float, route: str) -> float:
    if route not in ROUTES:
        raise InputError(f"route {route!r}: allowed are {', '.join(ROUTES)}")
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise InputError(f"epsilon {epsilon}: it must be positive and finite")
    check_delta(delta)
    return ROUTES[route](bound, epsilon, delta)


def check_delta(delta: float) -> None:
    """Raise InputError for a delta outside (0, 1)."""
    if not 0 < delta < 1:
        raise InputError(f"delta {delta}: it must lie in (0, 1)")
