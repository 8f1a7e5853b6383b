"""PCA as an encoder of masks, of whole volumes or of their blocks (Fay et al. 2020, Algorithm 1; 2022, Section 2.3)."""

import math

import numpy as np

from lib.core.errors import InputError
from lib.encoders.blocks import Blocks
from lib.encoders.bound import clip_to_ball
from lib.encoders.encoder import as_probabilities, checked_masks, checked_shape
from lib.encoders.principal_components import PrincipalComponents

CUBE = "cube"


class PcaEncoder:
    """Codes A_L (y - centre) of every block, one after the other, of L = `components` numbers each.

    radius "cube": centre is 1/2 in every voxel, and the code of a mask in [0, 1]^d has norm at most sqrt(d) / 2: no
    component can make a vector longer. So nothing is clipped, and the sensitivity 2 radius / K is the sqrt(d) / K of
    Fay et al. (2020, eq. 4 and 10), who take the difference of two masks. A number: centre is the mean of the public
    masks, and the whole code of a volume is clipped to that norm, the way to the norm of 1 that Fay et al. (2022,
    Theorem 3) assume and masks do not have.
    """

    def __init__(self, pca: PrincipalComponents, blocks: Blocks, components: int, radius: float | str = CUBE) -> None:
        """components: 0 makes every mask the mean mask. Raises InputError for more than there are."""
        if not 0 <= components <= len(pca.components) or len(pca.mean) != blocks.dimension:
            raise InputError(
                f"{components} components for blocks of {blocks.dimension} numbers: the principal components have "
                f"{len(pca.components)}, of {len(pca.mean)} numbers"
            )
        if isinstance(radius, str) and radius != CUBE:
            raise InputError(f"radius {radius!r}: allowed are {CUBE!r} and a number")
        self._blocks, self._mean = blocks, pca.mean
        self._components = pca.components[:components]
        self.latent_dim = blocks.count * components
        self.radius = math.sqrt(math.prod(blocks.shape)) / 2 if isinstance(radius, str) else radius
        # (blocks or 1, D): what was padded is 0 in every mask, and so in the centre
        centre = blocks.split(np.full((1, *blocks.shape), np.float32(0.5)))[0] if radius == CUBE else pca.mean[None]
        self._from_centre = centre @ self._components.T
        self._to_mean = (pca.mean - centre) @ self._components.T

    def encode(self, y: np.ndarray) -> np.ndarray:
        """Codes (n, latent_dim) float32; InputError for masks of another shape or beyond [0, 1]."""
        codes = np.empty((len(y), self.latent_dim), np.float32)
        for place, mask in enumerate(checked_masks(y, self._blocks.shape)):  # one by one: a volume may be large
            rows = self._blocks.split(mask[None]).reshape(-1, self._blocks.dimension).astype(np.float32, copy=False)
            codes[place] = (rows @ self._components.T - self._from_centre).ravel()
        return clip_to_ball(codes, self.radius)

    def decode(self, z: np.ndarray) -> np.ndarray:
        """Masks (n, C, X, Y, Z) float32 in [0, 1], probabilities."""
        masks = np.empty((len(z), *self._blocks.shape), np.float32)
        for place, code in enumerate(checked_shape(z, self.latent_dim)):
            rows = code.reshape(self._blocks.count, len(self._components)).astype(np.float32) - self._to_mean
            blocks = rows @ self._components + self._mean
            masks[place] = self._blocks.join(blocks[None])[0]
        return as_probabilities(masks)
