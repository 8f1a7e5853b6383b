"""Train a shard of teachers, each on its own private part, and let them label the public pool."""

from pathlib import Path

import numpy as np

from lib.core.command import command, progress, run
from lib.core.files import save_arrays
from lib.core.seeding import integer_seed
from lib.data.pools import open_pool
from lib.models.classifiers import make_classifier
from lib.pate.classification import teacher_labels


@command
def main(data: Path, split: Path, model: dict, teachers: list[int], job: list[str], seed: int, labels: Path) -> None:
    """Write `teacher_labels` (query, teacher) and the true `labels` of the queries.

    data: prepared dataset of samples. split: indices of split_data. model: the model's block of the configuration.
    teachers: first teacher, and the one after the last. job: the job's own name: rule and wildcards. seed: seed of the
    preset. labels: the .npz of teacher labels to write.
    """
    pool = open_pool(data, split)
    asked, truth = pool.public()
    given = teacher_labels(
        pool.part,
        range(*teachers),
        asked,
        lambda teacher: make_classifier(model, integer_seed(seed, *job, f"teacher {teacher}")),
        progress("teachers trained"),
    )
    save_arrays(
        labels,
        teacher_labels=given.astype(np.min_scalar_type(given.max())),
        labels=truth,
        fingerprint=np.array(pool.fingerprint),
    )


if __name__ == "__main__":
    run(main)
