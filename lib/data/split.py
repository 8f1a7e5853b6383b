"""Who may see what: private parts for the teachers, a public pool for the student, a test set."""

import numpy as np

from lib.core.errors import InputError


def split_samples(
    samples: int, private: int, public: int, test: int, teachers: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Draw disjoint indices into the samples: private, public, test; and `teacher`, each private sample's owner.

    The private samples are dealt out once, by their places, in parts whose sizes differ by at most one, without looking
    at them: replacing one record in its place leaves every other teacher's part as it is, which the accounting assumes.
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
        "teacher": _owners(private, teachers),
    }


def split_official(
    train: int, samples: int, private: int, public: int, test: int, teachers: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Split a dataset whose first `train` of `samples` are its official training set.

    Private samples are drawn from the training set; the public pool is the beginning of the test set and the held-out
    samples its end, in their order, so that published votes on the test set keep their samples.
    Raises InputError if there are too few samples.
    """
    if private > train or public + test > samples - train:
        raise InputError(
            f"private = {private}, public + test = {public} + {test}: the dataset has {train} training and "
            f"{samples - train} test samples"
        )
    return {
        "private": rng.permutation(train)[:private],
        "public": train + np.arange(public),
        "test": np.arange(samples - test, samples),
        "teacher": _owners(private, teachers),
    }


def _owners(private: int, teachers: int) -> np.ndarray:
    """Return the owner of each private sample: contiguous parts whose sizes differ by at most one."""
    return np.sort(np.arange(private) % teachers)


def split_stream(private: int, public: int, test: int, teachers: int, repetition: int) -> dict[str, np.ndarray]:
    """Split a stream without end that has a part of its own for each side: ranges instead of indices.

    private, public, test: (2,) first sample, and the one after the last, different in each repetition (from 1);
    teacher: (teachers + 1,) bounds of each teacher's private samples.
    """
    ranges = {
        name: np.array([repetition - 1, repetition]) * count
        for name, count in (("private", private), ("public", public), ("test", test))
    }
    bounds = ranges["private"][0] + np.linspace(0, private, teachers + 1).astype(np.int64)
    return ranges | {"teacher": bounds}
