"""Generalised PATE: the noisy mean of teachers' codes (Fay et al. 2020, Algorithm 2; Fay et al. 2022, Algorithm 1).

What it costs is in `pate_accountant.encoded_mean`, which must be given the same queries, teachers, radius and sigma.
Every release needs a stream of its own: answers to one query with the same noise at two sigmas give the mean away.
"""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from lib.core.errors import InputError
from lib.encoders.bound import checked_code


def noisy_mean(codes: np.ndarray, radius: float, sigma: float | None, rng: np.random.Generator) -> np.ndarray:
    """Answers (N, L) float32 to N queries from the codes (N, K, L) of K teachers; one query's (K, L) gives (L,).

    Each is the mean over teachers, taken in float64, with independent N(0, sigma^2) on each number. radius: bound on
    the norm of a code, that is on all numbers of one teacher and query together. sigma None: no noise, for comparison;
    what comes of it is not private. Raises InputError for a code that is not finite or beyond its radius, and for what
    does not fit.
    """
    codes = np.asarray(codes)
    if codes.ndim == 2:
        return noisy_mean(codes[None], radius, sigma, rng)[0]
    if codes.ndim != 3 or 0 in codes.shape:
        raise InputError(f"codes of shape {codes.shape}: (queries, teachers, numbers), at least 1 each")
    queries, teachers, numbers = codes.shape
    answers = np.empty((queries, numbers), np.float32)
    for query, answer in enumerate(noisy_means(codes, queries, teachers, radius, sigma, rng)):
        answers[query] = answer
    return answers


def noisy_means(
    codes: Iterable[np.ndarray],
    queries: int,
    teachers: int,
    radius: float,
    sigma: float | None,
    rng: np.random.Generator,
) -> Iterator[np.ndarray]:
    """Return the answers of `noisy_mean`, (L,) float32, one at a time from codes (K, L) that come one at a time.

    queries, teachers: what is accounted for. A query beyond them, or with codes of another number of teachers, raises
    InputError before anything of it is answered; so does what `noisy_mean` raises it for.
    """
    for what, count in (("queries", queries), ("teachers", teachers)):
        if count < 1:
            raise InputError(f"{what} {count}: there must be at least 1")
    if not (math.isfinite(radius) and radius > 0):
        raise InputError(f"radius {radius}: it must be positive and finite")
    if sigma is not None and not (math.isfinite(sigma) and sigma > 0):
        raise InputError(f"sigma {sigma}: it must be positive and finite, or None for no noise, which is not private")
    for query, code in enumerate(codes):
        if query == queries:
            raise InputError(f"query {query + 1}: only {queries} are accounted for")
        code = np.asarray(code)
        if code.ndim != 2 or len(code) != teachers or code.shape[1] == 0:
            raise InputError(f"query {query + 1}: codes of shape {code.shape}, not ({teachers} teachers, numbers)")
        answer = checked_code(code, radius).mean(axis=0, dtype=np.float64)
        if sigma is not None:
            answer += rng.normal(0.0, sigma, answer.shape)
        yield answer.astype(np.float32)


def noise_norm(sigma: float, latent_dim: int) -> float:
    """Root mean square norm of the noise on one answer, sigma sqrt(L); the answer itself is within the radius."""
    return sigma * math.sqrt(latent_dim)


def capacity(sigma: float, latent_dim: int, radius: float) -> float:
    """Bits that one answer can carry at most, l/2 log2(1 + radius^2 / (l sigma^2)), whatever it is decoded with.

    The capacity of l Gaussian channels that share a power of radius^2 (Shannon 1949). It rises with l, and stays below
    radius^2 / (2 ln 2 sigma^2).
    """
    return latent_dim / 2 * math.log2(1 + radius**2 / (latent_dim * sigma**2))


def signal_to_noise(sigma: float, latent_dim: int, radius: float) -> float:
    """Mean squared norm of a code uniform in its ball over that of the noise, radius^2 / ((L + 2) sigma^2).

    It is what teachers who all agree leave; the mean of differing codes is shorter.
    """
    return radius**2 / ((latent_dim + 2) * sigma**2)
