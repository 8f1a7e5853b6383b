"""Train some of a task's teachers, each on its own patients, and keep what they say of the volumes of others."""

from pathlib import Path

import numpy as np

from lib.core.command import command, progress, run
from lib.core.files import save_arrays
from lib.data.volumes.split import teacher_shards
from lib.reporting.records import write_record
from lib.segmentation.baselines import teachers_average
from lib.segmentation.job import LEVELS, SegmentationTraining
from lib.segmentation.networks import network_of, recipe_of
from lib.segmentation.prediction import predicted_masks
from lib.segmentation.training import train_segmentation


def taught(job: SegmentationTraining, teacher: int, rows: np.ndarray) -> dict[str, np.ndarray]:
    """The weights of one teacher."""
    name = (*job.job[:-1], f"teacher {teacher}")
    with job.state(__file__, str(teacher)) as checkpoint:
        weights = train_segmentation(
            network_of(job),
            job.prepared.image,
            job.labels(rows),
            rows,
            recipe_of(job, "teacher"),
            job.seed,
            name,
            job.place,
            checkpoint,
            progress(f"steps of teacher {teacher}"),
        )
    return weights


@command
def main(job: SegmentationTraining, first: int, last: int, answers: Path, weights: Path, record: Path) -> None:
    """Write the answers, the weights, and the record.

    first: the first of these teachers, from 0. last: the one after the last. answers: soft masks of the student's and
    the test volumes to write, .npz. weights: weights to write, .npz. record: the record to write.
    """
    shards = teacher_shards(job.rows["teachers"], job.task["teachers"])
    said, kept, scores = {"student": [], "test": []}, {}, []
    for teacher in range(first, last):
        network = taught(job, teacher, shards[teacher])
        kept |= {f"{teacher}.{name}": array for name, array in network.items()}
        for part, masks_of_part in said.items():
            rows = job.rows[part]
            masks = predicted_masks(
                network_of(job), network, job.prepared.image, rows, job.place, recipe_of(job, "teacher").patch
            )
            if part == "test":
                scores.append(job.dice(masks, rows))
            masks_of_part.append(np.rint(masks * LEVELS).astype(np.uint8))
    save_arrays(answers, **{part: np.stack(masks) for part, masks in said.items()})
    save_arrays(weights, **kept)
    averages = {f"dice_{name}": value for name, value in teachers_average(scores).items() if value is not None}
    write_record(
        record,
        **job.identity(),
        parameters={"task": job.task, "repetition": job.repetition, "teachers": [first, last]},
        metrics={},
        private_metrics=averages,
    )
    for teacher in range(first, last):
        with job.state(__file__, str(teacher)) as checkpoint:
            checkpoint.remove()


if __name__ == "__main__":
    run(main)
