"""Baselines that need no student: the teachers alone and together, and one mask for everybody, on test volumes."""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path, load_arrays
from lib.core.records import write_record
from lib.segmentation.baselines import for_everyone, mean_of_masks
from lib.segmentation.job import LEVELS, SegmentationJob
from lib.segmentation.patients import means_of, measured


@command
def main(job: SegmentationJob, answers: list[Path], record: Path, patients: Path) -> None:
    """Write the record, and what each test patient gets.

    answers: answers of all teachers, .npz. record: the record to write. patients: Dice by patient to write, .csv.
    """
    test, public = job.rows["test"], job.rows[job.task["encoder_part"]]
    said = [masks for file in answers for masks in load_arrays(file, "test")["test"]]
    alone = pd.concat([measured(job, (mask.astype(np.float32) / LEVELS for mask in masks), test) for masks in said])
    together = (mean_of_masks(mask.astype(np.float32) / LEVELS for mask in masks) for masks in zip(*said, strict=True))
    mean_mask = mean_of_masks(job.prepared.masks([row], job.task["classes"])[0] for row in public)
    limit = job.threshold(for_everyone(mean_mask, len(public)), public)
    everyone = for_everyone(mean_mask, len(test))
    tables = {
        ("average", "dice"): alone.groupby("patient", sort=False).mean().reset_index(),
        ("ensemble", "dice"): measured(job, together, test),
        ("mean_mask", "dice"): measured(job, everyone, test),
        ("mean_mask", "tuned_dice"): measured(job, everyone, test, limit),
    }
    private = {
        f"{who}_{what}": value
        for (who, measure), table in tables.items()
        for what, value in means_of(table, measure).items()
    }
    with atomic_path(patients) as temporary:
        table = pd.concat([table.assign(unit=who, measure=measure) for (who, measure), table in tables.items()])
        table.assign(job=" ".join(job.job[:-1])).to_csv(temporary, index=False, float_format="%.6g")
    write_record(
        record,
        **job.identity(),
        parameters={"task": job.task, "repetition": job.repetition},
        metrics={},
        private_metrics=private,
    )


if __name__ == "__main__":
    run(main)
