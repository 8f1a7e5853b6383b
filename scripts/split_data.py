"""Divide a dataset among the teachers, the student's public pool and the test set."""

import argparse

import numpy as np

from lib.data.split import split_samples
from lib.files import load_arrays, save_arrays
from lib.seeding import generator
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset with arrays x and y")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--job", nargs="+", required=True, help="the job's own name: rule and wildcards")
    cli.add_json(parser, "--ensemble", "the ensemble's block of the configuration")
    parser.add_argument("--output", required=True, help="the .npz of indices to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write index arrays private, public, test, and teacher, the owner of each private sample."""
    arguments = parse_arguments(argv)
    data = load_arrays(arguments.data, "x", "y", "fingerprint")
    sizes = {name: arguments.ensemble[name] for name in ("private", "public", "test", "teachers")}
    split = split_samples(len(data["x"]), **sizes, rng=generator(arguments.seed, *arguments.job))
    save_arrays(arguments.output, **split, fingerprint=np.array(data["fingerprint"]))


if __name__ == "__main__":
    cli.run(main)
