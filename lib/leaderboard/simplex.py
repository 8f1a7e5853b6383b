"""Codes of classes for generalised PATE: the corners of a regular simplex about 0, in one dimension less than classes.

A linear code of one-hot answers e_j: e_j - 1/m lies in the m - 1 dimensions orthogonal to (1, ..., 1). All corners are
sqrt(2) apart and sqrt(1 - 1/m) from 0. Twice the latter, which a bound on the norm alone would allow one teacher, is
more than the former: the sensitivity rests on the diameter, which is checked.
"""

import math

import numpy as np

from lib.encoders.bound import checked_code

DIAMETER = math.sqrt(2)  # of the code, in exact arithmetic; a hair more than any two rows of `codebook` are apart
_SLACK = 1e-6  # relative: above what rounding to float32 can add to a distance


def radius(classes: int) -> float:
    """Norm of every code, sqrt(1 - 1/m)."""
    return math.sqrt(1 - 1 / classes)


def codebook(classes: int) -> np.ndarray:
    """Return the code of each class, (m, m - 1) float32, no two of them further apart than DIAMETER.

    Raises InputError should rounding have broken that.
    """
    basis = _basis(classes)
    codes = (basis * (1 - _SLACK)).astype(np.float32)
    exact = codes.astype(np.float64)
    checked_code((exact[:, None] - exact[None]).reshape(-1, classes - 1), DIAMETER)
    return checked_code(codes, radius(classes))


def decode(codes: np.ndarray) -> np.ndarray:
    """Soft labels (n, m) float64, which sum to 1, of codes (n, m - 1); noise may make some of them negative."""
    classes = codes.shape[1] + 1
    return codes.astype(np.float64) @ _basis(classes).T / (1 - _SLACK) + 1 / classes


def nearest_distribution(labels: np.ndarray) -> np.ndarray:
    """Return the distribution (n, m) nearest to each row (Euclidean): max(row - t, 0), t such that it sums to 1."""
    ranked = -np.sort(-labels, axis=1)
    shifts = (np.cumsum(ranked, axis=1) - 1) / np.arange(1, labels.shape[1] + 1)
    kept = (ranked > shifts).sum(axis=1)
    shift = np.take_along_axis(shifts, kept[:, None] - 1, axis=1)
    return np.maximum(labels - shift, 0)


def _basis(classes: int) -> np.ndarray:
    """Helmert's orthonormal basis (m, m - 1) of what is orthogonal to (1, ..., 1); a row is a corner's coordinates."""
    basis = np.tril(np.ones((classes, classes)), -1).T[:-1]  # a row: 0 up to its place, 1 after it
    basis += np.diag(-np.arange(classes - 1, 0, -1.0), 0) @ np.eye(classes - 1, classes)
    return (basis / np.linalg.norm(basis, axis=1, keepdims=True)).T
