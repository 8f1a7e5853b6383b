"""Reference mechanisms, whose epsilon is known exactly, to audit the audits with.

Each puts out a number for a coin: its epsilon is that of the coin replaced by the other. So a record that is there or
not, in many runs, and one of two records in each slot of a single run, are the same mechanism. A mechanism broken on
purpose has a smaller `noise` than 1 and claims the epsilon of noise 1.
"""

import math
from dataclasses import dataclass

import numpy as np

from lib.attacks.empirical_epsilon import lower_bound
from lib.attacks.one_run import guess_numbers, one_run_bound
from lib.core.seeding import Draws

AUDITS = ("many_runs", "one_run")
_STEPS = (
    20  # of a rounded output in a standard deviation: rounding is post-processing, and leaves few thresholds to try
)


@dataclass(frozen=True)
class Gaussian:
    """The coin with normal noise of standard deviation `sigma` times `noise`; the coin is 0 or 1, its sensitivity 1."""

    sigma: float
    noise: float = 1.0

    def outputs(self, coins: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the outputs for coins (m,) bool: (m,) float64, rounded to a grid of its own."""
        deviation = self.sigma * self.noise
        return np.rint((coins + deviation * rng.standard_normal(len(coins))) / deviation * _STEPS) / _STEPS * deviation


@dataclass(frozen=True)
class RandomisedResponse:
    """The coin itself, turned with probability `flip` times `noise`, where flip is at most one half."""

    flip: float
    noise: float = 1.0

    def outputs(self, coins: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the outputs for coins (m,) bool: (m,) float64, 0 or 1."""
        return (coins ^ (rng.random(len(coins)) < self.flip * self.noise)).astype(float)


def response_epsilon(flip: float, delta: float) -> float:
    """Return the exact epsilon at `delta` of randomised response: ln((p - delta) / flip) of answers p and flip = 1 - p.

    At epsilon and delta no event is more probable than e^epsilon times what it is for the other coin, plus delta; the
    event that decides is the answer itself. 0 where delta is beyond p - flip.
    """
    return max(0.0, math.log((1 - flip - delta) / flip)) if 1 - flip > delta else 0.0


def response_flip(epsilon: float, delta: float) -> float:
    """Return the flip whose exact epsilon at `delta` it is, the inverse of `response_epsilon`."""
    return (1 - delta) / (1 + math.exp(epsilon))


def audited(
    audit: str,
    mechanism: Gaussian | RandomisedResponse,
    size: int,
    guesses: list[float],
    delta: float,
    level: float,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return the lower bound on epsilon that one audit shows of a mechanism, and the largest that it could.

    audit: `many_runs` of `size` runs with a record and as many without it (Jagielski et al. 2020), or `one_run` with
    `size` canaries, of which the shares `guesses` are guessed (Steinke et al. 2023).
    """
    if audit == "many_runs":
        present, absent = (mechanism.outputs(np.full(size, there), rng) for there in (True, False))
        many = lower_bound(present, absent, delta, level)
        return many.epsilon, many.largest
    coins = rng.random(size) < 0.5
    one = one_run_bound(0.5 - mechanism.outputs(coins, rng), coins, guess_numbers(size, guesses), delta, level)
    return one.epsilon, one.largest


def repeated(
    audit: str,
    mechanism: Gaussian | RandomisedResponse,
    size: int,
    guesses: list[float],
    delta: float,
    level: float,
    repetitions: int,
    draws: Draws,
) -> np.ndarray:
    """Return the results of independent repetitions, (repetitions, 2), each of which has draws of its own."""
    return np.array(
        [
            audited(audit, mechanism, size, guesses, delta, level, draws.generator(str(repetition)))
            for repetition in range(1, repetitions + 1)
        ]
    )
