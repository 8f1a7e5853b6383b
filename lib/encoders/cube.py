"""How long a projection of the cube can get: the exact sensitivity of PCA, between two bounds (Fay et al. 2020, eq. 3).

The maximum of |A v| over v in [-1, 1]^d is attained at a corner, and hard to find; the paper bounds it by sqrt(d) and
calls that close to optimal.
"""

import math

import numpy as np


def cube_lower_bound(a: np.ndarray, starts: int, rng: np.random.Generator) -> float:
    """Return the largest |A v| found at a corner v of [-1, 1]^d, for A = a (l, d): what the sensitivity is at least.

    Sign ascent v <- sign(A^T A v), which never shortens A v (|A v|^2 is convex), from the signs of each row of A and
    from `starts` random corners, each until it stands still.
    """
    a = np.asarray(a, np.float64)
    corners = np.concatenate([np.where(a >= 0, 1.0, -1.0), rng.choice([-1.0, 1.0], (starts, a.shape[1]))])
    best = 0.0
    for v in corners:
        length = -1.0
        while (longer := float(np.linalg.norm(projected := a @ v))) > length * (1 + 1e-12):
            length, v = longer, np.where(projected @ a >= 0, 1.0, -1.0)
        best = max(best, length)
    return best


def cube_upper_bound(a: np.ndarray) -> float:
    """Return the smaller of two bounds on |A v| over [-1, 1]^d, for A = a (l, d) with orthonormal rows.

    sqrt(d), since A makes no vector longer (Fay et al. 2020, eq. 4 and 10); and the norm of the row sums of |A|, since
    no entry of A v exceeds its row's, which is exact for l = 1.
    """
    a = np.asarray(a, np.float64)
    return min(math.sqrt(a.shape[1]), float(np.linalg.norm(np.abs(a).sum(axis=1))))
