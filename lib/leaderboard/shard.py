"""A shard of worlds: a job works on one after the other, and goes on where it was stopped."""

from collections.abc import Callable, Mapping

import numpy as np

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.command import Training, progress
from lib.core.files import fingerprint

Arrays = dict[str, np.ndarray]


def each_world(
    shard: range, work: Callable[[int], Arrays], read: Mapping[str, Mapping], training: Training, code: str
) -> Arrays:
    """What `work` finds in every world of a shard, stacked (w, ...).

    read: the arrays of every file that the job reads; the state depends on all that they hold, since worlds that are
    drawn anew are others of the same dataset. code: digest of the job's code.
    """
    data = " ".join(f"{name} {fingerprint(**arrays)}" for name, arrays in sorted(read.items()))
    report = progress("worlds")
    with Checkpoint(training.checkpoint, state_key(training.settings, code, data), seconds=20) as checkpoint:
        found = checkpoint.load() or {}
        done = len(next(iter(found.values()))) if found else 0
        for place, number in enumerate(shard[done:], done + 1):
            new = work(number)
            found = {
                name: np.concatenate([found[name], value[None]]) if name in found else value[None]
                for name, value in new.items()
            }
            if checkpoint.due():
                checkpoint.save(found)
            report(place, len(shard))
        checkpoint.remove()
    return found
