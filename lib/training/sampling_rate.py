"""The sampling rate at which DP-SGD costs a given epsilon, where a paper prints all but that."""

import math

import numpy as np

from lib.core.errors import InputError
from pate_accountant import rdp
from pate_accountant.subsampled_gaussian import subsampled_gaussian_rdp

PRECISION = 1e-6  # relative, of the rate found
LEAST = 1e-5


def epsilon_at_rate(rate: float, sigma: float, epochs: float, orders: np.ndarray, delta: float) -> float:
    """Epsilon of `epochs` / `rate` steps of DP-SGD on Poisson samples, classic conversion (add or remove one).

    rate: chance of each record to be in a batch. sigma: noise multiplier. The number of steps need not be whole, so
    that epsilon has no jumps; `pate_accountant.training_run.TrainingRun` counts whole ones. Raises InputError as
    `subsampled_gaussian_rdp`.
    """
    steps = epochs / rate
    return rdp.epsilon_classic(orders, steps * subsampled_gaussian_rdp(orders, rate, sigma), delta)[0]


def sampling_rate(epsilon: float, sigma: float, epochs: float, orders: np.ndarray, delta: float) -> float:
    """Return a sampling rate (within PRECISION) at which the run costs `epsilon`.

    It lies between the last of LEAST, twice, four times LEAST and so on that costs less, and the next. With little
    noise a larger rate and its fewer steps may cost less, so that other rates may cost the same.
    Raises InputError where LEAST costs more, or not even sampling everything costs as much.
    """
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise InputError(f"epsilon {epsilon}: it must be positive and finite")

    def passed(rate: float) -> bool:
        return epsilon_at_rate(rate, sigma, epochs, orders, delta) >= epsilon

    high = LEAST
    if passed(high):
        raise InputError(f"epsilon {epsilon}: a sampling rate of {LEAST:g} costs more")
    while not passed(high):
        if high == 1:
            raise InputError(f"epsilon {epsilon}: not even batches of all records cost as much")
        low, high = high, min(2 * high, 1.0)
    while high / low > 1 + PRECISION:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if passed(middle) else (middle, high)
    return math.sqrt(low * high)
