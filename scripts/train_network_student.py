"""Train a student that is a network on released labels and unlabelled public samples, and test it."""

import argparse
from pathlib import Path

import numpy as np

from lib.aggregation.confident import NO_ANSWER
from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.files import fingerprint, load_arrays, save_arrays
from lib.data.glyph_pool import open_any_pool
from lib.reporting.records import write_record
from lib.students.networks import train_student
from lib.training.device import choose_device
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of samples")
    parser.add_argument("--split", required=True, help="split of split_data")
    parser.add_argument("--labels", nargs="*", default=[], help="released labels of aggregate, one a round")
    parser.add_argument("--private", type=int, help="train on this many private samples instead: a baseline")
    cli.add_noiseless(parser)
    cli.add_json(parser, "--model", "the model's block of the configuration")
    parser.add_argument("--classes", type=int, required=True, help="number of classes")
    cli.add_training(parser)
    parser.add_argument("--scores", help="the .npz of its probabilities on the public pool to write")
    parser.add_argument("--output", required=True, help="the record to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write the record with the accuracy in percent, and the probabilities on the public pool."""
    arguments = parse_arguments(argv)
    pool = open_any_pool(arguments.data, arguments.split)
    public, truth = pool.public()
    private, metrics = {}, {}
    if arguments.private:
        x, y = (part[: arguments.private] for part in pool.private())
    else:
        released = [load_arrays(path, "labels", "rows") for path in arguments.labels]
        y, rows = (np.concatenate([part[name] for part in released]) for name in ("labels", "rows"))
        y, rows = y[y != NO_ANSWER], rows[y != NO_ANSWER]
        x = public[rows]
        metrics["label_accuracy"] = 100 * float((y == truth[rows]).mean())
    key = state_key(
        vars(arguments)
        | {
            "checkpoint": None,
            "output": None,
            "scores": None,
            "given": fingerprint(x=x, y=y),
            "division": fingerprint(**load_arrays(arguments.split)),
        },
        digest(f"scripts/{Path(__file__).name}"),
        pool.fingerprint,
    )
    device = choose_device(arguments.device, arguments.threads)
    with Checkpoint(arguments.checkpoint, key) as checkpoint:
        student = train_student(
            arguments.model,
            x,
            y,
            public,
            arguments.classes,
            arguments.seed,
            tuple(arguments.job),
            device,
            checkpoint,
            cli.progress_with_loss("steps"),
        )
        accuracy = student.accuracy(*pool.test())
        if arguments.scores:
            save_arrays(arguments.scores, probabilities=student.predict_probabilities(public))
        if arguments.private:
            private["baseline_accuracy"] = accuracy
        else:
            metrics["student_accuracy"] = accuracy
        if arguments.noiseless:
            private, metrics = metrics, {}
        write_record(
            arguments.output,
            **cli.identity(arguments),
            fingerprint=pool.fingerprint,
            parameters=arguments.model,
            device=arguments.device,
            metrics=metrics,
            private_metrics=private,
        )
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
