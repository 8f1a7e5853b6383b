"""Train ResNet8 for an audit, some of its runs: what each network says of the canary, or of the canaries of slots."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from lib.attacks.canary import KINDS, draw_slots, neighbours
from lib.core.command import Job, Training, command, run
from lib.core.files import save_arrays
from lib.data.samples import read_samples
from lib.residual_perturbation.audited import Audited, audited, canary_statistics, slot_differences
from lib.training.context import Context, resumed

Found = dict[str, np.ndarray]


def of_both_kinds(x: np.ndarray, y: np.ndarray, how: Audited, task: dict, runs: list[int], context: Context) -> Found:
    """A statistic of each run with the canary and without it, by kind; kept after every few runs."""
    # keyed without the mechanism: all are audited on the same images and canary
    pair = neighbours(x, y, task["samples"], task["classes"], context.seed, context.job[:-1])
    first, last = runs
    total, saved = len(KINDS) * (last - first), context.saved()
    found = {kind: np.asarray(saved.get(kind, np.zeros(0))) for kind in KINDS}
    for kind, with_canary in KINDS.items():
        while (done := first + len(found[kind])) < last:
            some = range(done, min(done + task["together"], last))
            found[kind] = np.concatenate([found[kind], canary_statistics(how, pair, with_canary, some, context)])
            context.save(found)
            context.progress(sum(map(len, found.values())), total)
    return found


def of_slots(x: np.ndarray, y: np.ndarray, how: Audited, task: dict, runs: list[int], context: Context) -> Found:
    """The differences and coins of one run's slots, and how well it fits its other images; kept after every epoch."""
    # keyed without the mechanism, as the coins are
    common, (number, _) = replace(context, job=context.job[:-1]), runs
    slots = draw_slots(x, y, task["samples"], task["canaries"], task["classes"], common.seed, common.job)
    second = common.generator(f"coins {number}").random(slots.canaries) < 0.5
    differences, accuracy = slot_differences(how, slots, second, number, task["draws"], context)
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
    make, units = (of_slots, "epochs") if "canaries" in task else (of_both_kinds, "runs")
    with resumed(job, training, __file__, samples.fingerprint, units) as context:
        found = make(x, y, how, task, runs, context)
        save_arrays(statistics, fingerprint=np.array(samples.fingerprint), **found)


if __name__ == "__main__":
    run(main)
