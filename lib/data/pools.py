"""Who gets which samples: the teachers' private parts, the student's public pool, the test set."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lib.core.files import load_arrays
from lib.data.samples import Samples, read_samples


@dataclass(frozen=True)
class ArrayPool:
    """Samples that fit in memory, divided by the index arrays of `lib.data.split`."""

    samples: Samples
    split: dict[str, np.ndarray]

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the dataset."""
        return self.samples.fingerprint

    def _take(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.samples.x[rows], self.samples.y[rows]

    def part(self, teacher: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the samples (n, ...) and labels (n,) of one teacher; no two teachers share any."""
        return self._take(self.split["private"][self.split["teacher"] == teacher])

    def private(self, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the first `most` private samples and labels, all where it is not given, for non-private baselines."""
        return self._take(self.split["private"][:most])

    def public(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the pool that queries come from; its labels serve to judge answers, never to train."""
        return self._take(self.split["public"])

    def test(self) -> tuple[np.ndarray, np.ndarray]:
        """Samples held out from teachers and student, with labels."""
        return self._take(self.split["test"])


def open_pool(data: str | Path, split: str | Path) -> ArrayPool:
    """Return the pool of a prepared dataset and its split."""
    return ArrayPool(read_samples(data), load_arrays(split))
