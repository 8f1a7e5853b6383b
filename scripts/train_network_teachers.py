"""Train a shard of teachers that are networks, many at once, and let them label the public pool."""

from pathlib import Path

import numpy as np

from lib.core.checkpoint import Checkpoint, state_key
from lib.core.code_inputs import digest
from lib.core.command import Training, command, progress, run
from lib.core.files import fingerprint, load_arrays, save_arrays
from lib.data.glyph_pool import open_any_pool
from lib.pate.networks import teacher_network, teacher_recipe
from lib.pate.replicas import replica_labels
from lib.training.device import choose_device


@command
def main(
    data: Path,
    split: Path,
    model: dict,
    classes: int,
    teachers: list[int],
    job: list[str],
    seed: int,
    training: Training,
    labels: Path,
) -> None:
    """Write `teacher_labels` (query, teacher) and the `labels` that the queries carry.

    data: prepared dataset of samples. split: split of split_data. model: the model's block of the configuration.
    classes: number of classes. teachers: first teacher, and the one after the last. job: the job's own name: rule and
    wildcards. seed: seed of the preset. labels: the .npz of teacher labels to write.
    """
    pool = open_any_pool(data, split)
    asked, truth = pool.public()
    device = choose_device(training.device, training.threads)
    settings = training.settings | {"division": fingerprint(**load_arrays(split))}
    key = state_key(settings, digest("scripts/train_network_teachers.py"), pool.fingerprint)
    with Checkpoint(training.checkpoint, key) as checkpoint:
        given = replica_labels(
            teacher_network(model, asked.shape[1:], classes),
            pool.part,
            range(*teachers),
            asked,
            teacher_recipe(model),
            seed,
            tuple(job),
            device,
            model["together"],
            checkpoint,
            progress("teachers trained"),
        )
        save_arrays(labels, teacher_labels=given, labels=truth, fingerprint=np.array(pool.fingerprint))
        checkpoint.remove()


if __name__ == "__main__":
    run(main)
