"""Metrics of predicted masks, patient by patient: Dice by class and nested region, and distances of edges.

Regions are a task's classes, over which the mean Dice of a table goes, and beside them the whole; beside three classes
also the other nested regions that BraTS ranks by: tumour core, and enhancing tumour, which is one of the classes.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from lib.segmentation.dice import CLASSES, NESTED, TWO, dice, hard_labels
from lib.segmentation.job import SegmentationJob

REGIONS: dict[int, dict[str, tuple[int, ...]]] = {
    1: {"whole": (1,)},
    2: TWO | {"whole": (1, 2)},
    3: CLASSES | NESTED,
}  # by how many classes there are
RESAMPLES = 2000


def measured(
    job: SegmentationJob,
    masks: Iterable[np.ndarray],
    rows: np.ndarray,
    threshold: float | None = None,
    edges: bool = True,
) -> pd.DataFrame:
    """One row a patient: name, Dice of each region, and, where edges are asked for, HD95 of the whole tumour.

    masks: soft masks (C, X, Y, Z) of the rows, one at a time; threshold: see `hard_labels`. A region that a patient
    does not have is NaN. hd95: 95th percentile of the distances of each edge to the other, in voxels of the prepared
    volumes; NaN where one of the two is empty. It is MONAI's, whose start takes longer than all else here.
    """
    found = np.stack([hard_labels(mask[None], threshold)[0] for mask in masks])
    true, regions = job.prepared.label[rows], REGIONS[job.task["classes"]]
    if job.task["classes"] == 1:
        true = (true > 0).astype(np.uint8)
    scores = dice(found, true, regions, "skip")
    table = pd.DataFrame(scores.values, columns=[f"dice_{region}" for region in regions])
    table.insert(0, "patient", [job.prepared.names[row] for row in rows])
    if not edges:
        return table
    return table.assign(hd95=[_hd95(here > 0, there > 0) for here, there in zip(found, true, strict=True)])


def _hd95(found: np.ndarray, true: np.ndarray) -> float:
    if not (found.any() and true.any()):
        return np.nan
    import torch

    from lib.core.lean_monai import compute_hausdorff_distance

    here, there = (torch.from_numpy(mask)[None, None] for mask in (found, true))
    return compute_hausdorff_distance(here, there, include_background=True, percentile=95).item()


def columns_of(table: pd.DataFrame) -> list[str]:
    """Return the columns of the classes, over which the mean Dice goes."""
    found = [f"dice_{region}" for region in CLASSES | TWO if f"dice_{region}" in table]
    return found or [f"dice_{region}" for region in REGIONS[1]]


def means_of(table: pd.DataFrame, name: str = "dice") -> dict[str, float]:
    """Mean Dice over patients, then over classes, as `name`; of each region; and HD95 where it was measured.

    What no patient has is left out.

    table: of `measured`.
    """
    means = table.drop(columns="patient").mean()
    classes = means[columns_of(table)].mean()
    found = {name: classes} | {column.replace("dice", name, 1): value for column, value in means.items()}
    if "hd95" in found:
        found[name.replace("dice", "hd95", 1)] = found.pop("hd95")
    return {what: float(value) for what, value in found.items() if not np.isnan(value)}


def interval(table: pd.DataFrame, columns: Sequence[str], rng: np.random.Generator) -> tuple[float, float]:
    """Return the 95 % percentile interval of the mean over rows, then over columns, patients being drawn anew.

    table: of `measured`, or several of them, which may share patients. A patient who is drawn comes with all rows. What
    nobody who was drawn has is left out, as in `means_of`. (NaN, NaN) where fewer than two patients have a number.
    """
    values = table[list(columns)].astype(float).groupby(table["patient"].to_numpy())
    totals, counts = values.sum().to_numpy(), values.count().to_numpy()  # (patients, columns); NaN is not counted
    measured_ones = np.flatnonzero(counts.any(axis=1))
    if len(measured_ones) < 2:
        return np.nan, np.nan

    def mean(drawn: np.ndarray) -> float:
        total, count = totals[drawn].sum(0), counts[drawn].sum(0)
        return float((total[count > 0] / count[count > 0]).mean())

    from scipy.stats import bootstrap  # takes a second, and one table needs it

    found = bootstrap((measured_ones,), mean, n_resamples=RESAMPLES, vectorized=False, method="percentile", rng=rng)
    low, high = found.confidence_interval
    return float(low), float(high)
