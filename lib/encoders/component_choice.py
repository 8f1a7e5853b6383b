"""How many principal components to release under noise: the error formula, its optimum, and the best on masks.

All errors are expected squared errors |y - y^|^2 of one block, summed over its D numbers, before anything is clipped
to [0, 1] (Fay et al. 2020, eq. 6; 2022, Theorem 4, eq. 8 and 13).
"""

from collections.abc import Iterable

import numpy as np

from lib.encoders.blocks import Blocks
from lib.encoders.principal_components import PrincipalComponents


def heuristic_components(eigenvalues: np.ndarray, sigma: float) -> int:
    """Return the number of components whose variance exceeds sigma^2 (Fay et al. 2020, eq. 7; 2022, eq. 14).

    Printed as an argmin over the eigenvalues above sigma^2: the smallest of them is the last to keep. 0 if none is.
    """
    return int((np.asarray(eigenvalues) > sigma**2).sum())


def pca_error(eigenvalues: np.ndarray, components: int | np.ndarray, sigma: float, total: float | None = None):
    """L sigma^2 + the variance in the directions left out, for L = `components`, one or an array of them.

    eigenvalues (k,): by falling size; total: the sum of all D of them, if k of them are not all.
    """
    kept = np.concatenate([[0.0], np.cumsum(eigenvalues)])
    return np.asarray(components) * sigma**2 + (kept[-1] if total is None else total) - kept[components]


def lost_squares(pca: PrincipalComponents, masks: Iterable[np.ndarray], blocks: Blocks) -> np.ndarray:
    """Mean squared norm (k + 1,) of what the first L components do not hold of a block, for L = 0 to k.

    masks: arrays (n, C, X, Y, Z), read once, held out or not. Blocks of zeros are projected once and counted.
    """
    squares, kept, count, empty = 0.0, np.zeros(len(pca.components)), 0, 0
    for y in masks:
        rows = blocks.split(y).reshape(-1, blocks.dimension)
        filled = rows[rows.any(axis=1)]
        count, empty = count + len(rows), empty + len(rows) - len(filled)
        centred = filled - pca.mean
        squares += np.square(centred, dtype=np.float64).sum()
        kept += np.square(centred @ pca.components.T, dtype=np.float64).sum(axis=0)
    squares += empty * np.square(pca.mean, dtype=np.float64).sum()
    kept += empty * np.square(pca.components @ pca.mean, dtype=np.float64)
    return (squares - np.concatenate([[0.0], np.cumsum(kept)])) / count


def exhaustive_components(lost: np.ndarray, sigma: float) -> int:
    """Return the L in {0, ..., k} of the least error under noise (Fay et al. 2022, Figure 1), the smallest of equals.

    lost (k + 1,): see `lost_squares`; the noise adds exactly L sigma^2 in expectation, for orthonormal components.
    """
    return int(np.argmin(lost + np.arange(len(lost)) * sigma**2))
