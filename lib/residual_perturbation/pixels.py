"""The scale on which a network sees pixels: noise of a given strength means something else on each."""

import numpy as np


def pixel_scale(scale: str, x: np.ndarray, largest: float) -> tuple[np.ndarray, np.ndarray]:
    """Shift and factor of each channel, (c,) float32: a network sees (x - shift) * factor.

    x: samples (n, height, width, c). `standardised`: mean 0 and deviation 1 over the samples and places of x; a channel
    of one value is only shifted. `unit`: [0, 1], `largest` being the value that becomes 1. `pixels`: as they are.
    """
    channels = x.shape[-1]
    if scale == "standardised":
        flat = x.reshape(-1, channels)
        # channel by channel, or else numpy would lay out all of x in double precision
        mean, deviation = np.array(
            [(flat[:, c].mean(dtype=float), flat[:, c].std(dtype=float)) for c in range(channels)]
        ).T
        factor = 1 / np.where(deviation > 0, deviation, 1)
    else:
        mean, factor = np.zeros(channels), np.full(channels, 1 / largest if scale == "unit" else 1.0)
    return mean.astype(np.float32), factor.astype(np.float32)
