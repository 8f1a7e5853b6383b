"""Train a shard of teachers that are networks, many at once, and let them label the public pool."""

from pathlib import Path

import numpy as np

from lib.core.command import Training, command, run
from lib.core.files import fingerprint, load_arrays, save_arrays
from lib.core.seeding import Draws
from lib.data.glyph_pool import open_any_pool
from lib.pate.networks import teacher_network, teacher_recipe
from lib.pate.replicas import replica_labels
from lib.training.context import resumed


@command
def main(
    data: Path,
    split: Path,
    model: dict,
    classes: int,
    teachers: list[int],
    draws: Draws,
    training: Training,
    labels: Path,
) -> None:
    """Write `teacher_labels` (query, teacher) and the `labels` that the queries carry.

    data: prepared dataset of samples. split: split of split_data. model: the model's block of the configuration.
    classes: number of classes. teachers: first teacher, and the one after the last. labels: the .npz of teacher labels
    to write.
    """
    pool = open_any_pool(data, split)
    asked, truth = pool.public()
    division = fingerprint(**load_arrays(split))
    with resumed(draws, training, __file__, pool.fingerprint, "teachers trained", division=division) as context:
        given = replica_labels(
            teacher_network(model, asked.shape[1:], classes),
            pool.part,
            range(*teachers),
            asked,
            teacher_recipe(model),
            context,
            model["together"],
        )
        save_arrays(labels, teacher_labels=given, labels=truth, fingerprint=np.array(pool.fingerprint))


if __name__ == "__main__":
    run(main)
