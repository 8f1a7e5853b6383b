"""How well masks survive encoding, noise and decoding (Fay et al. 2022, Figures 1 and 2)."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import expit, logit, softmax

from lib.core.errors import InputError
from lib.core.seeding import generator
from lib.encoders.encoder import Encoder

CERTAIN = 1e-6  # probabilities are clipped to [CERTAIN, 1 - CERTAIN] before their logarithm is taken
LEAST_SPREAD = 1e-3  # of codes in the unit ball; an encoder with less has collapsed

Reconstruction = Callable[[np.ndarray, float, np.random.Generator], np.ndarray]


def noisy_reconstruction(encoder: Encoder, y: np.ndarray, sigma: float, rng: np.random.Generator) -> np.ndarray:
    """Decode the latent codes of masks y plus N(0, sigma^2) in each number: (n, C, X, Y, Z)."""
    z = encoder.encode(y)
    if sigma:
        z = z + np.float32(sigma) * rng.standard_normal(z.shape, dtype=np.float32)
    return encoder.decode(z)


def spread_of_codes(z: np.ndarray) -> float:
    """How far codes z (n, L) are from their mean: the root of their variances' sum."""
    return float(np.sqrt(np.square(z - z.mean(axis=0, dtype=np.float64)).sum(axis=1).mean()))


def checked_spread(z: np.ndarray) -> float:
    """Return the spread of codes z (n, L) of masks that an encoder was fitted to.

    Raises InputError where codes of two or more masks hardly differ: the encoder has collapsed and says nothing.
    """
    spread = spread_of_codes(z)
    if len(z) > 1 and not spread >= LEAST_SPREAD:
        raise InputError(
            f"spread_of_codes {spread:.3g} of {len(z)} fitted masks: below {LEAST_SPREAD:g} an autoencoder has "
            "collapsed; take another learning rate, or more epochs"
        )
    return spread


def posterior_reconstruction(
    prevalence: np.ndarray, y: np.ndarray, sigma: float, rng: np.random.Generator
) -> np.ndarray:
    """Return the posterior mean of y (n, C, X, Y, Z) given y + N(0, sigma^2): voxel by voxel, at best.

    A hard mask's voxel is drawn from prevalence (C,): the share of tumour (C = 1), or of each class, its vector one of
    the unit vectors. For C = 1 the posterior is sigmoid(logit(prevalence) + (2 x - 1) / (2 sigma^2)), else the
    softmax of log(prevalence) + x / sigma^2. sigma 0 gives y. Raises InputError for a prevalence out of (0, 1).
    """
    prevalence = np.asarray(prevalence, np.float64)
    if prevalence.shape != y.shape[1:2] or not ((prevalence > 0) & (prevalence < 1)).all():
        raise InputError(f"prevalence {prevalence}: allowed are {y.shape[1]} shares above 0 and below 1")
    if not sigma:
        return y.astype(np.float32)
    masks = np.empty(y.shape, np.float32)
    for place, mask in enumerate(y):  # one by one: a volume may be large
        noisy = mask + sigma * rng.standard_normal(mask.shape, dtype=np.float32)
        if len(prevalence) == 1:
            masks[place] = expit(logit(prevalence[0]) + (2 * noisy - 1) / (2 * sigma**2))
        else:
            masks[place] = softmax(np.log(prevalence)[:, None, None, None] + noisy / sigma**2, axis=0)
    return masks


def cross_entropy(y: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Mean cross-entropy (n,) in nats over the voxels of each mask, of y and `found` (n, C, X, Y, Z) in [0, 1].

    Binary for C = 1, else over the C classes. Probabilities found are clipped to [1e-6, 1 - 1e-6].
    """
    values = []
    for true, guess in zip(y, found, strict=True):
        guess = np.clip(guess.astype(np.float64), CERTAIN, 1 - CERTAIN)
        loss = true * np.log(guess)
        if len(true) == 1:
            loss += (1 - true) * np.log1p(-guess)
        values.append(-loss.sum(axis=0).mean())
    return np.array(values)


def mean_squared_error(y: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Mean squared difference (n,) over the C X Y Z numbers of each mask, of y and `found` (n, C, X, Y, Z)."""
    pairs = zip(y, found, strict=True)
    return np.array([np.square(true.astype(np.float64) - guess).mean() for true, guess in pairs])


def errors_over_noise(
    reconstruction: Reconstruction, y: np.ndarray, sigmas: Sequence[float], seed: int, job: tuple[str, ...]
) -> dict[str, np.ndarray]:
    """Errors of masks y (n, C, X, Y, Z) for each sigma: `cross_entropy` and `mean_squared_error`, (len(sigmas), n).

    reconstruction(y, sigma, rng): say a `noisy_reconstruction` of some encoder. Noise is keyed by (seed, job, sigma).
    """
    errors = {measure: np.empty((len(sigmas), len(y))) for measure in (cross_entropy, mean_squared_error)}
    for row, sigma in enumerate(sigmas):
        rng = generator(seed, *job, f"sigma {float(sigma)!r}")
        for place in range(len(y)):  # volume after volume: only one is held with its reconstruction
            true = y[place : place + 1]
            found = reconstruction(true, float(sigma), rng)
            for measure, values in errors.items():
                values[row, place] = measure(true, found)[0]
    return {measure.__name__: values for measure, values in errors.items()}
