"""Train a student on the labels that a mechanism released, and test it."""

import argparse

import numpy as np

from lib.aggregation.confident import NO_ANSWER
from lib.core.files import load_arrays, save_arrays
from lib.core.seeding import integer_seed
from lib.data.pools import open_pool
from lib.models.classifiers import make_classifier
from lib.reporting.records import write_record
from lib.teachers.classification import accuracy, probabilities
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of samples")
    parser.add_argument("--split", required=True, help="indices of split_data")
    parser.add_argument("--labels", nargs="+", required=True, help="released labels of aggregate, one a round")
    cli.add_noiseless(parser)
    parser.add_argument("--classes", type=int, required=True, help="number of classes")
    cli.add_json(parser, "--model", "the model's block of the configuration")
    parser.add_argument("--scores", required=True, help="the .npz of its probabilities on the public pool to write")
    parser.add_argument("--output", required=True, help="the record to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the record with the student's accuracy and that of its labels, in percent."""
    arguments = parse_arguments(argv)
    pool = open_pool(arguments.data, arguments.split)
    released = [load_arrays(path, "labels", "rows") for path in arguments.labels]
    labels, rows = (np.concatenate([part[name] for part in released]) for name in ("labels", "rows"))
    labels, rows = labels[labels != NO_ANSWER], rows[labels != NO_ANSWER]
    public, truth = pool.public()
    model = make_classifier(arguments.model, integer_seed(arguments.seed, *arguments.job))
    score = accuracy(model, public[rows], labels, *pool.test())
    save_arrays(arguments.scores, probabilities=probabilities(model, public, arguments.classes))
    # a student saw public samples and released labels only, and is tested on samples that are nobody's
    found = {"student_accuracy": score, "label_accuracy": 100 * float((labels == truth[rows]).mean())}
    write_record(
        arguments.output,
        **cli.identity(arguments),
        fingerprint=pool.fingerprint,
        parameters=arguments.model,
        metrics={} if arguments.noiseless else found,
        private_metrics=found if arguments.noiseless else {},
    )


if __name__ == "__main__":
    cli.run(main)
