"""Principal components of public masks: by the covariance of many blocks, or by the Gram matrix of a few volumes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from lib.core.errors import InputError
from lib.encoders.blocks import Blocks

_ROWS = 2048  # blocks whose products are summed in float32 at once: exactly, where masks are 0 or 1
_COLUMNS = 1 << 16  # voxels worked on at once in float64


@dataclass(frozen=True)
class PrincipalComponents:
    """Mean, directions of largest variance, and the variance along each.

    mean (D,) float32; components (k, D) float32, orthonormal rows, by falling variance; eigenvalues (k,) float64 of
    the covariance with divisor n, with which the error formulas are exact on what was fitted; total: the variance in
    all directions, which is the sum of all D eigenvalues.
    """

    mean: np.ndarray
    components: np.ndarray
    eigenvalues: np.ndarray
    total: float

    def arrays(self) -> dict[str, np.ndarray]:
        """All there is to save; `from_arrays` takes it back."""
        return {
            "mean": self.mean,
            "components": self.components,
            "eigenvalues": self.eigenvalues,
            "total": np.array(self.total, np.float64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> "PrincipalComponents":
        """Rebuild from the result of `arrays`."""
        return cls(arrays["mean"], arrays["components"], arrays["eigenvalues"], float(arrays["total"]))


class Covariance:
    """Mean and covariance of vectors of D numbers, added up in one pass with D x D memory.

    Vectors of zeros, which most blocks of a mask are, are only counted. Products are float32 sums over at most 2048
    vectors (exact for masks of 0 and 1), added up in float64.
    """

    def __init__(self, dimension: int) -> None:
        self._products = np.zeros((dimension, dimension))
        self._sum = np.zeros(dimension)
        self._buffer = np.empty((_ROWS, dimension), np.float32)
        self._waiting = 0
        self._count = 0

    def add(self, rows: np.ndarray) -> None:
        """Count vectors (m, D) of any real dtype."""
        self._count += len(rows)
        rows = rows[rows.any(axis=1)]
        while len(rows):
            taken = rows[: _ROWS - self._waiting]
            self._buffer[self._waiting : self._waiting + len(taken)] = taken
            self._waiting += len(taken)
            rows = rows[len(taken) :]
            if self._waiting == _ROWS:
                self._flush()

    def _flush(self) -> None:
        rows = self._buffer[: self._waiting]
        self._sum += rows.sum(axis=0, dtype=np.float64)
        self._products += rows.T @ rows  # BLAS takes a matrix with itself at half the price
        self._waiting = 0

    def finish(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean (D,) and covariance (D, D), float64; nothing can be added after. InputError where nothing was."""
        if not self._count:
            raise InputError("principal components of no masks: at least one is needed")
        self._flush()
        self._buffer = np.empty((0, 0), np.float32)  # its memory is needed for the eigenvectors
        mean, covariance = self._sum / self._count, self._products
        covariance /= self._count
        for row, value in zip(covariance, mean, strict=True):  # an outer product would take another D x D
            row -= value * mean
        return mean, covariance


def fit_blocks(masks: Iterable[np.ndarray], blocks: Blocks, components: int | None = None) -> PrincipalComponents:
    """Principal components of the blocks of all masks, read once.

    masks: arrays (n, C, X, Y, Z), say one volume each. components: only the first so many, all D for None. For D =
    9,216 (24 x 24 x 16 voxels) memory is about four times D^2 numbers of float64, whatever the number of blocks.
    Raises InputError for no masks or more components than D.
    """
    _check_components(components, blocks.dimension)
    covariance = Covariance(blocks.dimension)
    for y in masks:
        covariance.add(blocks.split(y).reshape(-1, blocks.dimension))
    mean, matrix = covariance.finish()
    del covariance
    total = float(np.trace(matrix))
    # divide and conquer keeps the many directions without variance orthogonal, but cannot compute only some
    driver, first = ("evd", None) if components is None else ("evr", [len(mean) - components, len(mean) - 1])
    # transposed, a symmetric matrix is in the order that can be worked on in place
    values, vectors = eigh(matrix.T, subset_by_index=first, driver=driver, overwrite_a=True, check_finite=False)
    return _ordered(mean, vectors.T[::-1].astype(np.float32), values[::-1], total)


def fit_volumes(masks: np.ndarray, components: int | None = None) -> PrincipalComponents:
    """Principal components of whole masks (n, ...) of D numbers each, n well below D, by their n x n Gram matrix.

    Memory: the masks, of any real dtype, which are not copied, and the components kept, at most n - 1 (the rank once
    the mean is subtracted; directions without variance are left out). Raises InputError for fewer than 2 masks or
    more components than n - 1.
    """
    n = len(masks)
    if n < 2:
        raise InputError(f"principal components of {n} volumes: at least 2 are needed")
    _check_components(components, n - 1)
    flat = masks.reshape(n, -1)
    dimension = flat.shape[1]
    mean, gram = np.empty(dimension), np.zeros((n, n))
    portions = [slice(start, start + _COLUMNS) for start in range(0, dimension, _COLUMNS)]
    for portion in portions:
        values = flat[:, portion].astype(np.float64)
        mean[portion] = values.mean(axis=0)
        values -= mean[portion]
        gram += values @ values.T
    total = float(np.trace(gram)) / n
    values, vectors = eigh(gram / n)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = int((values > total * n * np.finfo(float).eps).sum())  # the rest is rounding, and has no direction
    kept = min(kept, n - 1 if components is None else components)
    scale = vectors[:, :kept] / np.sqrt(n * values[:kept])
    directions = np.empty((kept, dimension), np.float32)
    for portion in portions:
        directions[:, portion] = scale.T @ (flat[:, portion].astype(np.float64) - mean[portion])
    return _ordered(mean, directions, values[:kept], total)


def _ordered(mean: np.ndarray, directions: np.ndarray, values: np.ndarray, total: float) -> PrincipalComponents:
    """With the sign of each direction that makes its largest number positive, so that no library chooses it."""
    for direction in directions:
        if direction[np.argmax(np.abs(direction))] < 0:
            direction *= -1
    return PrincipalComponents(mean.astype(np.float32), directions, np.maximum(values, 0.0), total)


def _check_components(components: int | None, largest: int) -> None:
    if components is not None and not 1 <= components <= largest:
        raise InputError(f"{components} principal components: allowed are 1 to {largest}")
