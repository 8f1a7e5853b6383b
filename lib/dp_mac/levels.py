"""The noise a curve is trained with: what the paper prints for an epsilon, what that really needs, or none."""

from collections.abc import Callable

import numpy as np

from lib.core.errors import InputError
from pate_accountant.training_run import TrainingRun, calibrated_sigma

NOISES = ("printed", "needed", "none")


def sigma_of(
    noise: str,
    epsilon: float | None,
    printed: list[list[float]],
    run_at: Callable[[float], TrainingRun],
    orders: np.ndarray,
    delta: float,
) -> float | None:
    """Return the noise multiplier: the paper's for `epsilon`, or the least that costs no more; None for no noise.

    printed: pairs of the paper's epsilon and its sigma. run_at: the run as the accountant sees it, at a sigma. Raises
    InputError for an epsilon that is not printed, or another kind of noise.
    """
    if noise == "none":
        return None
    if epsilon is None:
        raise InputError(f"noise {noise!r}: it needs an epsilon; allowed without is 'none'")
    if noise == "needed":
        return calibrated_sigma(run_at(1.0), orders, delta, epsilon)
    if noise != "printed":
        raise InputError(f"noise {noise!r}: allowed are {', '.join(NOISES)}")
    found = {each: sigma for each, sigma in printed}.get(epsilon)
    if found is None:
        raise InputError(f"epsilon {epsilon}: allowed are those printed, {', '.join(f'{each}' for each, _ in printed)}")
    return found
