"""Baselines that need no student: the teachers alone and together, and one mask for everybody, on test volumes."""

from pathlib import Path

import numpy as np

from lib.core.command import command, run
from lib.core.files import load_arrays
from lib.reporting.records import write_record
from lib.segmentation.baselines import for_everyone, mean_of_masks, teachers_average
from lib.segmentation.job import LEVELS, SegmentationJob, scores_of


@command
def main(job: SegmentationJob, answers: list[Path], record: Path) -> None:
    """Write the record.

    answers: answers of all teachers, .npz. record: the record to write.
    """
    test, public = job.rows["test"], job.rows[job.task["encoder_part"]]
    said = [masks for file in answers for masks in load_arrays(file, "test")["test"]]
    alone = [job.dice((mask.astype(np.float32) / LEVELS for mask in masks), test) for masks in said]
    together = (mean_of_masks(mask.astype(np.float32) / LEVELS for mask in masks) for masks in zip(*said, strict=True))
    average = teachers_average(alone)
    found = {"dice": average["mean"]} | {f"dice_{name}": value for name, value in average.items() if name != "mean"}
    private = {f"average_{name}": value for name, value in found.items() if value is not None}
    private |= {f"ensemble_{name}": value for name, value in scores_of(job.dice(together, test)).items()}
    mean_mask = mean_of_masks(job.prepared.masks([row], job.task["classes"])[0] for row in public)
    limit = job.threshold(for_everyone(mean_mask, len(public)), public)
    for measure, threshold in (("dice", None), ("tuned_dice", limit)):
        scores = scores_of(job.dice(for_everyone(mean_mask, len(test)), test, threshold), measure)
        private |= {f"mean_mask_{what}": value for what, value in scores.items()}
    write_record(
        record,
        **job.identity(),
        parameters={"task": job.task, "repetition": job.repetition},
        metrics={},
        private_metrics=private,
    )


if __name__ == "__main__":
    run(main)
