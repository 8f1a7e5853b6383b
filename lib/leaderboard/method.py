"""What every method on the leaderboard is to the rest: noise and statements beforehand, then a fit to a world."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch

from lib.accounting.statement import PrivacyStatement
from lib.core.errors import InputError
from lib.leaderboard.calibration import Calibrated
from lib.leaderboard.network import Predict
from lib.leaderboard.worlds import PublicPart


@dataclass(frozen=True)
class Given:
    """What a method is fitted to: private records x (n, ...) with labels y (n,), and what is public.

    public: its pool may be asked about; its labels are not used. votes: teachers' histogram (p, classes) about the
    pool; None for methods without teachers. Draws are keyed by (seed, job), the privacy noise among them.
    """

    x: np.ndarray
    y: np.ndarray
    public: PublicPart
    votes: np.ndarray | None
    seed: int
    job: tuple[str, ...]
    device: torch.device


class Method(Protocol):
    """One method with its settings, for private sets of one size and records of one shape, at one budget.

    teachers: how many vote; 0 for a method without.
    """

    teachers: int

    def statements(self) -> dict[str, PrivacyStatement]:
        """What a fit costs, known before it; `guarantee` is the one that counts, absent for methods without one."""

    def parameters(self) -> dict[str, float]:
        """The noise, by name."""

    def fit(self, given: Given) -> Predict:
        """Train on the private records; returns what predicts with the model that is released."""


class CalibratedMethod:
    """What a method's calibrated noise says of it; the method holds it as `noise`."""

    noise: Calibrated

    def statements(self) -> dict[str, PrivacyStatement]:
        """See `Method.statements`."""
        return self.noise.statements

    def parameters(self) -> dict[str, float]:
        """See `Method.parameters`."""
        return self.noise.parameters


def checked_settings(settings: Mapping, needed: set[str], optional: frozenset[str] = frozenset()) -> None:
    """InputError names the first setting that is missing or unknown, and what is allowed."""
    for what, names in (
        ("missing", sorted(needed - set(settings))),
        ("unknown", sorted(set(settings) - needed - optional)),
    ):
        if names:
            allowed = ", ".join(sorted(needed | optional))
            raise InputError(f"method {settings.get('kind')}: {names[0]} is {what}; allowed are {allowed}")


def checked_records(given: Given, samples: int) -> None:
    """InputError unless there are as many private records as were accounted for."""
    if len(given.x) != samples or len(given.y) != samples:
        raise InputError(f"records {len(given.x)}, labels {len(given.y)}: the method was accounted for {samples}")
