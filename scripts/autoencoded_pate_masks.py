"""Show a mask on its way to the student: the teachers' mean, its latent code, the noise, and what is learned.

Of volumes that the student was to label, which nobody but it has seen; generated ones, so that no patient is shown.
"""

import textwrap
from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path, load_arrays
from lib.core.shards import load_unit
from lib.encoders.build import build_encoder
from lib.reporting.plotting import figure, save
from lib.segmentation.baselines import mean_of_masks
from lib.segmentation.dice import dice, hard_labels, whole_tumour
from lib.segmentation.job import LEVELS, SegmentationJob
from lib.segmentation.networks import seen_by
from lib.segmentation.pictures import fullest_slice, overlay, titled
from lib.segmentation.students import student_weights

WHOLE = {"whole": (1,)}


@command
def main(
    job: SegmentationJob,
    unit: dict,
    labelling: str,
    truth: str,
    shown: int,
    fitted: list[Path],
    answers: list[Path],
    codes: list[Path],
    students: list[Path],
    numbers: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the figure, and Dice of the whole tumour of each of its masks.

    unit: source of the labels, encoder and that one's settings. labelling: what the student's labels were released as.
    truth: the same of the student on true labels. shown: so many of the student's volumes. fitted: what was fitted for
    the encoder, .npz. answers: the teachers', .npz. codes: released codes, .npz. students: weights of students, .npz.
    numbers: the table to write, .csv. png, pdf: the figure to write.
    """
    coded = job.coded(unit["settings"])
    encoder = build_encoder(unit["settings"], coded.shape, load_unit(fitted, unit["encoder"]), job.place)
    name = f"{unit['source']}/{unit['encoder']}"
    released = load_unit(codes, name)[labelling]
    rows = job.rows["student"][:shown]
    said = [load_arrays(file, "student")["student"][:, :shown] for file in answers]
    taught = seen_by(coded, student_weights(students, name, labelling), rows)
    told = seen_by(job, student_weights(students, "truth/none", truth), rows)
    lines = []
    with figure(len(rows), 6, height=1.55) as (drawn, axes):
        for number, row in enumerate(rows):
            label = job.prepared.label[row]
            mean = mean_of_masks(mask for shard in said for mask in shard[:, number]) / LEVELS
            given = mean if len(mean) == coded.shape[0] else whole_tumour(mean)[None]
            masks = {
                "image, true edge": None,
                "teachers' mean": whole_tumour(mean),
                "through the code": whole_tumour(encoder.decode(encoder.encode(given[None]))[0]),
                "with the noise": whole_tumour(encoder.decode(released[number][None])[0]),
                "student of these": whole_tumour(taught[number]),
                "student on true labels": whole_tumour(told[number]),
            }
            place = fullest_slice(label)
            image = job.prepared.images[row][0, :, :, place].astype(float)
            for axis, (what, mask) in zip(axes[6 * number : 6 * number + 6], masks.items(), strict=True):
                drawn_over = overlay(axis, image, None if mask is None else mask[:, :, place], label[:, :, place] > 0)
                if not number:
                    axis.set_title(textwrap.fill(what, 15), fontsize="small")
                if mask is not None:
                    painted = drawn_over
                    found = hard_labels(mask[None, None])
                    (score,) = dice(found, (label > 0)[None].astype(np.uint8), WHOLE, "skip").values[0]
                    lines.append({"volume": job.prepared.names[row], "mask": what, "dice_whole": score})
                    axis.set_xlabel(f"Dice {score:.2f}", fontsize="small")
        assert painted is not None  # each row has masks
        drawn.colorbar(painted, ax=axes, label="probability of tumour", location="bottom", aspect=50, shrink=0.5)
        drawn.suptitle(f"{titled(job.task['label'])}: volumes to label, one a row", fontsize="medium")
        save(drawn, png, pdf)
    table = pd.DataFrame(lines)
    table.insert(0, "dataset", job.task["label"])
    with atomic_path(numbers) as temporary:
        table.to_csv(temporary, index=False, float_format="%.4g")


if __name__ == "__main__":
    run(main)
