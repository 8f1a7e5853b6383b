"""Who may see what: private parts for the teachers, a public pool for the student, a test set."""

import numpy as np

from lib.errors import InputError


def split_samples(
    samples: int, private: int, public: int, test: int, teachers: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Indices into the samples, disjoint: private, public, test; and `teacher`, the owner of each private sample.

    The private samples are dealt out once, in parts whose sizes differ by at most one, without looking at them:
    replacing one record leaves every other teacher's part as it is, which the accounting assumes.
    Raises InputError if there are too few samples.
    """
    if private + public + test > samples:
        raise InputError(
            f"private + public + test = {private} + {public} + {test} exceeds the {samples} samples of the dataset"
        )
    order = rng.permutation(samples)
    return {
        "private": order[:private],
        "public": order[private : private + public],
        "test": order[private + public : private + public + test],
        "teacher": np.sort(np.arange(private) % teachers),
    }
