"""How good the teachers of an ensemble are, alone and together, by their votes on the public pool."""

from pathlib import Path

import numpy as np

from lib.core.files import load_arrays
from pate_accountant.consensus import histogram, plurality_share
from pate_accountant.votes import check_votes

BINS = 10


def measure(path: Path, teachers: int, truth: np.ndarray) -> tuple[dict[str, float], str]:
    """Measure one set of votes, in percent; return also the fingerprint of their dataset.

    truth: labels (n,) of the first n queries, as the samples carry them, wrong ones included.
    """
    arrays = load_arrays(path, "votes", "fingerprint")
    votes = check_votes(arrays["votes"], teachers, str(path))
    votes = votes[: len(truth)]
    measured = {
        "queries": len(votes),
        "teacher_accuracy": 100 * float(votes[np.arange(len(votes)), truth].mean() / teachers),
        "plurality_accuracy": 100 * float((votes.argmax(axis=1) == truth).mean()),
        "mean_agreement": float(plurality_share(votes).mean()),
    }
    shares = 100 * histogram(votes, np.ones(len(votes)), BINS) / len(votes)
    names = [f"agreement_{100 * i // BINS}_to_{100 * (i + 1) // BINS}" for i in range(BINS)]
    return measured | dict(zip(names, map(float, shares), strict=True)), str(arrays["fingerprint"])
