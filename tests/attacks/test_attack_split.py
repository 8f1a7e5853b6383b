"""Quarters of a training set for a membership attack: disjoint, of one size, and keyed by their generator."""

from itertools import combinations

import numpy as np
import pytest

from lib.attacks.split import QUARTERS, split_attack
from lib.core.errors import InputError
from lib.core.seeding import generator

LABELS = np.repeat(np.arange(5), [40, 7, 101, 3, 52])


def split(stratified=False, seed=1, labels=LABELS):
    return split_attack(labels, generator(seed, "split"), stratified)


@pytest.mark.parametrize("stratified", [True, False])
@pytest.mark.parametrize("samples", [4, 5, 202, 203])
def test_quarters_are_disjoint_and_of_one_size(samples, stratified):
    found = split(stratified, labels=LABELS[:samples])
    assert tuple(found) == QUARTERS
    for rows in found.values():
        assert rows.shape == (samples // 4,) and rows.dtype == np.int64 and (np.diff(rows) > 0).all()
    for one, two in combinations(QUARTERS, 2):
        assert not set(found[one]) & set(found[two])
    everything = np.concatenate(list(found.values()))
    assert everything.min() >= 0 and everything.max() < samples and samples - len(everything) < 4


@pytest.mark.parametrize("stratified", [True, False])
def test_every_row_gets_everywhere(stratified):
    labels = LABELS[:200]  # a multiple of four: none is left over
    places = np.zeros((len(labels), 4))
    for seed in range(400):
        for k, rows in enumerate(split(stratified, seed, labels).values()):
            places[rows, k] += 1
    assert abs(places / 400 - 0.25).max() < 5 * (3 / 16 / 400) ** 0.5


def test_stratified_quarters_have_equally_many_of_each_class():
    counts = np.array([np.bincount(LABELS[rows], minlength=5) for rows in split(True).values()])
    assert (np.ptp(counts, axis=0) <= 1).all()
    uniform = np.array([np.bincount(LABELS[rows], minlength=5) for rows in split().values()])
    assert np.ptp(uniform, axis=0).max() > 1


def test_the_same_key_gives_the_same_quarters():
    for name in QUARTERS:
        np.testing.assert_array_equal(split()[name], split()[name])
        assert not np.array_equal(split()[name], split(seed=2)[name])


def test_too_few_samples_are_refused():
    with pytest.raises(InputError, match="3 samples: at least 4"):
        split(labels=LABELS[:3])
