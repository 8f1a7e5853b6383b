"""Audit a mechanism: run it on two neighbouring inputs, and bound its epsilon from below.

A lower bound above the promised epsilon proves that the promise is broken, with the stated confidence, on these two
inputs. One below it proves nothing: other inputs, other outputs or more runs might show more.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lib.attacks.empirical_epsilon import LowerBound, lower_bound
from lib.audit.statistic import learned
from lib.core.errors import InputError
from lib.core.seeding import generator

Mechanism = Callable[[Any, np.random.Generator], Any]  # an input and a generator: a number or an array
Sampler = Callable[[Any, int, np.random.Generator], np.ndarray]  # the outputs (runs, k) of so many runs on an input
LEAST_RUNS = 4  # two to choose by, two to measure
ERROR = 1e-3  # of calling bounds that hold ones that do not


@dataclass(frozen=True)
class Audit:
    """The promise, epsilon at delta, and what so many runs on either input showed."""

    epsilon: float
    delta: float
    runs: int
    bound: LowerBound

    @property
    def caught(self) -> bool:
        """Whether the promise is proved broken, at the bound's level."""
        return self.bound.epsilon > self.epsilon


def audit_mechanism(
    mechanism: Mechanism,
    neighbours: tuple[Any, Any],
    epsilon: float,
    delta: float,
    runs: int,
    level: float,
    seed: int,
    job: tuple[str, ...] = ("audit_mechanism",),
) -> Audit:
    """Audit any callable: mechanism(input, generator) gives a number or an array, of one shape always.

    neighbours: two inputs that differ by one record. epsilon, delta: what is promised for these. runs: on each of them.
    level: confidence of the bound. Draws are keyed by (seed, job, which input). Raises InputError for what does not
    fit, and for outputs that are no finite numbers of one shape.
    """
    return audit_sampler(one_by_one(mechanism), neighbours, epsilon, delta, runs, level, seed, job)


def audit_sampler(
    sampler: Sampler,
    neighbours: tuple[Any, Any],
    epsilon: float,
    delta: float,
    runs: int,
    level: float,
    seed: int,
    job: tuple[str, ...] = ("audit_mechanism",),
) -> Audit:
    """Audit a sampler that returns the outputs of many independent runs at once.

    The first half of the runs on each input chooses statistic, threshold and direction; the other half measures
    (`lower_bound`, Clopper and Pearson's intervals).
    """
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise InputError(f"epsilon {epsilon}: it must be finite and at least 0")
    if not 0 <= delta < 1:
        raise InputError(f"delta {delta}: it must lie in [0, 1)")
    if not 0 < level < 1:
        raise InputError(f"level {level}: it must lie in (0, 1)")
    if runs < LEAST_RUNS:
        raise InputError(f"runs {runs}: there must be at least {LEAST_RUNS}")
    if not isinstance(neighbours, tuple | list) or len(neighbours) != 2:
        raise InputError("neighbours: allowed are two inputs, (first, second)")
    first, second = (
        sampler(given, runs, generator(seed, *job, which))
        for given, which in zip(neighbours, ("first", "second"), strict=True)
    )
    if first.shape != second.shape:
        raise InputError(f"outputs: {first.shape[1]} numbers on the first input, {second.shape[1]} on the second")
    half = runs // 2
    statistic = learned(first[:half], second[:half], delta, level)
    return Audit(epsilon, delta, runs, lower_bound(statistic(first), statistic(second), delta, level))


def as_often_as_allowed(above: int, repetitions: int, level: float) -> bool:
    """Whether so many of independent bounds may lie above the truth, if each does with probability 1 - level at most.

    It is wrong about bounds that hold in no more than ERROR of all cases.
    """
    from scipy.stats import binom  # a third of a second, which a script that only audits need not wait for

    return bool(above <= binom.ppf(1 - ERROR, repetitions, 1 - level))


def one_by_one(mechanism: Mechanism) -> Sampler:
    """Call a mechanism once a run, as a sampler; InputError for outputs that are no finite numbers of one shape."""

    def sampler(given: Any, runs: int, rng: np.random.Generator) -> np.ndarray:
        outputs = [_checked(mechanism(given, rng)) for _ in range(runs)]
        shapes = {output.shape for output in outputs}
        if len(shapes) > 1:
            raise InputError(f"outputs of shapes {', '.join(map(str, sorted(shapes)[:2]))}: they must all have one")
        return np.stack(outputs)

    return sampler


def _checked(output: Any) -> np.ndarray:
    try:
        values = np.asarray(output, float).ravel()
    except (TypeError, ValueError):
        raise InputError(f"output {str(output)[:40]!r}: allowed is a number or an array of numbers") from None
    if not values.size or not np.isfinite(values).all():
        raise InputError(f"output {str(output)[:40]}: allowed are finite numbers, at least one")
    return values
