"""Train the non-private baseline: the student's model on all private samples with their true labels."""

import argparse

from lib.core.seeding import integer_seed
from lib.data.pools import open_pool
from lib.models.classifiers import make_classifier
from lib.reporting.records import write_record
from lib.teachers.classification import accuracy
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of samples")
    parser.add_argument("--split", required=True, help="indices of split_data")
    cli.add_json(parser, "--model", "the model's block of the configuration")
    parser.add_argument("--output", required=True, help="the record to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the record with the baseline's accuracy in percent."""
    arguments = parse_arguments(argv)
    pool = open_pool(arguments.data, arguments.split)
    model = make_classifier(arguments.model, integer_seed(arguments.seed, *arguments.job))
    score = accuracy(model, *pool.private(), *pool.test())
    write_record(
        arguments.output,
        **cli.identity(arguments),
        fingerprint=pool.fingerprint,
        parameters=arguments.model,
        metrics={},
        private_metrics={"baseline_accuracy": score},
    )


if __name__ == "__main__":
    cli.run(main)
