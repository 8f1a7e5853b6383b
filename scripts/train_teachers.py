"""Train a shard of teachers, each on its own private part, and let them label the public pool."""

import argparse

import numpy as np

from lib.core.files import save_arrays
from lib.core.seeding import integer_seed
from lib.data.pools import open_pool
from lib.models.classifiers import make_classifier
from lib.teachers.classification import teacher_labels
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of samples")
    parser.add_argument("--split", required=True, help="indices of split_data")
    cli.add_json(parser, "--model", "the model's block of the configuration")
    parser.add_argument(
        "--teachers", type=int, nargs=2, required=True, help="first teacher, and the one after the last"
    )
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--job", nargs="+", required=True, help="the job's own name: rule and wildcards")
    parser.add_argument("--output", required=True, help="the .npz of teacher labels to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write `teacher_labels` (query, teacher) and the true `labels` of the queries."""
    arguments = parse_arguments(argv)
    pool = open_pool(arguments.data, arguments.split)
    asked, truth = pool.public()
    labels = teacher_labels(
        pool.part,
        range(*arguments.teachers),
        asked,
        lambda t: make_classifier(arguments.model, integer_seed(arguments.seed, *arguments.job, f"teacher {t}")),
        cli.progress("teachers trained"),
    )
    save_arrays(
        arguments.output,
        teacher_labels=labels.astype("uint8"),
        labels=truth,
        fingerprint=np.array(pool.fingerprint),
    )


if __name__ == "__main__":
    cli.run(main)
