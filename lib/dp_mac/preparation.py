"""What a network is given of an image: centred, and projected to principal components that were found privately.

The authors' public code for DP-MAC subtracts the mean pixel of the training set, and projects MNIST to components of a
noisy matrix of second moments (Dwork, Talwar, Thakurta and Zhang 2014, as in Abadi et al. 2016, Section 4). Both are
functions of the training set, so both are releases with a cost of their own, which `accounting.MacRun` composes with
training. Neighbouring relation: add or remove one record, the number of records being public.

* The sum of all records' mean pixels changes by at most 1 with one record, whose pixels lie in [0, 1].
* The second moments of rows of norm 1 change by v v^T with one record. Of the symmetric matrix the upper triangle with
  the diagonal is released, each number once: its norm is at most that of v v^T, which is 1, and just that for a v with
  one entry only.

What is made of these afterwards, with images of the training set or of others, is the images' own and that of what was
released. The public code takes the mean as it is, which no noise hides; here it has noise.
"""

from dataclasses import dataclass

import numpy as np

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.dp_sgd.slack import SLACK

EIGENVALUES = ("magnitude", "value")


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """How images are prepared.

    centre: whether the mean pixel of the training set is subtracted; else nothing is. components: how many are kept;
    None: no projection. sigma_centre, sigma_pca: standard deviations of the noise on the sum of mean pixels, and on the
    second moments; None: no noise, for what has no privacy. eigenvalues: which components count as the first, those
    whose eigenvalues are largest in `magnitude`, as in the authors' code, or in `value`, as in Abadi et al.'s.
    Raises InputError for what is not allowed.
    """

    centre: bool = False
    components: int | None = None
    sigma_centre: float | None = None
    sigma_pca: float | None = None
    eigenvalues: str = "magnitude"

    def __post_init__(self) -> None:
        """Check numbers and names."""
        if self.eigenvalues not in EIGENVALUES:
            raise InputError(f"eigenvalues {self.eigenvalues!r}: allowed are {', '.join(EIGENVALUES)}")
        for what, used in (("sigma_centre", self.centre), ("sigma_pca", self.components is not None)):
            sigma = getattr(self, what)
            if sigma is not None and not (used and np.isfinite(sigma) and sigma > 0):
                raise InputError(f"{what} {sigma}: allowed is a positive number, where there is something to release")

    @property
    def releases(self) -> dict[str, float]:
        """What `accounting.MacRun` is told: noise multipliers of what is released, by name.

        Raises InputError where something is used as it is, without noise.
        """
        found = {}
        for name, used in (("sigma_centre", self.centre), ("sigma_pca", self.components is not None)):
            if used and getattr(self, name) is None:
                raise InputError(f"{name}: none, and so no epsilon; a private run needs it")
            if used:
                found[name] = getattr(self, name)
        return found


@dataclass(frozen=True)
class Projection:
    """A preparation that was fitted: centre, a grey value, and basis (d, k), or None for all d pixels."""

    centre: float
    basis: np.ndarray | None

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Rows (n, d) of pixels in [0, 1] as the network is given them, (n, d) or (n, k), float32.

        Before they are projected, they are scaled so that the largest magnitude there can be is 1, as in the authors'
        code, which takes the largest there is.
        """
        centred = rows.astype(float) - self.centre
        if self.basis is not None:
            centred = centred / max(self.centre, 1 - self.centre) @ self.basis
        return centred.astype(np.float32)


def fitted(preparation: Preparation, rows: np.ndarray, seed: int, *job: str) -> Projection:
    """Fit to the training set's rows (N, d) of pixels in [0, 1]; the noise is keyed by (seed, job, what it hides).

    Raises InputError for more components than pixels.
    """
    if preparation.components is not None and not 1 <= preparation.components <= rows.shape[1]:
        raise InputError(f"components {preparation.components}: allowed are 1 to {rows.shape[1]}, the pixels")
    centre, basis = 0.0, None
    if preparation.centre:
        centre = mean_pixel(rows, preparation.sigma_centre, generator(seed, *job, "mean pixel"))
    if preparation.components is not None:
        moments = second_moments(
            rows.astype(float) - centre, preparation.sigma_pca, generator(seed, *job, "second moments")
        )
        basis = first_components(moments, preparation.components, preparation.eigenvalues)
    return Projection(centre, basis)


def mean_pixel(rows: np.ndarray, sigma: float | None, rng: np.random.Generator) -> float:
    """Mean of the pixels of rows (N, d) in [0, 1], from the sum of the rows' means with noise of `sigma` (None: none).

    In [0, 1] again. The number of rows is public.
    """
    total = rows.mean(1, dtype=float).clip(0, 1).sum() + _deviation(sigma) * rng.standard_normal()
    return float(np.clip(total / len(rows), 0, 1))


def second_moments(rows: np.ndarray, sigma: float | None, rng: np.random.Generator) -> np.ndarray:
    """Sum of v v^T (d, d) over the rows (N, d), each scaled to norm 1, with symmetric noise of `sigma` (None: none).

    The norm is a hair below 1, for the rounding; a row of zeros stays one.
    """
    peaks = np.abs(rows).max(1, keepdims=True)
    # by the largest number first: the squares of tiny ones vanish, and the norm would be too small
    units = np.divide(rows, peaks, out=np.zeros_like(rows), where=peaks > 0)
    units *= (1 - SLACK) / np.maximum(np.linalg.norm(units, axis=1, keepdims=True), 1)
    noise = np.triu(_deviation(sigma) * rng.standard_normal((rows.shape[1],) * 2))
    return units.T @ units + noise + np.triu(noise, 1).T


def first_components(moments: np.ndarray, count: int, eigenvalues: str) -> np.ndarray:
    """The first `count` eigenvectors (d, count) of a symmetric matrix, by EIGENVALUES."""
    values, vectors = np.linalg.eigh(moments)
    order = np.argsort(-(np.abs(values) if eigenvalues == "magnitude" else values), kind="stable")
    return vectors[:, order[:count]]


def _deviation(sigma: float | None) -> float:
    return 0.0 if sigma is None else sigma
