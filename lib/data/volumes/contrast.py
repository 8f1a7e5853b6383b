"""How bright each tissue of the brain phantom is in each channel, and what a scanner adds to it."""

import numpy as np

from lib.data.volumes.anatomy import Anatomy
from lib.data.volumes.fields import ramp, smooth_field, voxel
from lib.data.volumes.tumour import Tumour

CHANNELS = ("flair", "t1", "t1ce", "t2")
# Arbitrary units, in the order of the channels.
_SIGNAL = {
    "csf": (90, 180, 190, 900),
    "grey": (520, 420, 440, 520),
    "white": (420, 600, 620, 380),
    "deep grey": (470, 480, 500, 450),
    "skull": (60, 80, 80, 50),
    "scalp": (450, 800, 800, 450),
    "oedema": (820, 400, 410, 780),
    "core": (520, 290, 280, 700),
    "enhancing": (640, 450, 950, 600),
    "lesion": (760, 480, 490, 640),  # of white matter, no tumour: what a network is to tell from oedema
}


def render(
    rng: np.random.Generator, noise: np.random.Generator, head: Anatomy, tumour: Tumour, stripped: bool
) -> np.ndarray:
    """Return the image (4, X, Y, Z) float32, in the order of CHANNELS.

    rng: contrasts, texture, small lesions, bias, alike at every shape; noise: of each voxel. stripped: 0 outside the
    brain's hull; otherwise skull and scalp are there, and noise in the air.
    """
    shape = head.depth.shape
    signal = {tissue: np.array(values) * rng.normal(1, 0.05, 4) for tissue, values in _SIGNAL.items()}
    visible = rng.uniform(0.5, 1), rng.uniform(0.7, 1)
    gain, sigma = rng.uniform(0.7, 1.4, 4), rng.uniform(25, 45)
    lesion = ramp(smooth_field(rng, 8.0, shape) - 2.2, 0.5) * head.shares["white"]
    texture = 1 + 0.04 * smooth_field(rng, max(6.0, voxel(shape)), shape)
    over = (
        ("lesion", lesion),
        ("oedema", visible[0] * tumour.whole),
        ("core", visible[1] * tumour.core),
        ("enhancing", visible[1] * tumour.enhancing),
    )
    image = np.empty((len(CHANNELS), *shape), np.float32)
    for channel, values in enumerate(image):
        values[:] = 0
        for tissue, share in head.shares.items():
            values += np.float32(signal[tissue][channel]) * share
        for tissue, share in over:
            values += share * (np.float32(signal[tissue][channel]) - values)
        values *= texture * np.exp(0.12 * smooth_field(rng, 80.0, shape))
        # The magnitude of a complex signal with normal noise in both parts is Rician.
        values += np.float32(sigma) * noise.standard_normal(shape, np.float32)
        np.hypot(values, np.float32(sigma) * noise.standard_normal(shape, np.float32), out=values)
        values *= np.float32(gain[channel])
    if stripped:
        image[:, head.depth <= 0] = 0
    return image
