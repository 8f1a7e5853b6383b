"""Baselines that need no student: the teachers alone and together, and one mask for everybody, on test volumes."""

import numpy as np

from lib.core.files import load_arrays
from lib.reporting.records import write_record
from lib.segmentation.baselines import for_everyone, mean_of_masks, teachers_average
from scripts import cli
from scripts.segmentation_job import LEVELS, parser, read_job, scores_of


def main(argv: list[str] | None = None) -> None:
    """Write the record."""
    made = parser(__doc__)
    made.add_argument("--answers", nargs="+", required=True, help="answers of all teachers, .npz")
    made.add_argument("--output", required=True, help="the record to write")
    job = read_job(made, argv)
    test, public = job.rows["test"], job.rows[job.task["encoder_part"]]
    answers = [masks for file in job.arguments.answers for masks in load_arrays(file, "test")["test"]]
    alone = [job.dice((mask.astype(np.float32) / LEVELS for mask in masks), test) for masks in answers]
    together = (
        mean_of_masks(mask.astype(np.float32) / LEVELS for mask in masks) for masks in zip(*answers, strict=True)
    )
    average = teachers_average(alone)
    found = {"dice": average["mean"]} | {f"dice_{name}": value for name, value in average.items() if name != "mean"}
    private = {f"average_{name}": value for name, value in found.items() if value is not None}
    private |= {f"ensemble_{name}": value for name, value in scores_of(job.dice(together, test)).items()}
    mean_mask = mean_of_masks(job.volumes.masks([row], job.task["classes"])[0] for row in public)
    limit = job.threshold(for_everyone(mean_mask, len(public)), public)
    for measure, threshold in (("dice", None), ("tuned_dice", limit)):
        scores = scores_of(job.dice(for_everyone(mean_mask, len(test)), test, threshold), measure)
        private |= {f"mean_mask_{what}": value for what, value in scores.items()}
    write_record(
        job.arguments.output,
        **job.record(),
        parameters={"task": job.task, "repetition": job.arguments.repetition},
        metrics={},
        private_metrics=private,
    )


if __name__ == "__main__":
    cli.run(main)
