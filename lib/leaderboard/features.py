"""Features of images that are learned without labels, from public images alone: what a small network then has to see.

Coates, Ng and Lee, "An Analysis of Single-Layer Networks in Unsupervised Feature Learning", AISTATS 2011, section 3:
patches are normalised and whitened, k-means finds their kinds, and an image is described by how much of each kind
each of its quarters has. Private learning gains most from such features (Tramer and Boneh, ICLR 2021).
"""

from dataclasses import dataclass, replace

import numpy as np

from lib.core.errors import InputError
from lib.core.files import fingerprint
from lib.core.seeding import Draws
from lib.leaderboard.worlds import PrivateWorlds, PublicPart

CONTRAST = 10.0  # added to a patch's variance: flat patches are noise (section 3.1, pixels from 0 to 255)
FLAT = 0.1  # added to the eigenvalues of the covariance of patches before they are divided by (section 3.1)
THRESHOLD = 0.5  # of a patch's likeness to a kind, below which it counts as unlike it (Coates and Ng 2011, section 3.2)
SEEN = 100_000  # patches that the kinds are learned from
AT_ONCE = 250  # images


@dataclass(frozen=True)
class PatchFeatures:
    """Features that `learn` fitted: of patches of `side` pixels a mean (d,) and directions (d, kinds).

    d = channels * side * side. shift, scale (4 * kinds,): mean and standard deviation of the square roots of all
    features over the public images.
    """

    side: int
    mean: np.ndarray
    directions: np.ndarray
    shift: np.ndarray
    scale: np.ndarray

    def of(self, images: np.ndarray, unit: float) -> np.ndarray:
        """Features (n, 4 * kinds) int8 of images (n, height, width[, channels]) uint8, `unit` a standard deviation.

        What is farther than 127 / unit standard deviations from the public mean is cut off there. An image's features
        depend on no other image.
        """
        found = (self._roots(images) - self.shift) / self.scale
        return np.clip(np.rint(found * unit), -127, 127).astype(np.int8)

    def _roots(self, images: np.ndarray) -> np.ndarray:
        """Square roots of the features before they are standardised: (n, 4 * kinds) float32."""
        images = images.reshape(*images.shape[:3], -1)
        parts = [images[start : start + AT_ONCE] for start in range(0, len(images), AT_ONCE)]
        return np.sqrt(np.concatenate([self._quarters(part) for part in parts]))

    def _quarters(self, images: np.ndarray) -> np.ndarray:
        """How much of each kind the quarters of images have: (n, 4 * kinds) float32, at least 0."""
        likeness = (normalised(patches(images, self.side)) - self.mean) @ self.directions
        rows, columns = (extent - self.side + 1 for extent in images.shape[1:3])
        alike = np.maximum(likeness - THRESHOLD, 0).reshape(len(images), rows, columns, -1)
        quarters = [part for band in np.array_split(alike, 2, 1) for part in np.array_split(band, 2, 2)]
        return np.concatenate([part.sum((1, 2)) for part in quarters], 1)


def learn(images: np.ndarray, side: int, kinds: int, draws: Draws) -> PatchFeatures:
    """Features of `kinds` kinds of patches, from public images (n, height, width[, channels]) uint8 without labels.

    The patches that are looked at, and where k-means begins, are drawn. Raises InputError for records that are no
    images, and for patches that do not fit them.
    """
    from sklearn.cluster import MiniBatchKMeans

    if images.ndim not in (3, 4) or images.dtype != np.uint8:
        raise InputError(f"features of records {images.shape[1:]} {images.dtype}: allowed are images, uint8")
    images = images.reshape(*images.shape[:3], -1)
    if not 2 <= side < min(images.shape[1:3]):
        raise InputError(f"features: patches of {side} pixels a side: allowed are 2 to {min(images.shape[1:3]) - 1}")
    rng = draws.generator("patches")
    drawn = [rng.integers(0, end, SEEN) for end in (len(images), *(size - side + 1 for size in images.shape[1:3]))]
    windows = np.lib.stride_tricks.sliding_window_view(images, (side, side), axis=(1, 2))
    seen = normalised(windows[tuple(drawn)].reshape(SEEN, -1).astype(np.float32))
    mean = seen.mean(0)
    values, axes = np.linalg.eigh(np.cov(seen.T, dtype=np.float64))
    whitening = ((axes / np.sqrt(values + FLAT)) @ axes.T).astype(np.float32)
    first = draws.integer_seed("kinds")
    units = MiniBatchKMeans(kinds, batch_size=2000, n_init=1, max_iter=20, random_state=first)
    centres = units.fit(of_length_1((seen - mean) @ whitening)).cluster_centers_
    plain = PatchFeatures(side, mean, whitening @ of_length_1(centres).T, np.zeros(1), np.ones(1))
    roots = plain._roots(images)
    return PatchFeatures(side, mean, plain.directions, roots.mean(0), roots.std(0) + 1e-6)


def told(
    private: PrivateWorlds, public: PublicPart, patch: int, kinds: int, unit: float, draws: Draws
) -> tuple[PrivateWorlds, PublicPart]:
    """Replace the images of all private sets by their features: `kinds` kinds of patches that the pool has.

    See `learn`, whose side is `patch`, and `PatchFeatures.of`; labels are not looked at.
    """
    learned = learn(public.x, patch, kinds, draws)
    arrays = {"x": learned.of(public.x, unit), "test_x": learned.of(public.test_x, unit)}
    arrays |= {"y": public.y, "test_y": public.test_y}
    return replace(private, x=learned.of(private.x, unit)), PublicPart(**arrays, fingerprint=fingerprint(**arrays))


def patches(images: np.ndarray, side: int) -> np.ndarray:
    """Every patch of images (n, height, width, channels): (n * places, channels * side * side) float32."""
    windows = np.lib.stride_tricks.sliding_window_view(images, (side, side), axis=(1, 2))
    return windows.reshape(-1, images.shape[3] * side * side).astype(np.float32)


def normalised(rows: np.ndarray) -> np.ndarray:
    """Patches (n, d) less their mean, over their standard deviation where there is contrast."""
    centred = rows - rows.mean(1, keepdims=True)
    return centred / np.sqrt(np.square(centred).mean(1, keepdims=True) + np.float32(CONTRAST))


def of_length_1(rows: np.ndarray) -> np.ndarray:
    """Rows (n, d) float32 over their lengths."""
    return (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)).astype(np.float32)
