"""Train the student of a release, a network, from its public part and released labels alone, and keep its weights."""

import argparse
from pathlib import Path

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.files import fingerprint
from lib.release.kinds import KINDS
from lib.release.loader import Student
from lib.release.student import read_lessons
from lib.students.networks import train_student
from lib.training.device import choose_device
from scripts import cli
from scripts.release_job import keep_student, student_parser


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = student_parser(__doc__)
    cli.add_training(parser)
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the weights, and the record with the accuracy in percent."""
    arguments = parse_arguments(argv)
    lessons = read_lessons(arguments.samples, arguments.labels)
    key = state_key(
        vars(arguments)
        | {"checkpoint": None, "weights": None, "record": None, "given": fingerprint(x=lessons.x, y=lessons.y)},
        digest(f"scripts/{Path(__file__).name}"),
        lessons.fingerprint,
    )
    device = choose_device(arguments.device, arguments.threads)
    with Checkpoint(arguments.checkpoint, key) as checkpoint:
        trained = train_student(
            arguments.model,
            lessons.x,
            lessons.y,
            lessons.public,
            arguments.classes,
            arguments.seed,
            # keyed as the student of the tables is: it is the same one
            ("train_student", *arguments.job[1:]),
            device,
            checkpoint,
            cli.progress_with_loss("steps"),
        )
        student = Student(KINDS[arguments.model["kind"]], arguments.classes, float(trained.white), trained.dense())
        keep_student(arguments, student, lessons, device=arguments.device)
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
