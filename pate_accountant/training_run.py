"""Compute the cost of a training that releases a noisy sum over a Poisson sample in every step, as DP-SGD does.

Neighbouring relation: add or remove one record, throughout. A step's sum, in the unit of what one record moves it by
at most, has a sensitivity of 1, so a step is one Gaussian mechanism with multiplier sigma on a Poisson sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pate_accountant import rdp
from pate_accountant.calibration import least_noise
from pate_accountant.errors import InputError
from pate_accountant.subsampled_gaussian import subsampled_gaussian_rdp

if TYPE_CHECKING:
    import dp_accounting

AGREEMENT = 1e-6  # relative; of AGREEMENT itself where a cost is less than that


def steps_per_epoch(samples: int, batch: float) -> int:
    """Poisson batches of `batch` expected samples that make an epoch of `samples`, rounded up."""
    return math.ceil(samples / batch)


@dataclass(frozen=True, kw_only=True)
class TrainingRun:
    """A run as the accountant sees it; what releases more than the steps of one training is a class derived from it.

    samples: records in the data set (N). batch: expected size of a Poisson batch. epochs: of `steps_per_epoch` each.
    sigma: noise multiplier. Raises InputError for what is not allowed.
    """

    samples: int
    batch: float
    epochs: int
    sigma: float

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not 0 < self.batch <= self.samples:
            raise InputError(f"batch {self.batch}: it must lie above 0 and not above the {self.samples} samples")
        self._check_epochs()
        check_sigma("sigma", self.sigma)

    def _check_epochs(self) -> None:
        # a part of an epoch would be charged for fewer steps than are taken
        if self.epochs < 1 or self.epochs % 1:
            raise InputError(f"epochs {self.epochs}: allowed are whole numbers of at least 1")

    @property
    def rate(self) -> float:
        """Chance of each record to be in a batch."""
        return self.batch / self.samples

    @property
    def sensitivity(self) -> float:
        """L2 sensitivity of the scaled vector that one step releases; the noise on it is sigma."""
        return 1.0

    def parts(self, orders: np.ndarray) -> dict[str, np.ndarray]:
        """RDP (k,) of `training`, and of what else the run releases, those that it has."""
        return {"training": self.training_rdp(np.asarray(orders, float), self.epochs, self.sigma / self.sensitivity)}

    def events(self) -> dict[str, dp_accounting.DpEvent]:
        """Return the parts of the run as dp_accounting events (add or remove one)."""
        return {"training": self.training_event(self.epochs, self.sigma)}

    def training_rdp(self, orders: np.ndarray, epochs: int, sigma: float) -> np.ndarray:
        """RDP (k,) of so many epochs of steps with multiplier sigma."""
        return epochs * steps_per_epoch(self.samples, self.batch) * subsampled_gaussian_rdp(orders, self.rate, sigma)

    def training_event(self, epochs: int, sigma: float) -> dp_accounting.DpEvent:
        """Return the cost of training as a dp_accounting event; sigma: on the scaled vector."""
        import dp_accounting  # takes a second, and not every job needs it

        step = dp_accounting.PoissonSampledDpEvent(self.rate, dp_accounting.GaussianDpEvent(sigma / self.sensitivity))
        return dp_accounting.SelfComposedDpEvent(step, epochs * steps_per_epoch(self.samples, self.batch))


def check_sigma(what: str, value: float) -> None:
    """InputError, with the name, unless a standard deviation of noise is positive and finite."""
    if not (math.isfinite(value) and value > 0):
        raise InputError(f"{what} {value}: it must be positive and finite; without noise there is no epsilon")


def check(run: TrainingRun, orders: np.ndarray) -> float:
    """Compare every part with dp_accounting's RDP accountant; return the largest relative difference found.

    They must agree at integer orders, within AGREEMENT. A cost never falls with the order, so that one between two
    integers must lie between theirs at these; their own value there is not used, since the series behind it (Mironov,
    Talwar and Zhang 2019, Section 3.3) alternates, and dp_accounting 0.6 adds its terms without their signs.
    Raises ArithmeticError, naming the part, where they do not agree.
    """
    import dp_accounting
    from dp_accounting import rdp as dp_rdp

    orders = np.asarray(orders, float)
    around = np.unique(np.concatenate([np.floor(orders), np.ceil(orders)]))
    around = around[around > 1]
    worst = 0.0
    ours = run.parts(orders)
    for name, event in run.events().items():
        accountant = dp_rdp.RdpAccountant(around, dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)
        theirs = dict(zip(around, accountant.compose(event).rdp, strict=True))
        lower = np.array([theirs.get(order, 0.0) for order in np.floor(orders)])
        upper = np.array([theirs[order] for order in np.ceil(orders)])
        outside = np.maximum(lower - ours[name], ours[name] - upper) / np.maximum(upper, AGREEMENT)
        if not outside.max() <= AGREEMENT:
            raise ArithmeticError(
                f"{name}: our accountant and dp_accounting differ by {outside.max():.3g} (relative) "
                f"at order {orders[outside.argmax()]:g}"
            )
        worst = max(worst, float(outside.max()))
    return worst


def epsilon(run: TrainingRun, orders: np.ndarray, delta: float) -> float:
    """Epsilon that the run really costs: all parts jointly, classic conversion."""
    return rdp.epsilon_classic(orders, sum(run.parts(orders).values()), delta)[0]


def calibrated_sigma(
    run: TrainingRun,
    orders: np.ndarray,
    delta: float,
    target: float,
    cost: Callable[[TrainingRun, np.ndarray, float], float] = epsilon,
) -> float:
    """Return the least sigma (within `calibration.PRECISION`) at which the run costs no more than `target`.

    The run's own sigma is ignored. `cost`: what is to meet the target (default: the joint guarantee). Raises InputError
    if not even sigma 10,000 does, for instance because other parts of the run alone cost more.
    """
    advice = "fewer epochs, more noise on other releases"
    return least_noise(lambda sigma: cost(replace(run, sigma=sigma), orders, delta), target, advice=advice)
