"""Divide a dataset among the teachers, the student's public pool and the test set."""

import argparse

import numpy as np

from lib.core.files import load_arrays, save_arrays
from lib.core.seeding import generator
from lib.data.samples import samples_of
from lib.data.split import split_official, split_samples, split_stream
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of samples")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--job", nargs="+", required=True, help="the job's own name: rule and wildcards")
    cli.add_json(parser, "--sizes", "numbers of private, public and test samples, and of teachers")
    parser.add_argument("--output", required=True, help="the .npz of indices to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write index arrays private, public, test, and teacher, the owner of each private sample; ranges for a stream."""
    arguments = parse_arguments(argv)
    sizes = arguments.sizes
    if "stream" in (arrays := load_arrays(arguments.data)):
        save_arrays(arguments.output, **split_stream(**sizes, repetition=int(arguments.job[-1])))
        return
    data = samples_of(arguments.data, arrays)
    rng = generator(arguments.seed, *arguments.job)
    if data.official_train is None:
        split = split_samples(len(data.y), **sizes, rng=rng)
    else:
        split = split_official(data.official_train, len(data.y), **sizes, rng=rng)
    save_arrays(arguments.output, **split, fingerprint=np.array(data.fingerprint))


if __name__ == "__main__":
    cli.run(main)
