"""Train an ensemble of teachers on disjoint private parts and let them label the public pool."""

import argparse

import numpy as np

from lib.data.samples import read_samples
from lib.files import load_arrays, save_arrays
from lib.models.classifiers import make_classifier
from lib.seeding import integer_seed
from lib.training.classification import teacher_labels
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of samples")
    parser.add_argument("--split", required=True, help="indices of split_data")
    parser.add_argument("--model", required=True, help="name of the classifier")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--job", nargs="+", required=True, help="the job's own name: rule and wildcards")
    parser.add_argument("--output", required=True, help="the .npz of teacher labels to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write `teacher_labels` (query, teacher) and the true `labels` of the queries."""
    arguments = parse_arguments(argv)
    data = read_samples(arguments.data)
    split = load_arrays(arguments.split, "private", "public", "teacher")
    private, public = split["private"], split["public"]
    labels = teacher_labels(
        data.x[private],
        data.y[private],
        split["teacher"],
        data.x[public],
        lambda t: make_classifier(arguments.model, integer_seed(arguments.seed, *arguments.job, f"teacher {t}")),
        cli.progress("teachers trained"),
    )
    save_arrays(
        arguments.output,
        teacher_labels=labels.astype("uint8"),
        labels=data.y[public],
        fingerprint=np.array(data.fingerprint),
    )


if __name__ == "__main__":
    cli.run(main)
