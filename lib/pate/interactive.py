"""Interactive-GNMax: answer where teachers disagree with the student (Papernot et al. 2018, Algorithm 2)."""

import numpy as np

from lib.pate.confident import NO_ANSWER, passes
from lib.pate.gnmax import gnmax

NONE, TEACHERS, REINFORCED = 0, 1, 2


def interactive_gnmax(
    votes: np.ndarray,
    scores: np.ndarray,
    confidence: float,
    threshold: float,
    sigma_threshold: float,
    sigma: float,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Labels (n,) and where each came from: NONE, TEACHERS or REINFORCED.

    votes: (n, m). scores: (n, m) the student's class probabilities, which must come from public data and answers
    already charged. A query passes if max_j {n_j - M p_j} + noise >= threshold and is then answered by GNMax;
    otherwise the student's own class is reinforced where its score exceeds `confidence`, at no further cost.
    """
    scores = np.asarray(scores, float)
    labels = np.full(len(votes), NO_ANSWER)
    source = np.full(len(votes), NONE)
    answered = passes(votes, threshold, sigma_threshold, rng, scores)
    labels[answered] = gnmax(np.asarray(votes)[answered], sigma, rng)
    source[answered] = TEACHERS
    reinforced = ~answered & (scores.max(axis=1) > confidence)
    labels[reinforced] = scores[reinforced].argmax(axis=1)
    source[reinforced] = REINFORCED
    return labels, source
