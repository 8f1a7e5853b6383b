"""The noise of every private method for one target (epsilon, delta), and what it costs by two routes.

Neighbouring relation: replace one record, for all of them, so that their epsilons can be compared. Nothing here depends
on data: every number is announced before a run. Both routes are proofs, each of the whole release, so the smaller
epsilon holds, and noise is calibrated to it: the tightest account known, for all methods alike. PATE's is `tightest`:
what leaves a mechanism is post-processing of noisy counts, whose exact Gaussian or privacy loss distribution it prices.
That of sampled Gaussians is dp_accounting's privacy loss distribution. The other route is a check: Renyi divergences of
the same noise, in dp_accounting's tighter conversion. Where the two differ by more than AGREEMENT one may be wrong, and
the noise is refused.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lib.core.errors import InputError
from pate_accountant import gnmax, lnmax, rdp
from pate_accountant.calibration import least_noise
from pate_accountant.confident import selective_caps
from pate_accountant.encoded_sensitivity import sensitivity
from pate_accountant.gaussian import epsilon_analytic
from pate_accountant.replaced import replaced_gaussian_pld, replaced_gaussian_rdp
from pate_accountant.rounding import shown
from pate_accountant.tightest import tightest
from pate_accountant.training_run import TrainingRun, steps_per_epoch

PRECISION = 1e-3  # what is proved lies at most so much below the target, relative to it
MOST = 20  # trials to get there
AGREEMENT = 4 / 3  # the most that one route may cost in the unit of the other
INTERVAL = 1e-4  # of privacy loss distributions


@dataclass(frozen=True)
class Budget:
    """A target (epsilon, delta), and the orders (k,) of Renyi divergences over which the first route is least."""

    epsilon: float
    delta: float
    orders: np.ndarray

    def __post_init__(self) -> None:
        """Raise InputError for what is not allowed."""
        if not (math.isfinite(self.epsilon) and self.epsilon > 0):
            raise InputError(f"epsilon {self.epsilon}: it must be positive and finite")
        if not 0 < self.delta < 1:
            raise InputError(f"delta {self.delta}: it must lie in (0, 1)")

    def by_rdp(self, costs: np.ndarray) -> float:
        """Epsilon of a total of Renyi costs (k,)."""
        return rdp.epsilon_tight(self.orders, costs, self.delta)[0]


@dataclass(frozen=True)
class Calibrated:
    """Parameters of a mechanism, by name, and its cost: `delta`, and `epsilons` by `rdp` and by the other route.

    parameters: standard deviations or scales, in the unit of what is released. cost: of plain values, for a record;
    empty for a mechanism that promises nothing.
    """

    parameters: dict[str, float]
    cost: dict[str, Any]


def calibrated(
    budget: Budget,
    by_rdp: Callable[[float], np.ndarray],
    route: str,
    by_route: Callable[[float], float],
    parameters: Callable[[float], dict[str, float]],
) -> Calibrated:
    """Noise whose smaller epsilon by two routes is the target, or at most PRECISION below it.

    by_rdp: Renyi costs (k,) at a noise. route: the other route's name, by_route: epsilon by it. parameters: of a noise.
    The noise is sought by the first route, which is cheap, at a target that is moved until the smaller epsilon fits.
    Raises InputError where the two routes differ by more than AGREEMENT.
    """
    aim = budget.epsilon
    for _ in range(MOST):
        noise = least_noise(lambda noise: budget.by_rdp(by_rdp(noise)), aim, largest=1e6)
        epsilons = {"rdp": budget.by_rdp(by_rdp(noise)), route: by_route(noise)}
        proved = min(epsilons.values())
        if max(epsilons.values()) > AGREEMENT * proved or 1 - PRECISION <= proved / budget.epsilon <= 1:
            break
        aim *= (1 - PRECISION / 2) * budget.epsilon / proved
    if not (max(epsilons.values()) <= AGREEMENT * proved and 1 - PRECISION <= proved / budget.epsilon <= 1):
        said = " and ".join(f"{shown(epsilon, 6)} by {name}" for name, epsilon in epsilons.items())
        raise InputError(
            f"epsilon {budget.epsilon}: noise costs {said}; allowed are orders of Renyi divergences, and numbers of "
            f"steps or queries, at which the two differ by a factor of {AGREEMENT:.2f} at most"
        )
    return Calibrated(parameters(noise), {"epsilons": epsilons, "delta": budget.delta})


def _of_votes(run: dict[str, Any], queries: int, budget: Budget) -> float:
    """Epsilon of a run of votes by the tightest route known, infinite where that knows none."""
    found = tightest(run | {"delta": budget.delta}, queries)
    return found[0] if found else math.inf


def gnmax_noise(queries: int, budget: Budget) -> Calibrated:
    """`sigma` of GNMax, in votes; all answers are one Gaussian of sensitivity sqrt(2 queries)."""
    return calibrated(
        budget,
        lambda sigma: queries * gnmax.rdp_independent(budget.orders, sigma),
        "analytic",
        lambda sigma: _of_votes({"aggregator": "gnmax", "sigma": sigma}, queries, budget),
        lambda sigma: {"sigma": sigma},
    )


def confident_noise(queries: int, most_answered: int, ratio: float, budget: Budget) -> Calibrated:
    """`sigma` and `sigma_threshold` = `ratio` sigma of Confident-GNMax, for the caps announced beforehand.

    queries: checked, all of them; most_answered: answered, at most. A check has sensitivity 1, an answer sqrt(2).
    """
    if not 1 <= most_answered <= queries:
        raise InputError(f"max_answered {most_answered}: allowed are 1 to {queries}, the queries")
    if not (math.isfinite(ratio) and ratio > 0):
        raise InputError(f"ratio {ratio}: it must be positive and finite")
    run = {"aggregator": "confident_gnmax", "max_answered": most_answered}
    return calibrated(
        budget,
        lambda sigma: selective_caps(budget.orders, queries, most_answered, ratio * sigma, sigma),
        "analytic",
        lambda sigma: _of_votes(run | {"sigma": sigma, "sigma_threshold": ratio * sigma}, queries, budget),
        lambda sigma: {"sigma": sigma, "sigma_threshold": ratio * sigma},
    )


def lnmax_noise(queries: int, budget: Budget) -> Calibrated:
    """`laplace_scale` of LNMax, in votes: two counts change by one each, and all noisy counts are priced.

    The counts' maximum is post-processing of them. The paper prices each answer as a mechanism of which nothing is
    known but that it is (2 / scale, 0)-DP, which takes more noise.
    """
    return calibrated(
        budget,
        lambda scale: queries * lnmax.rdp_noisy_counts(budget.orders, scale),
        "pld",
        lambda scale: _of_votes({"aggregator": "lnmax", "laplace_scale": scale}, queries, budget),
        lambda scale: {"laplace_scale": scale},
    )


def encoded_mean_noise(queries: int, teachers: int, diameter: float, budget: Budget) -> Calibrated:
    """`sigma` of the noise on each number of a mean of codes no two of which are further apart than `diameter`.

    One teacher moves the answers to all queries by diameter sqrt(queries) / teachers (Fay et al. 2022, Theorem 2).
    """
    once, together = (sensitivity(count, teachers, diameter / 2) for count in (1, queries))
    # in the unit of one teacher's share, so that the noise is sought among numbers of the usual size
    return calibrated(
        budget,
        lambda unit: queries * rdp.gaussian_rdp(budget.orders, unit / teachers, once),
        "analytic",
        lambda unit: epsilon_analytic(together, unit / teachers, budget.delta),
        lambda unit: {"sigma": unit / teachers},
    )


def sampled_noise(run: TrainingRun, budget: Budget) -> Calibrated:
    """`sigma`, the noise multiplier of DP-SGD or DP-MAC as `run` describes it; the run's own is not used.

    A record's part of a step's vector has a norm of at most 1 in the unit of the noise; one that is replaced moves it
    by up to 2. Raises InputError for a run with pre-training or histograms, which this does not account for.
    """
    if run.events().keys() - {"training"}:
        raise InputError("thresholds learned from data: not accounted for under replace-one; allowed are fixed ones")
    steps = run.epochs * steps_per_epoch(run.samples, run.batch)
    unit = 1 / run.sensitivity
    return calibrated(
        budget,
        lambda sigma: steps * replaced_gaussian_rdp(budget.orders, run.rate, sigma * unit),
        "pld",
        lambda sigma: replaced_gaussian_pld(run.rate, sigma * unit, steps, budget.delta, INTERVAL),
        lambda sigma: {"sigma": sigma},
    )
