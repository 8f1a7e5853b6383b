"""Interface of every method on the leaderboard: noise and cost beforehand, then a fit to a private set."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lib.core.errors import InputError
from lib.leaderboard.calibration import Calibrated
from lib.leaderboard.network import Predict
from lib.leaderboard.worlds import PublicPart
from lib.training.context import Context


@dataclass(frozen=True)
class Given:
    """Data that a method is fitted to: private records x (n, ...) with labels y (n,), and what is public.

    public: its pool may be asked about; of its labels only controls and warm starts make use. votes: teachers'
    histogram (p, classes) about the pool; None for methods without teachers. The context keys all draws, the
    privacy noise among them.
    """

    x: np.ndarray
    y: np.ndarray
    public: PublicPart
    votes: np.ndarray | None
    context: Context


class Method(Protocol):
    """One method with its settings, for private sets of one size and records of one shape, at one budget."""

    @property
    def teachers(self) -> int:
        """How many vote; 0 for a method without."""

    def cost(self) -> dict[str, Any]:
        """Return what a fit costs, known before it, as `lib.leaderboard.statements.stated` reads it."""

    def parameters(self) -> dict[str, float]:
        """Return the noise, by name."""

    def fit(self, given: Given) -> Predict:
        """Train on the private records; returns what predicts with the model that is released."""


class CalibratedMethod:
    """Properties that follow from a method's calibrated noise; the method holds it as `noise`."""

    noise: Calibrated

    def cost(self) -> dict[str, Any]:
        """See `Method.cost`."""
        return self.noise.cost

    def parameters(self) -> dict[str, float]:
        """See `Method.parameters`."""
        return self.noise.parameters


def checked_records(given: Given, samples: int) -> None:
    """InputError unless there are as many private records as were accounted for."""
    if len(given.x) != samples or len(given.y) != samples:
        raise InputError(f"records {len(given.x)}, labels {len(given.y)}: the method was accounted for {samples}")
