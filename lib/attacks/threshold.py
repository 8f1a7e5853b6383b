"""The plainest membership attack: whoever the model is sure about was trained on."""

import numpy as np

from lib.attacks.checks import checked_members, checked_probabilities

THRESHOLD = "threshold"  # what tables call the attack


def confidences(probabilities: np.ndarray) -> np.ndarray:
    """Return the largest of each sample's class probabilities (N, classes), (N,): the attack's score."""
    return checked_probabilities(probabilities).max(axis=1)


def best_threshold(scores: np.ndarray, member: np.ndarray) -> float:
    """Return the score from which on samples count as members, that classifies most of them rightly.

    scores, member (N,): those of the shadow model, since an attacker has no other. The smallest of equally good
    thresholds, which are scores that occur; infinity where it is best to call nobody a member.
    """
    member = checked_members(scores, member)
    order = np.argsort(scores, kind="stable")
    ordered, inside = scores[order], member[order]
    # right decisions if those from place k on are called members: members from there on, and the others before
    right = inside.sum() + np.concatenate([[0], np.cumsum(np.where(inside, -1, 1))])
    places = np.concatenate([[True], ordered[1:] > ordered[:-1], [True]])  # equal scores are not parted
    best = np.flatnonzero(places)[np.argmax(right[places])]
    return float(np.append(ordered, np.inf)[best])
