"""Train a shard of teachers that are networks, many at once, and let them label the public pool."""

import argparse
from pathlib import Path

import numpy as np

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.files import fingerprint, load_arrays, save_arrays
from lib.data.glyph_pool import open_any_pool
from lib.students.networks import teacher_network, teacher_recipe
from lib.teachers.replicas import replica_labels
from lib.training.device import choose_device
from scripts import cli


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of samples")
    parser.add_argument("--split", required=True, help="split of split_data")
    cli.add_json(parser, "--model", "the model's block of the configuration")
    parser.add_argument("--classes", type=int, required=True, help="number of classes")
    parser.add_argument("--teachers", type=int, nargs=2, required=True, help="the first, and the one after the last")
    parser.add_argument("--seed", type=int, required=True, help="seed of the preset")
    parser.add_argument("--job", nargs="+", required=True, help="the job's own name: rule and wildcards")
    cli.add_training(parser)
    parser.add_argument("--output", required=True, help="the .npz of teacher labels to write")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Write `teacher_labels` (query, teacher) and the `labels` that the queries carry."""
    arguments = parse_arguments(argv)
    pool = open_any_pool(arguments.data, arguments.split)
    asked, truth = pool.public()
    device = choose_device(arguments.device, arguments.threads)
    key = state_key(
        vars(arguments) | {"checkpoint": None, "output": None, "division": fingerprint(**load_arrays(arguments.split))},
        digest(f"scripts/{Path(__file__).name}"),
        pool.fingerprint,
    )
    with Checkpoint(arguments.checkpoint, key) as checkpoint:
        labels = replica_labels(
            teacher_network(arguments.model, asked.shape[1:], arguments.classes),
            pool.part,
            range(*arguments.teachers),
            asked,
            teacher_recipe(arguments.model),
            arguments.seed,
            tuple(arguments.job),
            device,
            arguments.model["together"],
            checkpoint,
            cli.progress("teachers trained"),
        )
        save_arrays(arguments.output, teacher_labels=labels, labels=truth, fingerprint=np.array(pool.fingerprint))
        checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
