"""Audit the leaderboard's methods: all releases of a run, at the method's own noise.

PATE's answers are those of the method itself. Of DP-SGD and DP-MAC the mechanism is run, at the method's noise, rate
and steps: by ghost clipping on two weights, and in one layer.

A bound on a whole model by membership is weak where a student stands between the private records and who attacks. Here
nothing stands between: what is seen are the answers of a mechanism, or the noisy gradients of every step, on two inputs
that differ by one record and are the worst that are known.
"""

import numpy as np

from lib.attacks.empirical_epsilon import LowerBound
from lib.audit import dp_mac, dp_sgd
from lib.audit.bound import Sampler, audit_sampler
from lib.core.errors import InputError
from lib.leaderboard.dp_mac import DpMac
from lib.leaderboard.gradients import DpSgd
from lib.leaderboard.method import Method
from lib.leaderboard.pate import Answers, Pate
from pate_accountant.training_run import steps_per_epoch

# of the runs, of which one takes from a tenth of a millisecond (hundreds of answers) to a fifth of a second (of steps)
ANSWERS_SHARE, CODES_SHARE, DP_MAC_SHARE, DP_SGD_SHARE = 1.0, 0.1, 0.1, 0.03


def worst_case(method: Method) -> tuple[Sampler, tuple, float] | None:
    """How to sample what a method releases, two neighbouring inputs, and a share of the runs to make.

    Replace one: a teacher changes its answer to every query at a tie of two classes; a record whose gradient, or
    coefficient, is clipped is replaced by its opposite. None for a method that releases nothing but its model.
    """
    if isinstance(method, Pate):
        share = CODES_SHARE if method.codes else ANSWERS_SHARE
        return _answers(method), _ties(method.queries, method.teachers, method.student.classes), share
    if isinstance(method, DpSgd | DpMac):
        room, share = (dp_sgd, DP_SGD_SHARE) if isinstance(method, DpSgd) else (dp_mac, DP_MAC_SHARE)
        recipe = method.recipe
        steps = recipe.epochs * steps_per_epoch(method.samples, recipe.batch)
        sigma = method.noise.parameters["sigma"]
        return *room.whole_training(sigma, recipe.batch / method.samples, steps), share
    return None


def bound_of(
    method: Method, runs: int, delta: float, level: float, seed: int, job: tuple[str, ...]
) -> LowerBound | None:
    """Return a lower bound on the epsilon of a method's releases, at `delta`, from its share of runs on either input.

    Draws are keyed by (seed, job). None for a method that releases nothing but its model.
    """
    found = worst_case(method)
    if found is None:
        return None
    sampler, neighbours, share = found
    return audit_sampler(sampler, neighbours, 0.0, delta, max(4, round(share * runs)), level, seed, job).bound


def _ties(queries: int, teachers: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Histograms (queries, classes) at a tie of two classes, and those with the vote moved that decides it."""
    if teachers < 2:
        raise InputError(f"teachers {teachers}: one cannot be outvoted; allowed are at least 2")
    first = np.zeros((queries, classes), np.int64)
    first[:, 0], first[:, 1] = (teachers - 1) // 2, teachers - (teachers - 1) // 2
    moved = np.zeros_like(first)
    moved[:, 0], moved[:, 1] = 1, -1
    return first, first + moved


def _answers(method: Pate) -> Sampler:
    """Return a sampler of how many answers each class got (runs, classes)."""

    def unknowing(answers: Answers) -> np.ndarray:
        # a student of answers that tell nothing apart: what it says is post-processing
        return np.full((method.queries, method.student.classes), 1 / method.student.classes)

    def sampler(votes: np.ndarray, runs: int, rng: np.random.Generator) -> np.ndarray:
        return np.stack([method.release(votes, rng, unknowing)[0].sum(0) for _ in range(runs)])

    return sampler
