"""Train the student of a release, a network, from its public part and released labels alone, and keep its weights."""

import argparse
from pathlib import Path

from lib.code_inputs import digest
from lib.files import fingerprint
from lib.release.kinds import KINDS
from lib.release.loader import Student
from lib.release.student import keep, read_lessons
from lib.training.checkpoint import Checkpoint, state_key
from lib.training.device import choose_device
from lib.training.networks import train_student
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--samples", required=True, help="public part of public_part")
    parser.add_argument("--labels", required=True, help="released labels of aggregate")
    parser.add_argument("--classes", type=int, required=True, help="number of classes")
    cli.add_json(parser, "--model", "the model's block of the configuration")
    cli.add_training(parser)
    parser.add_argument("--weights", required=True, help="the .safetensors to write")
    parser.add_argument("--record", required=True, help="the record to write")
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
        keep(
            Student(KINDS[arguments.model["kind"]], arguments.classes, float(trained.white), trained.dense()),
            lessons,
            arguments.model,
            arguments.weights,
            arguments.record,
            [arguments.samples, arguments.labels],
            device=arguments.device,
            job=arguments.job,
            preset=arguments.preset,
            seed=arguments.seed,
            dataset=arguments.dataset,
        )
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
