"""Where the files of a preset lie, relative to the working folder, and what a record says of its job."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Layout:
    """Places below results/{preset}. `private` holds private data and what is made of them before a mechanism."""

    preset: str

    @property
    def results(self) -> str:
        """All of the preset."""
        return f"results/{self.preset}"

    @property
    def private(self) -> str:
        """Private data and files derived from them."""
        return f"{self.results}/private"

    def of(self, paper: str) -> str:
        """Return the folder of a paper, or of another room of results."""
        return f"{self.results}/{paper}"

    def data(self, dataset: str) -> str:
        """Return the prepared samples of a dataset."""
        return f"{self.private}/data/{dataset}.npz"

    def log(self, *job: str) -> str:
        """Return the log of a job; wildcards may be left in."""
        return f"{self.results}/logs/{'/'.join(job)}.log"

    def benchmark(self, *job: str) -> str:
        """Return the measured cost of a job."""
        return f"{self.results}/benchmarks/{'/'.join(job)}.tsv"

    def checkpoint(self, *job: str) -> str:
        """Return the state of half-done work; no output of a job, so that it survives a failure."""
        return f"{self.results}/checkpoints/{'/'.join(job)}.npz"


def of_job(config: Mapping[str, Any], *words: str, dataset: str) -> dict[str, Any]:
    """Return the entries of a record on the job that writes it; the words key its draws."""
    return {"job": list(words), "preset": config["preset"], "seed": config["seed"], "dataset": dataset}
