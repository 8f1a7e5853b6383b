"""Train ResNet8 for an audit, some of its runs: what each network says of the canary, or of the canaries of slots."""

from pathlib import Path

import numpy as np
import torch

from lib.attacks.canary import KINDS, draw_slots, neighbours
from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.command import Job, Training, command, progress, run
from lib.core.files import save_arrays
from lib.core.seeding import generator
from lib.data.samples import read_samples
from lib.residual_perturbation.audited import Audited, audited, canary_statistics, slot_differences
from lib.training.device import choose_device

Found = dict[str, np.ndarray]


def of_both_kinds(
    x: np.ndarray,
    y: np.ndarray,
    how: Audited,
    task: dict,
    runs: list[int],
    job: Job,
    device: torch.device,
    checkpoint: Checkpoint,
) -> Found:
    """A statistic of each run with the canary and without it, by kind; kept after every few runs."""
    words = job.job
    # keyed without the mechanism: all are audited on the same images and canary
    pair = neighbours(x, y, task["samples"], task["classes"], job.seed, words[:-1])
    first, last = runs
    report, total = progress("runs"), len(KINDS) * (last - first)
    saved = checkpoint.load() or {}
    found = {kind: np.asarray(saved.get(kind, np.zeros(0))) for kind in KINDS}
    for kind, with_canary in KINDS.items():
        while (done := first + len(found[kind])) < last:
            some = range(done, min(done + task["together"], last))
            new = canary_statistics(how, pair, with_canary, some, job.seed, words, device)
            found[kind] = np.concatenate([found[kind], new])
            checkpoint.save(found)
            report(sum(map(len, found.values())), total)
    return found


def of_slots(
    x: np.ndarray,
    y: np.ndarray,
    how: Audited,
    task: dict,
    runs: list[int],
    job: Job,
    device: torch.device,
    checkpoint: Checkpoint,
) -> Found:
    """The differences and coins of one run's slots, and how well it fits its other images; kept after every epoch."""
    words, (number, _) = job.job, runs
    # keyed without the mechanism, as the coins are
    slots = draw_slots(x, y, task["samples"], task["canaries"], task["classes"], job.seed, words[:-1])
    second = generator(job.seed, *words[:-1], f"coins {number}").random(slots.canaries) < 0.5
    report = progress("epochs")
    differences, accuracy = slot_differences(
        how, slots, second, number, task["draws"], job.seed, words, device, checkpoint, report
    )
    return {"differences": differences[None], "second": second[None], "train_accuracy": np.array([accuracy])}


@command
def main(
    data: Path, mechanism: str, task: dict, runs: list[int], job: Job, training: Training, statistics: Path
) -> None:
    """Write the statistic of every run with a canary and without it; or of one run, those of its slots.

    data: prepared dataset of images. mechanism: how networks are trained: strategy1, plain or dp_sgd. task: what is
    read of the task's block of the configuration; with `canaries`, that many slots. runs: the first, and the one after
    the last; draws are keyed by their numbers, so that it is all one how they are parted. statistics: the .npz to
    write, with the runs of each kind, or the differences and coins of slots and the accuracy on all other images.
    """
    samples = read_samples(data)
    own = slice(samples.official_train)
    x, y = samples.x[own], samples.y[own]
    how = audited(mechanism, task, x.shape[3] if x.ndim == 4 else 1)
    device = choose_device(training.device, training.threads)
    key = state_key(training.settings, digest("scripts/train_audited.py"), samples.fingerprint)
    make = of_slots if "canaries" in task else of_both_kinds
    with Checkpoint(training.checkpoint, key) as checkpoint:
        found = make(x, y, how, task, runs, job, device, checkpoint)
        save_arrays(statistics, fingerprint=np.array(samples.fingerprint), **found)
        checkpoint.remove()


if __name__ == "__main__":
    run(main)
