"""Prepare images for a network: centre them, and project them to principal components released privately.

The authors' public code for DP-MAC subtracts the mean pixel of the training set, and projects MNIST to components of a
noisy matrix of second moments (Dwork, Talwar, Thakurta and Zhang 2014, as in Abadi et al. 2016, Section 4). Both are
functions of the training set, so both are releases with a cost of their own, which `accounting.MacRun` composes with
training. Neighbouring relation: add or remove one record, the number of records being public.

* The sum of all records' mean pixels changes by at most 1 with one record, whose pixels lie in [0, 1].
* The second moments of rows of norm 1 change by v v^T with one record. Of the symmetric matrix the upper triangle with
  the diagonal is released, each number once: its norm is at most that of v v^T, which is 1, and just that for a v with
  one entry only.

Centring and projecting an image afterwards uses that image and the releases alone. The public code takes the mean as
it is, which no noise hides; here it has noise.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from lib.core.errors import InputError
from lib.core.keywords import Count, Positive
from lib.core.seeding import generator
from lib.training.clipping_slack import SLACK


@dataclass(frozen=True, kw_only=True)
class Preparation:
    """How images are prepared; the noise is charged with that of training."""

    centre: Annotated[bool, "Whether the mean pixel of the training set is subtracted."] = False
    components: Annotated[Count | None, "Principal components that are kept; null: no projection."] = None
    sigma_centre: Annotated[Positive | None, "Noise on the sum of mean pixels; null without privacy."] = None
    sigma_pca: Annotated[Positive | None, "Noise on second moments of rows of norm 1; null without privacy."] = None
    # by magnitude in the authors' code, by value in Abadi et al.'s
    eigenvalues: Annotated[Literal["magnitude", "value"], "By which components come first."] = "magnitude"

    @property
    def released(self) -> tuple[tuple[str, str, bool], ...]:
        """Each noise, the setting that it belongs to, and whether that is used."""
        return ("sigma_centre", "centre", self.centre), ("sigma_pca", "components", self.components is not None)

    @property
    def releases(self) -> dict[str, float]:
        """Noise multipliers of what is released, by the names of `accounting.MacRun`.

        Raises InputError where something is used as it is, without noise.
        """
        found = {name: getattr(self, name) for name, _, used in self.released if used}
        if bare := [name for name, sigma in found.items() if sigma is None]:
            raise InputError(f"{bare[0]}: none, and so no epsilon; a private run needs it")
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
    """Return the first `count` eigenvectors (d, count) of a symmetric matrix, by `Preparation.eigenvalues`."""
    values, vectors = np.linalg.eigh(moments)
    order = np.argsort(-(np.abs(values) if eigenvalues == "magnitude" else values), kind="stable")
    return vectors[:, order[:count]]


def _deviation(sigma: float | None) -> float:
    return 0.0 if sigma is None else sigma
