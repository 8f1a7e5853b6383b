"""Train some of a task's teachers, each on its own patients, and keep what they say of the volumes of others."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path, save_arrays
from lib.core.records import write_record
from lib.data.volumes.split import teacher_shards
from lib.segmentation.job import LEVELS, SegmentationTraining
from lib.segmentation.networks import OWN, each_seen_by, network_of, recipe_of, seen_by
from lib.segmentation.patients import means_of, measured
from lib.segmentation.training import curve, train_segmentation


def taught(job: SegmentationTraining, teacher: int, rows: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """The weights of one teacher, and its history."""
    name, recipe = f"teacher {teacher}", recipe_of(job, "teacher")
    with job.state(str(teacher)) as checkpoint:
        context = replace(job.context(checkpoint, f"steps of {name}"), job=(*job.job[:-1], name))
        return train_segmentation(network_of(job), job.prepared.images, job.labels(rows), rows, recipe, context)


def answers_of(job: SegmentationTraining, weights: dict[str, np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Predict a teacher's answers for rows, (b, C, X, Y, Z) uint8 in LEVELS.

    It predicts volume by volume: all together take gigabytes.
    """
    return np.stack([np.rint(mask * LEVELS).astype(np.uint8) for mask in each_seen_by(job, weights, rows)])


@command
def main(
    job: SegmentationTraining, first: int, last: int, answers: Path, weights: Path, record: Path, curves: Path
) -> None:
    """Write the answers, the weights, the record, and how training went.

    first: the first of these teachers, from 0. last: the one after the last. answers: soft masks of the student's and
    the test volumes to write, .npz. weights: weights to write, .npz. record: the record to write. curves: loss and Dice
    of training patches to write, .csv.
    """
    shards = teacher_shards(job.rows["teachers"], job.task["teachers"])
    said: dict[str, list[np.ndarray]] = {"student": [], "test": []}
    kept: dict[str, np.ndarray] = {}
    own, lines = [], []
    for teacher in range(first, last):
        network, history = taught(job, teacher, shards[teacher])
        kept |= {f"{teacher}.{name}": array for name, array in network.items()}
        for part, masks in said.items():
            masks.append(answers_of(job, network, job.rows[part]))
        trained = shards[teacher][:OWN]
        own.append(means_of(measured(job, seen_by(job, network, trained), trained), "own_dice"))
        lines += [{"teacher": teacher} | row for row in curve(history)]
    save_arrays(answers, **{part: np.stack(masks) for part, masks in said.items()})
    save_arrays(weights, **kept)
    with atomic_path(curves) as temporary:
        pd.DataFrame(lines).to_csv(temporary, index=False, float_format="%.6g")
    averages = {name: float(np.mean([each[name] for each in own if name in each])) for name in own[0]}
    write_record(
        record,
        **job.identity(),
        parameters={"task": job.task, "repetition": job.repetition, "teachers": [first, last]},
        metrics={},
        private_metrics=averages,
    )
    for teacher in range(first, last):
        with job.state(str(teacher)) as checkpoint:
            checkpoint.remove()


if __name__ == "__main__":
    run(main)
