"""What both jobs that train the student of a release share: their arguments, and what they keep."""

import argparse

from lib.release.loader import Student
from lib.release.student import Lessons, keep
from scripts import cli


def student_parser(description: str | None) -> argparse.ArgumentParser:
    """The arguments of a job that trains a student from a public part and released labels."""
    parser = cli.job_parser(description)
    parser.add_argument("--samples", required=True, help="public part of public_part")
    parser.add_argument("--labels", required=True, help="released labels of aggregate")
    parser.add_argument("--classes", type=int, required=True, help="number of classes")
    cli.add_json(parser, "--model", "the model's block of the configuration")
    parser.add_argument("--weights", required=True, help="the .safetensors to write")
    parser.add_argument("--record", required=True, help="the record to write")
    return parser


def keep_student(arguments: argparse.Namespace, student: Student, lessons: Lessons, **more: str) -> None:
    """Write the student's weights, and the record with its accuracy in percent, made of the job's arguments."""
    inputs = [arguments.samples, arguments.labels]
    written = (arguments.weights, arguments.record)
    keep(student, lessons, arguments.model, *written, inputs, **more, **cli.identity(arguments))
