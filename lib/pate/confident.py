"""Confident-GNMax: answer only where a noisy check finds consensus (Papernot et al. 2018, Algorithm 1)."""

import numpy as np

from lib.pate.discrete_gaussian import NormalNoise
from lib.pate.gnmax import gnmax
from pate_accountant.threshold import statistic

NO_ANSWER = -1


def passes(
    votes: np.ndarray,
    threshold: float,
    sigma_threshold: float,
    rng: NormalNoise,
    scores: np.ndarray | None = None,
) -> np.ndarray:
    """Return the noisy check, statistic + N(0, sigma_threshold^2) >= threshold, of each row; (n,) bool."""
    checked = statistic(votes, scores)
    return checked + rng.normal(0.0, sigma_threshold, len(checked)) >= threshold


def confident_gnmax(
    votes: np.ndarray, threshold: float, sigma_threshold: float, sigma: float, rng: NormalNoise
) -> np.ndarray:
    """Labels (n,), NO_ANSWER where the check failed. The check and the answer draw their noise independently."""
    answered = passes(votes, threshold, sigma_threshold, rng)
    labels = np.full(len(votes), NO_ANSWER)
    labels[answered] = gnmax(np.asarray(votes)[answered], sigma, rng)
    return labels


def stop_after(labels: np.ndarray, max_answered: int) -> np.ndarray:
    """Return the run's beginning up to its `max_answered`-th answer, all of it if there are fewer.

    Cutting looks at the published answer bits only, so it costs no privacy, and it makes the number of answers a
    fact known before the run.
    """
    reached = np.flatnonzero(np.cumsum(labels != NO_ANSWER) >= max_answered)
    return labels[: reached[0] + 1] if len(reached) else labels
