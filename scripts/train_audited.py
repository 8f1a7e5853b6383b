"""Train ResNet8 with and without a canary, some runs of an audit: what each network says of the canary."""

from pathlib import Path

import numpy as np

from lib.attacks.canary import KINDS, neighbours
from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.command import Job, Training, command, progress, run
from lib.core.files import save_arrays
from lib.data.samples import read_samples
from lib.residual_perturbation.audited import audited, canary_statistics
from lib.training.device import choose_device


@command
def main(
    data: Path, mechanism: str, task: dict, runs: list[int], job: Job, training: Training, statistics: Path
) -> None:
    """Write the statistic of every run.

    data: prepared dataset of images. mechanism: how networks are trained: strategy1, plain or dp_sgd. task: the task's
    block of the configuration. runs: the first of either kind, and the one after the last; draws are keyed by their
    numbers, so that it is all one how they are parted. statistics: the .npz to write, with the runs of each kind.
    """
    samples, seed, words = read_samples(data), job.seed, tuple(job.job)
    own = slice(samples.official_train)
    # keyed without the mechanism: all are audited on the same images and canary
    pair = neighbours(samples.x[own], samples.y[own], task["samples"], task["classes"], seed, words[:-1])
    how = audited(mechanism, task, pair.x.shape[3] if pair.x.ndim == 4 else 1)
    device = choose_device(training.device, training.threads)
    key = state_key(training.settings, digest("scripts/train_audited.py"), samples.fingerprint)
    first, last = runs
    report, total = progress("runs"), len(KINDS) * (last - first)
    with Checkpoint(training.checkpoint, key) as checkpoint:
        saved = checkpoint.load() or {}
        found = {kind: saved.get(kind, np.zeros(0)) for kind in KINDS}
        for kind, with_canary in KINDS.items():
            while (done := first + len(found[kind])) < last:
                some = range(done, min(done + task["together"], last))
                new = canary_statistics(how, pair, with_canary, some, seed, words, device)
                found[kind] = np.concatenate([found[kind], new])
                checkpoint.save(found)
                report(sum(map(len, found.values())), total)
        save_arrays(statistics, fingerprint=np.array(samples.fingerprint), **found)
        checkpoint.remove()


if __name__ == "__main__":
    run(main)
