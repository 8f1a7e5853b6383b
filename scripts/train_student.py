"""Train a student on the labels that a mechanism released, and test it."""

import argparse

from lib.aggregation.confident import NO_ANSWER
from lib.data.pools import open_pool
from lib.files import load_arrays
from lib.models.classifiers import make_classifier
from lib.records import write_record
from lib.seeding import integer_seed
from lib.training.classification import accuracy
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of samples")
    parser.add_argument("--split", required=True, help="indices of split_data")
    parser.add_argument("--labels", required=True, help="released labels of aggregate")
    cli.add_json(parser, "--model", "the model's block of the configuration")
    parser.add_argument("--output", required=True, help="the record to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the record with the student's accuracy and that of its labels, in percent."""
    arguments = parse_arguments(argv)
    pool = open_pool(arguments.data, arguments.split)
    released = load_arrays(arguments.labels, "labels", "rows")
    answered = released["labels"] != NO_ANSWER
    labels, rows = released["labels"][answered], released["rows"][answered]
    public, truth = pool.public()
    model = make_classifier(arguments.model, integer_seed(arguments.seed, *arguments.job))
    write_record(
        arguments.output,
        job=arguments.job,
        preset=arguments.preset,
        seed=arguments.seed,
        dataset=arguments.dataset,
        fingerprint=pool.fingerprint,
        parameters=arguments.model,
        # the student saw public samples and released labels only, and is tested on samples that are nobody's
        metrics={
            "student_accuracy": accuracy(model, public[rows], labels, *pool.test()),
            "label_accuracy": 100 * float((labels == truth[rows]).mean()),
        },
    )


if __name__ == "__main__":
    cli.run(main)
