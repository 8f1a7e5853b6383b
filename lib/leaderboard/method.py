"""What every method on the leaderboard is to the rest: noise and statements beforehand, then a fit to a world."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import torch

from lib.accounting.statement import PrivacyStatement
from lib.errors import InputError
from lib.leaderboard.mlp import Predict
from lib.leaderboard.worlds import PublicPart


class Method(Protocol):
    """One method with its settings, for private sets of one size and records of one shape, at one budget.

    teachers: how many vote; 0 for a method without.
    """

    teachers: int

    def statements(self) -> dict[str, PrivacyStatement]:
        """What a fit costs, known before it; `guarantee` is the one that counts, absent for methods without one."""

    def parameters(self) -> dict[str, float]:
        """The noise, by name."""

    def fit(
        self,
        x: np.ndarray,
        y: np.ndarray,
        public: PublicPart,
        votes: np.ndarray | None,
        seed: int,
        job: tuple[str, ...],
        device: torch.device,
    ) -> Predict:
        """Train on private records x (n, ...), y (n,); returns what predicts with the model that is released.

        public: its pool may be asked about; its labels are not used. votes: teachers' histogram (p, classes) about the
        pool; None for methods without teachers. Draws are keyed by (seed, job), the privacy noise among them.
        """


def checked_settings(settings: Mapping, needed: set[str], optional: frozenset[str] = frozenset()) -> None:
    """InputError names the first setting that is missing or unknown, and what is allowed."""
    for what, names in (
        ("missing", sorted(needed - set(settings))),
        ("unknown", sorted(set(settings) - needed - optional)),
    ):
        if names:
            allowed = ", ".join(sorted(needed | optional))
            raise InputError(f"method {settings.get('kind')}: {names[0]} is {what}; allowed are {allowed}")


def checked_records(x: np.ndarray, y: np.ndarray, samples: int) -> None:
    """InputError unless there are as many private records as were accounted for."""
    if len(x) != samples or len(y) != samples:
        raise InputError(f"records {len(x)}, labels {len(y)}: the method was accounted for {samples}")
