"""Train the student of a release from its public part and released labels alone, and keep its weights."""

import argparse

import numpy as np

from lib.errors import InputError
from lib.models.classifiers import make_classifier
from lib.release.kinds import KINDS
from lib.release.loader import Student
from lib.release.student import keep, read_lessons
from lib.release.weights import classifier_weights
from lib.seeding import integer_seed
from lib.training.classification import features
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--samples", required=True, help="public part of public_part")
    parser.add_argument("--labels", required=True, help="released labels of aggregate")
    parser.add_argument("--classes", type=int, required=True, help="number of classes")
    cli.add_json(parser, "--model", "the model's block of the configuration")
    parser.add_argument("--weights", required=True, help="the .safetensors to write")
    parser.add_argument("--record", required=True, help="the record to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the weights, and the record with the accuracy in percent."""
    arguments = parse_arguments(argv)
    lessons = read_lessons(arguments.samples, arguments.labels)
    if len(np.unique(lessons.y)) < 2:
        raise InputError(f"{arguments.labels}: {len(lessons.y)} answers of one class; a student needs at least two")
    # keyed as the student of the tables is: it is the same one
    seed = integer_seed(arguments.seed, "train_student", *arguments.job[1:])
    model = make_classifier(arguments.model, seed).fit(features(lessons.x), lessons.y)
    keep(
        Student(KINDS[arguments.model["kind"]], arguments.classes, 1.0, classifier_weights(model)),
        lessons,
        arguments.model,
        arguments.weights,
        arguments.record,
        [arguments.samples, arguments.labels],
        job=arguments.job,
        preset=arguments.preset,
        seed=arguments.seed,
        dataset=arguments.dataset,
    )


if __name__ == "__main__":
    cli.run(main)
