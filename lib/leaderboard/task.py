"""Describe the data and the budget that a method of the leaderboard is built for."""

from dataclasses import dataclass

import numpy as np

from lib.core.errors import InputError
from lib.leaderboard.calibration import Budget


@dataclass(frozen=True)
class Setting:
    """Setting of a method: n private records of a shape, pixels from 0 to `largest`, classes; and the budget.

    epsilon None: no target.
    """

    samples: int
    shape: tuple[int, ...]
    largest: float
    classes: int
    epsilon: float | None
    delta: float
    orders: np.ndarray

    def budget(self, kind: str) -> Budget:
        """Return the budget of a private method; InputError where there is none."""
        if self.epsilon is None:
            raise InputError(f"method {kind}: epsilon None; a private method needs one")
        return Budget(self.epsilon, self.delta, self.orders)
