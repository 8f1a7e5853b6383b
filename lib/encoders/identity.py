"""The naive approach: the whole mask is its own code, and noise falls on every voxel (Fay et al. 2022, Figure 2)."""

import math

import numpy as np

from lib.encoders.bound import clip_to_ball
from lib.encoders.encoder import as_probabilities, checked_masks, checked_shape


class IdentityEncoder:
    """Masks (n, C, X, Y, Z) as codes of D = C X Y Z numbers; what comes back is clipped to [0, 1].

    radius None: the code is y - 1/2, of norm at most sqrt(D) / 2, and nothing is lost; the sensitivity 2 radius / K is
    the sqrt(d) / K of Fay et al. (2020, eq. 4). A number: the code is y itself, clipped to that norm, which a mask of
    V certain voxels reaches at V = radius^2. The same noise gives the same result in both, as long as nothing is
    clipped; they differ in what the noise costs.
    """

    def __init__(self, shape: tuple[int, int, int, int], radius: float | None = None) -> None:
        """shape: (C, X, Y, Z)."""
        self._shape = tuple(shape)
        self.latent_dim = math.prod(shape)
        self._centre = np.float32(0.5 if radius is None else 0.0)
        self.radius = math.sqrt(self.latent_dim) / 2 if radius is None else radius

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Codes (n, latent_dim) float32; InputError for masks of another shape or beyond [0, 1]."""
        flat = checked_masks(y, self._shape).reshape(len(y), self.latent_dim)
        return clip_to_ball(flat.astype(np.float32) - self._centre, self.radius)

    def decode(self, z: np.ndarray) -> np.ndarray:
        """Masks (n, C, X, Y, Z) float32 in [0, 1]."""
        flat = checked_shape(z, self.latent_dim).astype(np.float32) + self._centre
        return as_probabilities(flat.reshape(len(z), *self._shape))
