"""The networks of a segmentation task, apart from what needs none: importing MONAI takes seconds."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd

from lib.models.unet3d import UNet3D
from lib.segmentation.baselines import mean_of_masks
from lib.segmentation.dice import best_threshold
from lib.segmentation.job import SegmentationJob
from lib.segmentation.patients import means_of, measured
from lib.segmentation.prediction import predicted_masks
from lib.segmentation.segmentation_recipes import SegmentationRecipe

PUBLIC = 10  # public volumes, at most, on which a threshold is chosen
OWN = 10  # volumes, at most, of those that a network was trained on, on which it is tried as on new ones


def network_of(job: SegmentationJob) -> UNet3D:
    """Return the network of a task's teachers and students."""
    return UNet3D(channels=len(job.prepared.channels), outputs=job.shape[0], widths=tuple(job.task["widths"]))


def recipe_of(job: SegmentationJob, name: str) -> SegmentationRecipe:
    """How a task's networks train, as its block `name` says."""
    return SegmentationRecipe(**job.task[name])


def each_seen_by(job: SegmentationJob, weights: Mapping[str, np.ndarray], rows: np.ndarray) -> Iterator[np.ndarray]:
    """Soft masks (C, X, Y, Z) that a network gives for some rows, one by one, in the windows of the task."""
    return predicted_masks(network_of(job), dict(weights), job.prepared.images, rows, job.place, job.task["window"])


def seen_by(job: SegmentationJob, weights: Mapping[str, np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Soft masks (b, C, X, Y, Z) that a network gives for some rows, in the windows of the task."""
    masks = np.empty((len(rows), *job.shape), np.float32)
    for place, mask in enumerate(each_seen_by(job, weights, rows)):
        masks[place] = mask
    return masks


def mean_mask(job: SegmentationJob) -> np.ndarray:
    """Mean soft mask (C, X, Y, Z) of the task's public volumes, float32."""
    rows = job.rows[job.task["encoder_part"]]
    return mean_of_masks(job.prepared.masks([row], job.task["classes"])[0] for row in rows)


def public_dice(job: SegmentationJob, masks: Iterable[np.ndarray]) -> float:
    """Dice of soft masks (C, X, Y, Z) of the first `PUBLIC` public volumes, at the threshold that is best on them."""
    return best_threshold(masks, job.prepared.label[job.rows[job.task["encoder_part"]][:PUBLIC]])[1]


def tested(job: SegmentationJob, weights: Mapping[str, np.ndarray], own: np.ndarray) -> tuple[dict, pd.DataFrame]:
    """Test a network; returns its metrics, and a table by patient.

    own: rows that it was trained on. `dice` is of the most probable class on test volumes, `tuned_dice` at the
    threshold that is best on those of the encoder (masks that noise makes faint may stay below a half everywhere),
    `own_dice` on the first `OWN` of its own volumes, against their true masks, whatever labels it received. The
    table has the rows of `measured` for test volumes, with a column `measure`: dice or tuned_dice.
    """
    test, public = job.rows["test"], job.rows[job.task["encoder_part"]][:PUBLIC]
    masks, limit = seen_by(job, weights, test), job.threshold(seen_by(job, weights, public), public)
    tables = {"dice": measured(job, masks, test), "tuned_dice": measured(job, masks, test, limit)}
    metrics = means_of(measured(job, seen_by(job, weights, own[:OWN]), own[:OWN]), "own_dice")
    for name, table in tables.items():
        metrics |= means_of(table, name)
    return metrics, pd.concat([table.assign(measure=name) for name, table in tables.items()])
