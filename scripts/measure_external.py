"""Try students and an encoder of one collection of volumes on another: do they hold beyond where they were made?"""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.core.command import command, run
from lib.core.errors import InputError
from lib.core.files import atomic_path
from lib.core.shards import load_unit
from lib.data.volumes.prepared_folder import read_prepared
from lib.encoders.build import build_encoder
from lib.encoders.reconstruction import cross_entropy
from lib.segmentation.dice import dice, hard_labels
from lib.segmentation.job import SegmentationJob
from lib.segmentation.networks import network_of
from lib.segmentation.prediction import predicted_masks
from lib.segmentation.students import student_weights


@command
def main(
    job: SegmentationJob,
    external: Path,
    encoder: str,
    settings: dict,
    fitted: list[Path],
    learned: list,
    students: list[Path],
    table: Path,
) -> None:
    """Write the table.

    external: index.json of the other collection's prepared volumes. encoder: name of the encoder. settings: the
    encoder's block of the configuration. fitted: what was fitted for it, .npz. learned: of each student, what it
    learned from, its unit (source/encoder) and its labelling. students: weights of students, .npz. table: the table to
    write, .csv.
    """
    other = read_prepared(external)
    if job.task["classes"] != 1 or other.label.shape[1:] != job.prepared.label.shape[1:]:
        raise InputError(
            f"{external}: volumes {other.label.shape[1:]}; allowed are whole tumours of those of "
            f"{job.task['name']}, {job.prepared.label.shape[1:]}"
        )
    if missing := [name for name in job.prepared.channels if name not in other.channels]:
        raise InputError(f"{external}: lacks the channels {', '.join(missing)}")
    rows = np.arange(len(other.names))
    image = np.asarray(other.image)[:, [other.channels.index(name) for name in job.prepared.channels]]
    masks = other.masks(rows, 1)
    true = hard_labels(masks)
    made = build_encoder(settings, job.shape, load_unit(fitted, encoder), job.place)
    decoded = made.decode(made.encode(masks))
    found = [
        {"what": "encoder, without noise", "dice": dice(hard_labels(decoded), true, {"tumour": (1,)}, "skip").mean()}
    ]
    found[0]["cross_entropy"] = float(cross_entropy(masks, decoded).mean())
    for name, unit, labelling in learned:
        weights = student_weights(students, unit, labelling)
        predicted = predicted_masks(network_of(job), weights, image, rows, job.place, job.task["window"])
        labels = np.concatenate([hard_labels(mask[None]) for mask in predicted])
        score = dice(labels, true, {"tumour": (1,)}, "skip").mean()
        found.append({"what": f"student of {name}", "dice": score})
    with atomic_path(table) as temporary:
        frame = pd.DataFrame(found).assign(subjects=len(rows), fingerprint=other.fingerprint)
        frame.to_csv(temporary, index=False, float_format="%.8g")


if __name__ == "__main__":
    run(main)
