"""Poisson batches, as the accounting assumes: every record is in a batch with the same chance, on its own."""

import numpy as np


def poisson_batch(rng: np.random.Generator, samples: int, rate: float) -> np.ndarray:
    """Rows of one batch, int64, each of `samples` with probability `rate`; it may be empty.

    How many there are is binomial, and which ones is uniform given their number: the same law, in less time.
    """
    return rng.choice(samples, rng.binomial(samples, rate), replace=False, shuffle=False)


def padded(batches: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Batches of R runs side by side: rows (R, b) int64, padded with 0 to the largest, and which of them count.

    The latter is float32, 1 or 0. b is at least 1.
    """
    width = max(1, *map(len, batches))
    rows, present = np.zeros((len(batches), width), np.int64), np.zeros((len(batches), width), np.float32)
    for i, batch in enumerate(batches):
        rows[i, : len(batch)], present[i, : len(batch)] = batch, 1
    return rows, present
