"""Bounds on a projection of the cube, against every corner of it."""

import itertools

import numpy as np
import pytest

from lib.encoders.cube import best_corner, cube_lower_bound, cube_upper_bound


def rows(size, d, seed):
    """Orthonormal rows (size, d)."""
    return np.linalg.qr(np.random.default_rng(seed).standard_normal((d, size)))[0].T


def exact(a):
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=a.shape[1])))
    return np.linalg.norm(corners @ a.T, axis=1).max()


@pytest.mark.parametrize("size, d", [(1, 8), (2, 10), (3, 10), (8, 10), (10, 10)])
@pytest.mark.parametrize("seed", range(4))
def test_the_exact_maximum_lies_between(size, d, seed):
    a = rows(size, d, seed)
    maximum = exact(a)
    assert cube_upper_bound(a) >= maximum * (1 - 1e-12)
    assert cube_upper_bound(a) / 2 < maximum
    lower = cube_lower_bound(a, 40, np.random.default_rng(seed))
    assert lower <= maximum * (1 + 1e-12)
    assert lower >= 0.99 * maximum  # for l near d there are many corners that no step improves


def test_ascent_beats_random_corners():
    a = rows(5, 200, 0)
    rng = np.random.default_rng(0)
    random = np.linalg.norm(rng.choice([-1.0, 1.0], (2000, 200)) @ a.T, axis=1).max()
    assert cube_lower_bound(a, 5, rng) > 1.5 * random


@pytest.mark.parametrize("seed", range(20))
def test_two_rows_are_known_exactly(seed):
    a = rows(2, 11, seed)
    a[:, seed % 11], a[0, seed % 7], a[1, seed % 5] = 0, 0, 0  # a sign of no account, and some that change at the ends
    a = np.round(a, 1) if seed % 2 else a  # several change at once
    corner = best_corner(a)
    assert set(np.abs(corner)) == {1.0}
    assert np.linalg.norm(a @ corner) == pytest.approx(exact(a), rel=1e-12)
    assert cube_lower_bound(a, 0, np.random.default_rng(seed)) == pytest.approx(exact(a), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_pairs_bound_more_rows_better_than_rows_alone(seed):
    a = rows(4, 12, seed)
    assert exact(a) <= cube_upper_bound(a) * (1 + 1e-12) < np.linalg.norm(np.abs(a).sum(axis=1))


def test_three_rows_are_refused():
    with pytest.raises(ValueError, match="3 rows: allowed are 1 and 2"):
        best_corner(np.eye(3))


def test_one_row_is_known_exactly():
    a = rows(1, 50, 3)
    expected = np.abs(a).sum()
    assert cube_upper_bound(a) == pytest.approx(expected)
    assert cube_lower_bound(a, 0, np.random.default_rng(0)) == pytest.approx(expected)


def test_localised_directions_are_far_from_the_papers_bound():
    """Rows of the unit matrix: the maximum is sqrt(l), not sqrt(d)."""
    a = np.eye(3, 100)
    assert cube_lower_bound(a, 10, np.random.default_rng(0)) == pytest.approx(3**0.5)
    assert cube_upper_bound(a) == pytest.approx(3**0.5)


def test_all_directions_attain_the_papers_bound():
    assert cube_lower_bound(rows(30, 30, 1), 3, np.random.default_rng(0)) == pytest.approx(30**0.5)
