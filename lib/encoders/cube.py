"""How long a projection of the cube can get: the exact sensitivity of PCA, between two bounds (Fay et al. 2020, eq. 3).

The maximum of |A v| over v in [-1, 1]^d is attained at a corner. The paper bounds it by sqrt(d) and calls that close to
optimal; its footnote says that it can be found in a time polynomial in d (Allemand et al. 2001). For two rows of A that
is done here, for more it lies between two bounds.
"""

import math

import numpy as np


def best_corner(a: np.ndarray) -> np.ndarray:
    """Return the corner v of [-1, 1]^d at which |A v| is largest, for A = a (l, d) with l at most 2.

    That corner has the signs of u A for some direction u, as otherwise another would be longer along A v. While u turns
    by half a circle each of the d signs changes once, so d + 1 corners are compared, in a time of d log d.
    """
    if len(a) == 1:
        return np.where(a[0] >= 0, 1.0, -1.0)
    if len(a) != 2:
        raise ValueError(f"{len(a)} rows: allowed are 1 and 2")
    first, second = np.asarray(a, np.float64)
    signs = np.where((first > 0) | ((first == 0) & (second <= 0)), 1.0, -1.0)  # before the first of them changes
    turned = np.argsort((np.arctan2(second, first) + np.pi / 2) % np.pi, kind="stable")
    steps = np.cumsum(np.concatenate([[a @ signs], -2 * (a * signs).T[turned]]), axis=0)
    signs[turned[: int(np.argmax(np.linalg.norm(steps, axis=1)))]] *= -1
    return signs


def _pairs(a: np.ndarray) -> list[np.ndarray]:
    return [a[place : place + 2] for place in range(0, len(a), 2)]


def cube_lower_bound(a: np.ndarray, starts: int, rng: np.random.Generator) -> float:
    """Return the largest |A v| found at a corner v of [-1, 1]^d, for A = a (l, d): what the sensitivity is at least.

    Sign ascent v <- sign(A^T A v), which never shortens A v (|A v|^2 is convex), from the signs of each row of A, from
    the best corner of each pair of rows and from `starts` random corners, each until it stands still. Exact for l <= 2.
    """
    a = np.asarray(a, np.float64)
    pairs = [best_corner(pair) for pair in _pairs(a)]
    corners = np.concatenate([np.where(a >= 0, 1.0, -1.0), pairs, rng.choice([-1.0, 1.0], (starts, a.shape[1]))])
    best = 0.0
    for v in corners:
        length = -1.0
        while (longer := float(np.linalg.norm(projected := a @ v))) > length * (1 + 1e-12):
            length, v = longer, np.where(projected @ a >= 0, 1.0, -1.0)
        best = max(best, length)
    return best


def cube_upper_bound(a: np.ndarray) -> float:
    """Return the smaller of two bounds on |A v| over [-1, 1]^d, for A = a (l, d) with orthonormal rows.

    sqrt(d), since A makes no vector longer (Fay et al. 2020, eq. 4 and 10); and the norm of the greatest lengths of
    pairs of rows, since no corner is longer in any pair. Exact for l <= 2.
    """
    a = np.asarray(a, np.float64)
    return min(math.sqrt(a.shape[1]), math.hypot(*(np.linalg.norm(pair @ best_corner(pair)) for pair in _pairs(a))))
