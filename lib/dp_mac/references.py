"""Errors of the mean image and of principal components, on the scale of `squared_errors`."""

import numpy as np
from sklearn.decomposition import PCA

from lib.core.errors import InputError


def mean_image_error(train: np.ndarray, x: np.ndarray) -> float:
    """Sum of squared errors of a sample, mean over the samples x (n, d), of predicting the mean of train (N, d)."""
    _check(train, x)
    return _error(x, train.mean(0, dtype=float))


def pca_error(train: np.ndarray, x: np.ndarray, components: int) -> float:
    """Return the mean error of reconstructing x (n, d) from so many principal components of train (N, d), centred.

    An autoencoder with as many units in its narrowest layer and no activations can do no better on train. Raises
    InputError for a number of components outside 1 to min(N, d).
    """
    _check(train, x)
    if not 1 <= components <= min(train.shape):
        raise InputError(f"components {components}: allowed are 1 to {min(train.shape)}, for data {train.shape}")
    fitted = PCA(components, svd_solver="full").fit(train.astype(float))  # other solvers draw at random
    return _error(x, fitted.inverse_transform(fitted.transform(x.astype(float))))


def _check(train: np.ndarray, x: np.ndarray) -> None:
    if train.ndim != 2 or x.ndim != 2 or train.shape[1] != x.shape[1] or not len(train) or not len(x):
        raise InputError(f"samples {train.shape} and {x.shape}: allowed are rows of one width, at least one each")


def _error(x: np.ndarray, predicted: np.ndarray) -> float:
    return float(((x - predicted) ** 2).sum(1).mean())
