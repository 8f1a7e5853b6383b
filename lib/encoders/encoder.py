"""Interface of encoders: a bounded vector of numbers for the masks of one query, and back."""

from typing import Protocol

import numpy as np

from lib.core.errors import InputError


class Encoder(Protocol):
    """Codes of soft masks, with the bound on which the noise rests (Fay et al. 2022, Algorithm 1).

    latent_dim: numbers in the code of one query, all its blocks or slices together. radius: bound on the Euclidean
    norm of that whole code. Whatever an encoder was fitted to gets no protection: it must be public.
    """

    latent_dim: int
    radius: float

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Codes (n, latent_dim) float32, of norm at most `radius`, of masks y (n, C, X, Y, Z) in [0, 1]."""

    def decode(self, z: np.ndarray) -> np.ndarray:
        """Masks (n, C, X, Y, Z) float32 in [0, 1] of codes z (n, latent_dim), noisy ones included."""


def checked_masks(y: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Masks (n, *shape), in [0, 1]; InputError otherwise, for a bound may rest on their range."""
    if y.ndim != len(shape) + 1 or y.shape[1:] != tuple(shape):
        raise InputError(f"masks of shape {y.shape}: allowed are (n, {', '.join(map(str, shape))})")
    if y.size and not (y.min() >= 0 and y.max() <= 1):  # not a number fails both
        raise InputError(f"masks from {y.min()} to {y.max()}: allowed are numbers in [0, 1]")
    return y


def as_probabilities(y: np.ndarray) -> np.ndarray:
    """Masks (n, C, X, Y, Z) clipped to [0, 1], in place; several channels scaled to sum to 1, alike where all are 0."""
    np.clip(y, 0.0, 1.0, out=y)
    if y.shape[1] > 1:
        for mask in y:  # one by one: a volume may be large
            total = mask.sum(axis=0)
            mask /= np.where(total > 0, total, 1.0)
            mask[:, total == 0] = 1.0 / len(mask)
    return y


def checked_shape(z: np.ndarray, latent_dim: int) -> np.ndarray:
    """Codes (n, latent_dim); InputError otherwise."""
    if z.ndim != 2 or z.shape[1] != latent_dim:
        raise InputError(f"codes of shape {z.shape}: allowed are (n, {latent_dim})")
    return z
