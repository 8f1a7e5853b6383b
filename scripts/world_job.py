"""What the scripts share that work on some worlds of the leaderboard, one after the other."""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.files import fingerprint
from scripts import cli

_FILES = ("worlds", "public", "votes", "checkpoint", "predictions", "output")  # paths among the arguments

Arrays = dict[str, np.ndarray]


def add_worlds(parser: argparse.ArgumentParser) -> None:
    """The arguments of such jobs."""
    parser.add_argument("--worlds", required=True, help="the private records of every world, .npz")
    parser.add_argument("--public", required=True, help="what is public in all worlds, .npz")
    parser.add_argument("--range", type=int, nargs=2, required=True, help="the first world, and the one after the last")
    cli.add_training(parser)


def each_world(
    arguments: argparse.Namespace, script: str, read: Mapping[str, Mapping], work: Callable[[int], Arrays]
) -> Arrays:
    """What `work` finds in every world of the range, stacked (w, ...); goes on where it was stopped.

    script: the job's file. read: the arrays of every file that the job reads; the state depends on all that they hold,
    since worlds that are drawn anew are others of the same dataset.
    """
    numbers = range(*arguments.range)
    settings = {name: value for name, value in vars(arguments).items() if name not in _FILES}
    data = " ".join(f"{name} {fingerprint(**arrays)}" for name, arrays in sorted(read.items()))
    key = state_key(settings, digest(f"scripts/{Path(script).name}"), data)
    report = cli.progress("worlds")
    with Checkpoint(arguments.checkpoint, key, seconds=20) as checkpoint:
        found = checkpoint.load() or {}
        done = len(next(iter(found.values()))) if found else 0
        for place, number in enumerate(numbers[done:], done + 1):
            new = work(number)
            found = {
                name: np.concatenate([found[name], value[None]]) if name in found else value[None]
                for name, value in new.items()
            }
            if checkpoint.due():
                checkpoint.save(found)
            report(place, len(numbers))
        checkpoint.remove()
    return found
