"""The noise of every private method for one target (epsilon, delta), and what it costs by two routes.

Neighbouring relation: replace one record, for all of them, so that their epsilons can be compared. Nothing here depends
on data: every number is announced before a run. The first route composes Renyi divergences and converts them by
dp_accounting's tighter conversion; the second is dp_accounting's exact Gaussian or its privacy loss distributions, and
less, since it loses nothing in a conversion. Each is a proof by itself, so the smaller would do; the larger counts all
the same, so that a fault in one does not make a promise too small. All methods alike so keep a little less than they
promise.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lib.accounting import gnmax, lnmax, rdp
from lib.accounting.calibration import least_noise
from lib.accounting.confident import selective_caps
from lib.accounting.encoded_sensitivity import sensitivity
from lib.accounting.gaussian import epsilon_analytic
from lib.accounting.replaced import replaced_gaussian_pld, replaced_gaussian_rdp
from lib.accounting.rounding import shown
from lib.accounting.training_run import TrainingRun, steps_per_epoch
from lib.core.errors import InputError

MARGIN = 1.002  # noise grows by so much, as often as it must, where the second route costs more than the target
MOST = 20  # times
INTERVAL = 1e-4  # of privacy loss distributions


@dataclass(frozen=True)
class Budget:
    """A target (epsilon, delta), and the orders (k,) of Renyi divergences over which the first route is least."""

    epsilon: float
    delta: float
    orders: np.ndarray

    def __post_init__(self) -> None:
        """Raises InputError for what is not allowed."""
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
    """Noise that costs no more than the target by both routes: the least, or at most MARGIN times the least.

    by_rdp: Renyi costs (k,) at a noise. route: the other route's name, by_route: epsilon by it. parameters: of a noise.
    Raises InputError where the second route costs far more than the first.
    """
    noise = least_noise(lambda noise: budget.by_rdp(by_rdp(noise)), budget.epsilon, largest=1e6)
    for _ in range(MOST):
        epsilons = {"rdp": budget.by_rdp(by_rdp(noise)), route: by_route(noise)}
        if max(epsilons.values()) <= budget.epsilon:
            break
        noise *= MARGIN
    else:
        raise InputError(
            f"epsilon {budget.epsilon}: by {route} {MARGIN**MOST:.2f} times its noise costs "
            f"{shown(epsilons[route], 6)}; "
            "allowed are orders of Renyi divergences, and numbers of steps or queries, at which both routes can tell"
        )
    return Calibrated(parameters(noise), {"epsilons": epsilons, "delta": budget.delta})


def gnmax_noise(queries: int, budget: Budget) -> Calibrated:
    """`sigma` of GNMax, in votes; all answers are one Gaussian of sensitivity sqrt(2 queries)."""
    return calibrated(
        budget,
        lambda sigma: queries * gnmax.rdp_independent(budget.orders, sigma),
        "analytic",
        lambda sigma: epsilon_analytic(math.sqrt(queries) * gnmax.SENSITIVITY, sigma, budget.delta),
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
    return calibrated(
        budget,
        lambda sigma: selective_caps(budget.orders, queries, most_answered, ratio * sigma, sigma),
        "analytic",
        lambda sigma: epsilon_analytic(math.sqrt(queries / ratio**2 + 2 * most_answered), sigma, budget.delta),
        lambda sigma: {"sigma": sigma, "sigma_threshold": ratio * sigma},
    )


def lnmax_noise(queries: int, budget: Budget) -> Calibrated:
    """`laplace_scale` of LNMax, in votes; every answer is (2 / scale, 0)-DP.

    The second route composes randomised response, the worst mechanism that is so.
    """

    def composed(scale: float) -> float:
        from dp_accounting.pld import common, privacy_loss_distribution  # takes a second, and not every job needs it

        one = common.DifferentialPrivacyParameters(lnmax.pure_epsilon(scale), 0)
        made = privacy_loss_distribution.from_privacy_parameters(one, value_discretization_interval=INTERVAL)
        return float(made.self_compose(queries).get_epsilon_for_delta(budget.delta))

    return calibrated(
        budget,
        lambda scale: queries * lnmax.rdp_independent(budget.orders, scale),
        "pld",
        composed,
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
