"""Theorem 3 of residual perturbation: the Rademacher complexity of linear flows with and without multiplicative noise.

The classes (Section III-B). F: x -> w x(T)^p with dx = U x dt, over w of norm at most c and circulant U of spectral
norm at most c; no activations. G: x -> E[w x(T)^p] with dx = U x dt + gamma x dB, where B is *one* Brownian motion for
all coordinates, unlike eq. (8), whose noise is drawn for each: the theorem is about the former, and about the mean over
its noise, an ensemble of infinitely many. Powers are of each coordinate, 0 < p < 1, p a quotient of odd numbers, so
that x^p keeps the sign of x.

What holds. The noise multiplies x(T) by a positive number that depends on neither U nor x, of which the p-th power has
the mean exp(-p (1 - p) gamma^2 T / 2) (Lemma 6): R(G) is R(F) times that, for any set of matrices U. So R(G) < R(F)
wherever R(F) is positive. For p = 1 they are equal: what makes the theorem true is the power alone.

What does not. Section V-C takes the power of exp(UT) x for exp(UTp) x^p and so finds
R(F) = (c/N) exp(cTp) E|sum_i sigma_i x_i^p|. That holds for U = cI; another U may spread an image over coordinates,
which makes the norm of its powers larger, so that this is a lower bound.
"""

import math
from dataclasses import dataclass

import numpy as np

from lib.core.errors import InputError

START = 0.5  # first width of the search's moves, in units of the radius; the last one is a hundredth of it


def signed_power(values: np.ndarray, power: float) -> np.ndarray:
    """sgn(x) |x|^p of every number."""
    return np.copysign(np.abs(values) ** power, values)


def shrinkage(power: float, noise: float, time: float) -> float:
    """R(G) / R(F) = exp(-p (1 - p) gamma^2 T / 2), exact. Raises InputError for what the theorem excludes."""
    _check(power, time, 1.0)
    _check_noise(noise)
    return math.exp(-power * (1 - power) * noise**2 * time / 2)


def bounds(samples: np.ndarray, radius: float, power: float, time: float) -> tuple[float, float]:
    """Return a lower and an upper bound of R(F); samples (N, d), radius c.

    Lower: at U = cI, E|sum_i sigma_i v_i| is at least sqrt(sum_i |v_i|^2 / 2) (Khintchine's inequality with Kahane's
    and Latala and Oleszkiewicz's constant). Upper: the triangle inequality over samples, each of which U makes at most
    exp(cT) longer, and among vectors of a norm that with all coordinates equal has the longest p-th power.
    Raises InputError for what the theorem excludes.
    """
    _check(power, time, radius, samples)
    count, dimension = samples.shape
    scale = radius / count * math.exp(radius * time * power)
    lower = scale * math.sqrt(np.sum(np.abs(samples) ** (2 * power)) / 2)
    upper = scale * dimension ** ((1 - power) / 2) * np.sum(np.linalg.norm(samples, axis=1) ** power)
    return lower, float(upper)


@dataclass(frozen=True)
class Simulation:
    """Complexities found by simulation, each with the standard error of its Monte Carlo mean.

    paper: Section V-C's expression for F. plain: F, a lower bound as far as the search for U stops short. perturbed: G,
    on other signs. factor: the mean of the noise's power, of which `shrinkage` is the exact value.
    """

    paper: float
    paper_error: float
    plain: float
    plain_error: float
    perturbed: float
    perturbed_error: float
    factor: float
    factor_error: float


def simulate(
    samples: np.ndarray,
    radius: float,
    power: float,
    time: float,
    noise: float,
    draws: int,
    paths: int,
    moves: int,
    rng: np.random.Generator,
) -> Simulation:
    """Empirical Rademacher complexities of F and G on samples (N, d).

    draws: vectors of signs for either class, independent ones. paths: of the Brownian motion, for the mean in G. moves:
    of the search for each draw's best U, by its eigenvalues, from cI; the best w is known.
    Raises InputError for what the theorem excludes, and for fewer than two draws or paths.
    """
    _check(power, time, radius, samples)
    _check_noise(noise)
    if min(draws, paths) < 2 or moves < 0:
        raise InputError(f"{draws} draws, {paths} paths, {moves} moves: at least 2, 2 and 0")
    ends = noise * math.sqrt(time) * rng.standard_normal(paths) - noise**2 * time / 2
    factor, factor_error = _mean_and_error(np.exp(power * ends))
    found = [_suprema(samples, radius, power, time, draws, moves, rng) for _ in range(2)]
    paper, paper_error = _mean_and_error(found[0][0])
    plain, plain_error = _mean_and_error(found[0][1])
    other, other_error = _mean_and_error(found[1][1])
    perturbed_error = math.hypot(factor * other_error, other * factor_error)
    return Simulation(paper, paper_error, plain, plain_error, factor * other, perturbed_error, factor, factor_error)


def _suprema(
    samples: np.ndarray, radius: float, power: float, time: float, draws: int, moves: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """For each draw of signs, (c/N)|sum_i sigma_i (exp(UT) x_i)^p| at U = cI, and the largest found; both (draws,)."""
    count, dimension = samples.shape
    signs = rng.choice((-1.0, 1.0), (draws, count))
    spectra = np.fft.rfft(samples)
    # eigenvalues of a real circulant matrix come in conjugate pairs, and these have no partner
    alone = [0] + [dimension // 2] * (dimension % 2 == 0)

    def values(eigenvalues: np.ndarray) -> np.ndarray:
        moved = np.fft.irfft(np.exp(eigenvalues * time)[:, None, :] * spectra, dimension)
        return np.linalg.norm(np.einsum("dn,dnk->dk", signs, signed_power(moved, power)), axis=1)

    best = np.full((draws, spectra.shape[1]), radius, complex)
    first = most = values(best)
    for width in radius * np.geomspace(START, START / 100, moves):
        move = rng.standard_normal((2, *best.shape))
        tried = best + width * (move[0] + 1j * move[1])
        tried[:, alone] = tried[:, alone].real
        tried *= radius / np.maximum(np.abs(tried), radius)
        reached = values(tried)
        better = reached > most
        best[better], most = tried[better], np.where(better, reached, most)
    return radius / count * first, radius / count * most


def _mean_and_error(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def _check(power: float, time: float, radius: float, samples: np.ndarray | None = None) -> None:
    if not 0 < power < 1:
        raise InputError(f"power {power}: it must lie in (0, 1)")
    for what, value in (("time", time), ("radius", radius)):
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"{what} {value}: it must be positive and finite")
    if samples is not None and (samples.ndim != 2 or not samples.size or not np.isfinite(samples).all()):
        raise InputError(f"samples of shape {samples.shape}: a matrix of finite numbers, a row a sample")


def _check_noise(noise: float) -> None:
    if not (math.isfinite(noise) and noise >= 0):
        raise InputError(f"noise {noise}: it must be finite and at least 0")
