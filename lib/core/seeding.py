"""Every random draw starts here: a stream of its own for each job, keyed by the job's name."""

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from lib.core.errors import InputError


def seed_sequence(seed: int, *job: str) -> np.random.SeedSequence:
    """Return the seed sequence of one job.

    `seed` is the preset's seed and `job` the job's own name (rule, wildcards, role of the draw). The name is
    hashed into the spawn key, so that adding a job changes no other job's numbers. Raises InputError for a negative
    seed.
    """
    if seed < 0:
        raise InputError(f"seed = {seed}: allowed is a whole number of at least 0")
    digest = hashlib.sha256("\0".join(job).encode()).digest()
    key = tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 32, 4))
    return np.random.SeedSequence(entropy=seed, spawn_key=key)


def generator(seed: int, *job: str) -> np.random.Generator:
    """Return a numpy generator for one job (see `seed_sequence`)."""
    return np.random.default_rng(seed_sequence(seed, *job))


def integer_seed(seed: int, *job: str) -> int:
    """Return a 32-bit seed for libraries that take an integer (see `seed_sequence`)."""
    return int(seed_sequence(seed, *job).generate_state(1)[0])


@dataclass(frozen=True)
class Draws:
    """The key of all random draws of a job.

    seed: seed of the preset. job: the job's own name.
    """

    seed: int
    job: tuple[str, ...]

    def of(self, *words: str) -> Self:
        """Return the draws of a part of the job, whose name has these words more."""
        return replace(self, job=(*self.job, *words))

    def generator(self, *role: str) -> np.random.Generator:
        """Return a numpy generator for one role (see `seed_sequence`)."""
        return generator(self.seed, *self.job, *role)

    def integer_seed(self, *role: str) -> int:
        """Return a 32-bit seed for one role (see `seed_sequence`)."""
        return integer_seed(self.seed, *self.job, *role)


def noise_generator(noise_seed: int | None, *job: str) -> np.random.Generator:
    """Return a generator for a job's privacy noise: keyed as `generator` is, or started from the system's entropy.

    noise_seed: an integer, for reproduction: whoever knows it can subtract the noise, so nothing drawn with it is
    private. None: entropy of the operating system, another one at every call.
    """
    return np.random.default_rng() if noise_seed is None else generator(noise_seed, *job)


def noise_bits(noise_seed: int | None, *job: str) -> Callable[[int], int]:
    """Return a source of random bits: bits(k) is an integer uniform in [0, 2^k).

    With None every bit is the operating system's own, not those of a generator that it started.
    """
    if noise_seed is None:
        return secrets.randbits
    rng = generator(noise_seed, *job)
    return lambda count: int.from_bytes(rng.bytes((count + 7) // 8), "little") >> (-count % 8)
