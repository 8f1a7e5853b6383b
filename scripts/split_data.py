"""Divide a dataset among the teachers, the student's public pool and the test set."""

from pathlib import Path

import numpy as np

from lib.core.command import command, run
from lib.core.files import load_arrays, save_arrays
from lib.core.seeding import generator
from lib.data.samples import samples_of
from lib.data.split import split_official, split_samples, split_stream


@command
def main(data: Path, job: list[str], seed: int, sizes: dict, split: Path) -> None:
    """Write index arrays private, public, test, and teacher, the owner of each private sample; ranges for a stream.

    data: prepared dataset of samples. job: the job's own name: rule and wildcards. seed: seed of the preset. sizes:
    numbers of private, public and test samples, and of teachers. split: the .npz of indices to write.
    """
    if "stream" in (arrays := load_arrays(data)):
        save_arrays(split, **split_stream(**sizes, repetition=int(job[-1])))
        return
    samples = samples_of(data, arrays)
    rng = generator(seed, *job)
    if samples.official_train is None:
        indices = split_samples(len(samples.y), **sizes, rng=rng)
    else:
        indices = split_official(samples.official_train, len(samples.y), **sizes, rng=rng)
    save_arrays(split, **indices, fingerprint=np.array(samples.fingerprint))


if __name__ == "__main__":
    run(main)
