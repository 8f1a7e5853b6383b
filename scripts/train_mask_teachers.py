"""Train some of a task's teachers, each on its own patients, and keep what they say of the volumes of others."""

import numpy as np

from lib.core.files import save_arrays
from lib.data.volumes.split import teacher_shards
from lib.reporting.records import write_record
from lib.segmentation.baselines import teachers_average
from lib.segmentation.prediction import predicted_masks
from lib.segmentation.training import train_segmentation
from scripts import cli
from scripts.segmentation_job import LEVELS, SegmentationJob, read_job, training_parser
from scripts.segmentation_networks import network_of, recipe_of


def taught(job: SegmentationJob, teacher: int, rows: np.ndarray) -> dict[str, np.ndarray]:
    """The weights of one teacher."""
    name = (*job.arguments.job[:-1], f"teacher {teacher}")
    with job.checkpoint(__file__, str(teacher)) as checkpoint:
        weights = train_segmentation(
            network_of(job),
            job.volumes.image,
            job.labels(rows),
            rows,
            recipe_of(job, "teacher"),
            job.arguments.seed,
            name,
            job.device,
            checkpoint,
            cli.progress(f"steps of teacher {teacher}"),
        )
    return weights


def main(argv: list[str] | None = None) -> None:
    """Write the answers, the weights, and the record."""
    made = training_parser(__doc__)
    made.add_argument("--first", type=int, required=True, help="the first of these teachers, from 0")
    made.add_argument("--last", type=int, required=True, help="the one after the last")
    made.add_argument("--answers", required=True, help="soft masks of the student's and the test volumes, .npz")
    made.add_argument("--weights", required=True, help="weights, .npz")
    made.add_argument("--output", required=True, help="the record to write")
    job = read_job(made, argv)
    arguments = job.arguments
    shards = teacher_shards(job.rows["teachers"], job.task["teachers"])
    answers, weights, scores = {"student": [], "test": []}, {}, []
    for teacher in range(arguments.first, arguments.last):
        network = taught(job, teacher, shards[teacher])
        weights |= {f"{teacher}.{name}": array for name, array in network.items()}
        for part, kept in answers.items():
            rows = job.rows[part]
            masks = predicted_masks(
                network_of(job), network, job.volumes.image, rows, job.device, recipe_of(job, "teacher").patch
            )
            if part == "test":
                scores.append(job.dice(masks, rows))
            kept.append(np.rint(masks * LEVELS).astype(np.uint8))
    save_arrays(arguments.answers, **{part: np.stack(kept) for part, kept in answers.items()})
    save_arrays(arguments.weights, **weights)
    averages = {f"dice_{name}": value for name, value in teachers_average(scores).items() if value is not None}
    write_record(
        arguments.output,
        **job.record(),
        parameters={
            "task": job.task,
            "repetition": arguments.repetition,
            "teachers": [arguments.first, arguments.last],
        },
        metrics={},
        private_metrics=averages,
    )
    for teacher in range(arguments.first, arguments.last):
        with job.checkpoint(__file__, str(teacher)) as checkpoint:
            checkpoint.remove()


if __name__ == "__main__":
    cli.run(main)
