"""Codes of classes: their diameter and norm, what decodes them, and the distribution nearest to a noisy answer."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from lib.leaderboard.simplex import DIAMETER, codebook, decode, nearest_distribution, radius
from lib.pate.encoded_mean import noisy_mean

FIXED = settings(derandomize=True, deadline=None, max_examples=40)


@pytest.mark.parametrize("classes", [2, 3, 10, 150])
def test_no_two_codes_are_further_apart_than_the_diameter_and_it_is_attained(classes):
    codes = codebook(classes).astype(np.float64)
    assert codes.shape == (classes, classes - 1) and codebook(classes).dtype == np.float32
    apart = np.linalg.norm(codes[:, None] - codes[None], axis=2)
    assert apart.max() <= DIAMETER == math.sqrt(2)
    assert apart[~np.eye(classes, dtype=bool)].min() > DIAMETER * (1 - 1e-5)
    norms = np.linalg.norm(codes, axis=1)
    assert norms.max() <= radius(classes) and norms.min() > radius(classes) * (1 - 1e-5)
    np.testing.assert_allclose(codes.mean(0), 0, atol=1e-6)
    assert 2 * radius(classes) >= DIAMETER  # the norm alone would allow one teacher more


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
@FIXED
def test_the_mean_of_codes_decodes_to_the_shares_of_votes(classes, seed):
    rng = np.random.default_rng(seed)
    votes = rng.integers(0, 5, (4, classes)) + np.eye(classes, dtype=int)[:1]
    codes = codebook(classes)
    for counts in votes:
        mean = noisy_mean(np.repeat(codes, counts, axis=0), radius(classes), None, rng)
        np.testing.assert_allclose(decode(mean[None])[0], counts / counts.sum(), atol=1e-6)


@given(st.integers(2, 12), st.integers(1, 40), st.integers(0, 2**32 - 1))
@FIXED
def test_one_teacher_moves_a_mean_by_no_more_than_its_share_of_the_diameter(classes, teachers, seed):
    rng = np.random.default_rng(seed)
    codes = codebook(classes)
    answers = rng.integers(0, classes, teachers)
    before = codes[answers].mean(0, dtype=np.float64)
    answers[rng.integers(teachers)] = rng.integers(classes)
    assert np.linalg.norm(codes[answers].mean(0, dtype=np.float64) - before) <= DIAMETER / teachers


@given(arrays(float, st.tuples(st.integers(1, 3), st.integers(2, 5)), elements=st.floats(-3, 3)))
@settings(FIXED, max_examples=20)
def test_the_nearest_distribution_is_one_and_none_is_nearer(labels):
    found = nearest_distribution(labels)
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(1), 1, atol=1e-12)
    for row, own in zip(labels, found, strict=True):
        other = minimize(
            lambda p, row=row: ((p - row) ** 2).sum(),
            np.full(len(row), 1 / len(row)),
            bounds=[(0, 1)] * len(row),
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1},
        ).x
        assert ((own - row) ** 2).sum() <= ((other - row) ** 2).sum() + 1e-9


def test_a_distribution_is_its_own_nearest():
    rows = np.random.default_rng(1).dirichlet(np.ones(6), 20)
    np.testing.assert_allclose(nearest_distribution(rows), rows, atol=1e-12)
