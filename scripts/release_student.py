"""Train the student of a release from its public part and released labels alone, and keep its weights."""

import argparse

import numpy as np

from lib.core.errors import InputError
from lib.core.seeding import integer_seed
from lib.models.classifiers import make_classifier
from lib.release.kinds import KINDS
from lib.release.loader import Student
from lib.release.student import read_lessons
from lib.release.weights import classifier_weights
from lib.teachers.classification import features
from scripts import cli
from scripts.release_job import keep_student, student_parser


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    return student_parser(__doc__).parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the weights, and the record with the accuracy in percent."""
    arguments = parse_arguments(argv)
    lessons = read_lessons(arguments.samples, arguments.labels)
    if len(np.unique(lessons.y)) < 2:
        raise InputError(f"{arguments.labels}: {len(lessons.y)} answers of one class; a student needs at least two")
    # keyed as the student of the tables is: it is the same one
    seed = integer_seed(arguments.seed, "train_student", *arguments.job[1:])
    model = make_classifier(arguments.model, seed).fit(features(lessons.x), lessons.y)
    student = Student(KINDS[arguments.model["kind"]], arguments.classes, 1.0, classifier_weights(model))
    keep_student(arguments, student, lessons)


if __name__ == "__main__":
    cli.run(main)
