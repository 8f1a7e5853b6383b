"""Write what students predict of test volumes as NIfTI, with a picture of each volume's fullest slice."""

from pathlib import Path

import nibabel
import numpy as np

from lib.core.command import command, run
from lib.core.files import atomic_folder
from lib.reporting.plotting import figure, save
from lib.segmentation.dice import hard_labels, whole_tumour
from lib.segmentation.job import SegmentationJob
from lib.segmentation.networks import each_seen_by
from lib.segmentation.pictures import fullest_slice, overlay
from lib.segmentation.students import student_weights


@command
def main(job: SegmentationJob, units: list, students: list[Path], masks: Path) -> None:
    """Write a folder a student, in it PATIENT.nii.gz, and PATIENT.png with the truth's edge.

    units: of each student, its source and encoder, that one's settings, and its labellings. students: weights of
    students, .npz. masks: the folder to write. Labels are those of the prepared volumes, on their grid of voxels, axes
    left to right, back to front and upwards; places and distances of the scanner are not kept.
    """
    rows = job.rows["test"]
    with atomic_folder(masks) as folder:
        for unit in units:
            own = job if unit["source"] == "truth" else job.coded(unit["settings"])
            for labelling in unit["labellings"]:
                name = f"{unit['source']}/{unit['encoder']}"
                weights = student_weights(students, name, labelling["name"])
                place = folder / unit["source"] / unit["encoder"] / labelling["name"]
                place.mkdir(parents=True)
                for row, mask in zip(rows, each_seen_by(own, weights, rows), strict=True):
                    stem = place / job.prepared.names[row]
                    found = nibabel.Nifti1Image(hard_labels(mask[None])[0], np.eye(4))
                    nibabel.save(found, stem.with_name(f"{stem.name}.nii.gz"))
                    label = job.prepared.label[row]
                    level = fullest_slice(label)
                    with figure(1, 1, width=3, height=3) as (drawn, (axis,)):
                        image = job.prepared.images[row][0, :, :, level].astype(float)
                        overlay(axis, image, whole_tumour(mask)[:, :, level], label[:, :, level] > 0)
                        save(drawn, stem.with_name(f"{stem.name}.png"))


if __name__ == "__main__":
    run(main)
