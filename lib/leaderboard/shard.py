"""A shard of worlds: a job works on one after the other, and goes on where it was stopped."""

import csv
import resource
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.command import Training, progress
from lib.core.files import atomic_path, fingerprint

Arrays = dict[str, np.ndarray]
CLOCKS = {"seconds": time.perf_counter, "processor_seconds": time.process_time}


def each_world(
    shard: range,
    work: Callable[[int], Arrays],
    write: Callable[[Arrays], None],
    read: Mapping[str, Mapping],
    training: Training,
    code: str,
    cost: Path,
) -> None:
    """Give `write` what `work` finds in every world of a shard, stacked (w, ...); the state is kept until then.

    read: the arrays of every file that the job reads; the state depends on all that they hold, since worlds that are
    drawn anew are others of the same dataset. code: digest of the job's code. cost: a CSV to write with what each world
    took, also before a job was stopped and went on: seconds by the clock and of the processor, and the most memory
    (MiB) that the process had up to then.
    """
    data = " ".join(f"{name} {fingerprint(**arrays)}" for name, arrays in sorted(read.items()))
    report = progress("worlds")
    with Checkpoint(training.checkpoint, state_key(training.settings, code, data), seconds=20) as checkpoint:
        found = {name: np.asarray(value) for name, value in (checkpoint.load() or {}).items()}
        done = len(next(iter(found.values()))) if found else 0
        for place, number in enumerate(shard[done:], done + 1):
            began = {name: clock() for name, clock in CLOCKS.items()}
            new = work(number)
            new |= {name: np.array(clock() - began[name]) for name, clock in CLOCKS.items()}
            new["memory_mib"] = np.array(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
            found = {
                name: np.concatenate([found[name], value[None]]) if name in found else value[None]
                for name, value in new.items()
            }
            if checkpoint.due():
                checkpoint.save(found)
            report(place, len(shard))
        checkpoint.save(found)
        taken = {name: found.pop(name) for name in (*CLOCKS, "memory_mib")}
        write(found)
        with atomic_path(cost) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["world", *taken])
            for number, *row in zip(shard, *taken.values(), strict=True):
                rows.writerow([number, *(f"{value:.4g}" for value in row)])
        checkpoint.remove()
