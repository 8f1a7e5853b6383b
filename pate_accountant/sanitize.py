"""Choosing how a data-dependent epsilon is released with GNSS (Papernot et al. 2018, Appendix B; `gnss`)."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from pate_accountant import gnss
from pate_accountant.smooth_sensitivity import CheckSequence, Sequence, conditions, maximise


@dataclass(frozen=True)
class Release:
    """Parameters of a release at one order: smoothness, sensitivity, noise multiplier, and its Renyi cost.

    The released epsilon has the mean `raw epsilon + cost` and the standard deviation `std`.
    """

    beta: float
    sensitivity: float
    sigma_ss: float
    cost: float

    @property
    def std(self) -> float:
        """Standard deviation of the released value, sensitivity * sigma_ss."""
        return self.sensitivity * self.sigma_ss


def smoothness_grid(order: float, first: float, last: float, step: float) -> np.ndarray:
    """beta = first/order, (first + step)/order, ... below last/order."""
    return np.arange(first, last, step) / order


def releasable(sigma: float, order: float, classes: int) -> bool:
    """Whether C5 and C6 hold: elsewhere the sensitivity is neither a bound nor smooth, and nothing is released."""
    holds = conditions(sigma, order, classes)
    return holds.c5 and holds.c6


def _refuse_unless_releasable(sequence: Sequence) -> None:
    if not releasable(sequence.sigma, sequence.order, sequence.classes):
        raise ValueError(
            f"no release at order {sequence.order} with sigma {sequence.sigma} and {sequence.classes} classes: "
            "conditions C5 and C6 do not both hold"
        )


def choose(
    sequence: Sequence,
    checks: CheckSequence,
    betas: np.ndarray,
    price: Callable[[float, float, float], float],
    optimise_noise: bool,
) -> Release:
    """Return the release of least cost + 2 std among `betas`, as the paper chooses it.

    price(order, beta, sigma_ss) is the cost of the release. sigma_ss is the paper's
    (order e^(2 beta) / sensitivity)^(1/3), or with `optimise_noise` the best one. The search looks at the private
    votes, and nothing accounts for that. Raises ValueError where C5 or C6 fails (see `releasable`).
    """
    _refuse_unless_releasable(sequence)
    candidates = []
    for beta in betas:
        sensitivity = maximise(sequence, beta, checks)
        sigma_ss = (sequence.order * math.exp(2 * beta) / sensitivity) ** (1 / 3)
        if optimise_noise:
            sigma_ss = _best_noise(sequence.order, beta, sensitivity, sigma_ss, price)
        candidates.append(Release(float(beta), sensitivity, sigma_ss, price(sequence.order, beta, sigma_ss)))
    return min(candidates, key=lambda release: release.cost + 2 * release.std)


def fixed(sequence: Sequence, checks: CheckSequence, beta: float, sigma_ss: float) -> Release:
    """Return a release whose parameters were set without looking at the votes; its cost is the exact one.

    Raises ValueError where C5 or C6 fails (see `releasable`).
    """
    _refuse_unless_releasable(sequence)
    sensitivity = maximise(sequence, beta, checks)
    return Release(beta, sensitivity, sigma_ss, gnss.cost_exact(sequence.order, beta, sigma_ss))


def _best_noise(
    order: float, beta: float, sensitivity: float, start: float, price: Callable[[float, float, float], float]
) -> float:
    def objective(log_sigma: float) -> float:
        return price(order, beta, math.exp(log_sigma)) + 2 * sensitivity * math.exp(log_sigma)

    found = minimize_scalar(objective, bounds=(math.log(start) - 3, math.log(start) + 3), method="bounded")
    return math.exp(found.x)
