"""Quarters of a training set for a membership attack: disjoint, of one size, and keyed by their generator."""

from itertools import combinations

import numpy as np
import pytest

from lib.attacks.split import QUARTERS, split_attack
from lib.core.errors import InputError
from lib.core.seeding import generator

SAMPLES = 203


def split(seed=1, samples=SAMPLES):
    return split_attack(samples, generator(seed, "split"))


@pytest.mark.parametrize("samples", [4, 5, 202, 203])
def test_quarters_are_disjoint_and_of_one_size(samples):
    found = split(samples=samples)
    assert tuple(found) == QUARTERS
    for rows in found.values():
        assert rows.shape == (samples // 4,) and rows.dtype == np.int64 and (np.diff(rows) > 0).all()
    for one, two in combinations(QUARTERS, 2):
        assert not set(found[one]) & set(found[two])
    everything = np.concatenate(list(found.values()))
    assert everything.min() >= 0 and everything.max() < samples and samples - len(everything) < 4


def test_every_row_gets_everywhere():
    places = np.zeros((200, 4))  # a multiple of four: none is left over
    for seed in range(400):
        for k, rows in enumerate(split(seed, len(places)).values()):
            places[rows, k] += 1
    assert abs(places / 400 - 0.25).max() < 5 * (3 / 16 / 400) ** 0.5


def test_the_same_key_gives_the_same_quarters():
    for name in QUARTERS:
        np.testing.assert_array_equal(split()[name], split()[name])
        assert not np.array_equal(split()[name], split(seed=2)[name])


def test_too_few_samples_are_refused():
    with pytest.raises(InputError, match="3 samples: at least 4"):
        split(samples=3)
