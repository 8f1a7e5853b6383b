"""The bound on a code: every query's numbers lie in a ball about 0, after all rounding.

The sensitivity of the mean of codes rests on it (Fay et al. 2022, Theorem 2: a diameter of at most 2 is a radius of 1).
"""

import math

import numpy as np

from lib.core.errors import InputError

_ROUNDING = 1e-12  # relative; above what summing squares in float64 can lose, far below what float32 can tell apart
_ROWS = 1 << 22  # numbers worked on at once in float64


def clip_to_ball(z: np.ndarray, radius: float) -> np.ndarray:
    """Codes z (..., L) scaled down, where they are longer, to the ball of this radius; float32.

    Every float32 vector returned has a Euclidean norm of at most `radius`, in exact arithmetic: the norm is taken in
    float64 with a margin for its own rounding, and results are rounded towards 0. Vectors inside come back as they
    are, to float32. Raises InputError for a radius that is not finite and above 0, and for codes that are not finite.
    """
    _check_radius(radius)
    z = np.asarray(z)
    if z.ndim < 1:
        raise InputError("a code of shape (): allowed are vectors (..., L)")
    limit = radius * (1 - _ROUNDING)
    flat = z.reshape(math.prod(z.shape[:-1]), z.shape[-1])  # -1 fails for L = 0
    clipped = np.empty(flat.shape, np.float32)
    step = max(1, _ROWS // max(1, flat.shape[1]))
    for start in range(0, len(flat), step):
        rows = flat[start : start + step].astype(np.float64)
        _check_finite(rows, start)
        largest, norm = _norms(rows)
        inside = _product(largest, norm) <= limit
        # the largest entry is divided out first, or squares of huge and of tiny numbers would leave float64
        unit = rows / np.where(largest > 0, largest, 1.0)[:, None]
        rows = np.where(inside[:, None], rows, unit * (limit / np.maximum(norm, 1.0))[:, None])
        clipped[start : start + step] = _towards_zero(rows)
    return clipped.reshape(z.shape)


def checked_code(z: np.ndarray, radius: float) -> np.ndarray:
    """Return the codes z (..., n, L) themselves, if each has a norm of at most `radius`.

    Raises InputError for fewer than two axes, numbers that are not finite or not floating point, and for a code that
    breaks its bound: what rests on the bound must not go on with it.
    """
    _check_radius(radius)
    if not isinstance(z, np.ndarray) or z.ndim < 2 or z.dtype.kind != "f":
        raise InputError(f"codes of shape {np.shape(z)}: allowed are floating-point arrays (..., n, L)")
    flat = z.reshape(math.prod(z.shape[:-1]), z.shape[-1])  # -1 fails for L = 0
    step = max(1, _ROWS // max(1, flat.shape[1]))
    for start in range(0, len(flat), step):
        rows = flat[start : start + step].astype(np.float64)
        _check_finite(rows, start)
        norm = _product(*_norms(rows))
        if (norm > radius).any():
            row = int(np.argmax(norm > radius))
            raise InputError(f"code {start + row}: its norm {norm[row]:.9g} is above the bound {radius:.9g}")
    return z


def _check_radius(radius: float) -> None:
    if not (math.isfinite(radius) and radius > 0):
        raise InputError(f"radius {radius}: it must be finite and above 0")


def _check_finite(rows: np.ndarray, start: int) -> None:
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        raise InputError(f"code {start + int(np.argmin(finite))}: it holds a number that is not finite")


def _norms(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest magnitude in each row (n, L), and the norm of the row divided by it: factors of the norm."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    unit = rows / np.where(largest > 0, largest, 1.0)[:, None]
    return largest, np.sqrt(np.square(unit).sum(axis=1))


def _product(largest: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """Return the norm; infinite where float64 cannot hold it, which is larger than every radius."""
    with np.errstate(over="ignore"):
        return largest * norm


def _towards_zero(values: np.ndarray) -> np.ndarray:
    """Float64 values in float32, none of a larger magnitude than before."""
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float32)
    grown = np.abs(rounded.astype(np.float64)) > np.abs(values)
    return np.where(grown, np.nextafter(rounded, np.float32(0)), rounded)
