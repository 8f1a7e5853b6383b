"""Whole runs of PATE under audit, by the functions that the workflow calls: several queries, checks, the last answer.

One teacher changes its vote about every query, and what is seen are all labels of a run. The account composes
independent draws, as many as are announced; no audit of a single query sees whether they are.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from lib.audit.bound import Mechanism, one_by_one
from lib.audit.pate import ALWAYS, HARDLY_NOISY, SCALE, SIGMA, answers, pure, selective
from lib.audit.trial import INTACT, Audited, Trial
from lib.pate.aggregators import AGGREGATORS
from pate_accountant.statement import PrivacyStatement

# By one noise for two ties both get the same label; the votes that were moved apart may then get different ones.
TIES = np.array([[8, 8], [8, 8]]), np.array([[9, 7], [7, 9]])
# Pluralities of 8 and 9, and of 9 and 8, about a threshold of 8.5: by one noise only the larger can pass alone.
CROSSED, BETWEEN = (np.array([[8, 8], [9, 7]]), np.array([[9, 7], [8, 8]])), 8.5
GAPS = np.array([[8, 4], [8, 4]]), np.array([[7, 5], [7, 5]])
# A student who is sure of the first class, whatever the plurality, and a check that it always fails.
PLURALITY, SURE, CONFIDENCE, NEVER = (np.array([[9, 8]]), np.array([[8, 9]])), (0.95, 0.05), 0.9, 1e3
NOT_ASKED = -2  # the label of a query after the run's end


class SharedNoise:
    """A generator whose noise is the same for all queries: that of checks (1 dimension) or of answers (2)."""

    def __init__(self, rng: np.random.Generator, dimensions: int) -> None:
        """rng: draws the noise of the first query, and all other noise."""
        self.rng, self.dimensions = rng, dimensions

    def normal(self, loc: float, scale: float, size: int | tuple[int, ...]) -> np.ndarray:
        """Return normal noise of a shape whose first dimension is that of the queries."""
        return self._drawn(self.rng.normal, loc, scale, size)

    def laplace(self, loc: float, scale: float, size: int | tuple[int, ...]) -> np.ndarray:
        """Laplace noise of such a shape."""
        return self._drawn(self.rng.laplace, loc, scale, size)

    def _drawn(self, draw: Callable, loc: float, scale: float, size: int | tuple[int, ...]) -> np.ndarray:
        shape = size if isinstance(size, tuple) else (size,)
        shared = len(shape) == self.dimensions
        return np.broadcast_to(draw(loc, scale, shape[1:] if shared else shape), shape)


def _run(name: str, settings: dict, shared: int | None = None, knowing: bool = False) -> Mechanism:
    """All labels of a run whose block has these settings, padded by NOT_ASKED.

    shared: dimensions of the noise that is shared (`SharedNoise`), None: of none. knowing: whether the student of an
    interactive run is sure of the teachers' plurality, which it must not know.
    """

    def mechanism(votes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        scores = np.tile(SURE, (len(votes), 1))
        if knowing:
            scores[votes[:, 1] > votes[:, 0]] = SURE[::-1]
        labels, _ = AGGREGATORS[name].answers(votes, settings, SharedNoise(rng, shared) if shared else rng, scores)
        return np.pad(labels, (0, len(votes) - len(labels)), constant_values=NOT_ASKED)

    return mechanism


def _audited(
    name: str,
    backend: str,
    block: dict,
    neighbours: tuple[np.ndarray, np.ndarray],
    promised: PrivacyStatement,
    bug: str,
    **wrong: Any,
) -> Audited:
    """Return a run with this block, intact and with a bug; wrong: the arguments of `_run` that put it in."""
    calls = {INTACT: {"settings": block}, bug: {"settings": block} | wrong}
    trials = {which: Trial(one_by_one(_run(name, **call)), neighbours, promised) for which, call in calls.items()}
    return Audited(name, backend, f"lib.pate.aggregators.AGGREGATORS[{name!r}].answers", trials, {})


def audited(delta: float) -> list[Audited]:
    """Return runs of every aggregator, LNMax's at a pure epsilon and the others at `delta`."""
    always = {"threshold": ALWAYS, "sigma_threshold": HARDLY_NOISY, "sigma": SIGMA, "confidence": CONFIDENCE}
    checked = {"threshold": BETWEEN, "sigma_threshold": 1.0, "sigma": 8.0, "confidence": CONFIDENCE}
    one, two = {"max_answered": 1}, {"max_answered": 2}

    def answering(most: int) -> PrivacyStatement:
        return selective(delta, 2, most, HARDLY_NOISY, SIGMA)

    def checking(queries: int) -> PrivacyStatement:
        return selective(delta, queries, queries, checked["sigma_threshold"], checked["sigma"])

    ties = [
        ("lnmax", "two queries", {"laplace_scale": SCALE}, TIES, pure(1, queries=2)),
        ("gnmax", "two queries", {"sigma": SIGMA}, TIES, answers(delta, False, 2)),
        ("confident_gnmax", "two answers", always | two, TIES, answering(2)),
    ]
    crossed = ("confident_gnmax", "two checks", checked | two, CROSSED, checking(2))
    confirmed = ("interactive_gnmax", "a label confirmed", checked | one | {"threshold": NEVER}, PLURALITY, checking(1))
    last = [
        (name, "the last answer", always | one, GAPS, answering(1)) for name in ("confident_gnmax", "interactive_gnmax")
    ]
    return [
        *(_audited(*run, "noise_shared", shared=2) for run in ties),
        _audited(*crossed, "check_noise_shared", shared=1),
        *(_audited(*run, "answer_too_many", settings=always | two) for run in last),
        _audited(*confirmed, "plurality_confirmed", knowing=True),
    ]
