"""Dice of whole volumes by region, with a stated convention for a region that a subject does not have.

A region is a name and the labels that belong to it. The score of one subject is 2 |P and T| / (|P| + |T|) over all of
its voxels, P predicted and T true; means are taken over subjects, then over regions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lib.core.errors import InputError

CONVENTIONS = ("one", "skip")
TUMOUR: dict[str, tuple[int, ...]] = {"tumour": (1, 2, 3)}
CLASSES: dict[str, tuple[int, ...]] = {"oedema": (1,), "non_enhancing": (2,), "enhancing": (3,)}
TWO: dict[str, tuple[int, ...]] = {"first": (1,), "second": (2,)}  # of anything but tumours
OF = {1: TUMOUR, 2: TWO, 3: CLASSES}  # by how many classes labels tell apart
NESTED: dict[str, tuple[int, ...]] = {
    "whole": (1, 2, 3),
    "core": (2, 3),
    "enhancing": (3,),
}  # the regions that BraTS ranks by
THRESHOLD = 0.5
THRESHOLDS = (0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01)


def hard_labels(y: np.ndarray, threshold: float | None = None) -> np.ndarray:
    """Labels uint8 (n, X, Y, Z) of soft masks (n, C, X, Y, Z).

    threshold None: 1 where the probability is at least a half (C = 1), or the most probable class, the first of equals,
    so that background wins a tie (C > 1). A number: tumour where its probability, all classes together, is at least
    that, of the most probable class; for masks that noise or doubt makes faint. Raises InputError for another shape, or
    numbers that are not finite.
    """
    y = np.asarray(y)
    if y.ndim != 5 or y.shape[1] == 0:
        raise InputError(f"soft masks of shape {y.shape}: (subjects, classes, x, y, z)")
    if not np.isfinite(y).all():
        raise InputError("soft masks: some of their numbers are not finite")
    if y.shape[1] == 1:
        return (y[:, 0] >= (THRESHOLD if threshold is None else threshold)).astype(np.uint8)
    if threshold is None:
        return y.argmax(axis=1).astype(np.uint8)
    labels = y[:, 1:].argmax(axis=1).astype(np.uint8) + np.uint8(1)
    return np.where(1 - y[:, 0] >= threshold, labels, np.uint8(0))


def whole_tumour(mask: np.ndarray) -> np.ndarray:
    """Return the probability (X, Y, Z) of any tumour, of a soft mask (C, X, Y, Z); background first where C > 1."""
    return mask[0] if len(mask) == 1 else 1 - mask[0]


def best_threshold(
    masks: Iterable[np.ndarray],
    true: Iterable[np.ndarray],
    regions: Mapping[str, Sequence[int]] = TUMOUR,
    grid: Sequence[float] = THRESHOLDS,
) -> tuple[float, float]:
    """Return the threshold of `grid` at which `hard_labels` has the best mean Dice, the first of equals, and that Dice.

    masks: soft masks (C, X, Y, Z), true: labels (X, Y, Z) uint8, one a subject; regions that a subject does not have
    are left out. What a threshold is chosen on must be public: it is no part of any accounting. Raises InputError where
    no subject has any.
    """
    order = np.argsort(grid)
    found: dict[str, list[np.ndarray]] = {region: [] for region in regions}  # (thresholds rising,) of each subject
    for mask, label in zip(masks, true, strict=True):
        mask = np.asarray(mask)
        tumour = whole_tumour(mask)
        predicted = np.ones(tumour.shape, np.uint8) if len(mask) == 1 else mask[1:].argmax(axis=0) + 1
        # so many thresholds of a voxel are not above its probability
        level = np.searchsorted(np.asarray(grid, tumour.dtype)[order], tumour, side="right")
        for region, labels in regions.items():
            here, there = np.isin(predicted, labels), np.isin(label, labels)
            if size := int(there.sum()):
                both, all_ = (
                    np.bincount(level[voxels], minlength=len(grid) + 1)[::-1].cumsum()[-2::-1]
                    for voxels in (here & there, here)
                )
                found[region].append(2 * both / (all_ + size))
    means = [np.mean(scores, axis=0) for scores in found.values() if scores]
    if not means:
        raise InputError("true labels: no subject has a tumour, which a threshold is chosen by")
    scores = np.empty(len(grid))
    scores[order] = np.mean(means, axis=0)
    best = int(scores.argmax())
    return float(grid[best]), float(scores[best])


@dataclass(frozen=True)
class DiceScores:
    """Scores by subject and region.

    values: (n, regions) float64, NaN where the convention leaves a subject out. predicted, true: (n, regions) int64,
    voxels. convention: for a region without a true voxel. `one`: 1 if none is predicted either, else 0. `skip`: the
    subject is left out, whatever was predicted (MONAI's ignore_empty).
    """

    regions: tuple[str, ...]
    values: np.ndarray
    predicted: np.ndarray
    true: np.ndarray
    convention: str

    def by_region(self) -> dict[str, float | None]:
        """Mean over the subjects that count, by region; None where none does."""
        means = {}
        for name, values in zip(self.regions, self.values.T, strict=True):
            counted = values[~np.isnan(values)]
            means[name] = float(counted.mean()) if len(counted) else None
        return means

    def mean(self) -> float | None:
        """Mean of the regions' means; None where no subject has any. A region that none has is left out of it."""
        found = [value for value in self.by_region().values() if value is not None]
        return float(np.mean(found)) if found else None

    def counts(self) -> dict[str, dict[str, int]]:
        """By region: subjects counted, those without a true voxel, and those of them with a predicted one."""
        absent = self.true == 0
        columns = {
            "counted": ~np.isnan(self.values),
            "absent": absent,
            "absent_but_predicted": absent & (self.predicted > 0),
        }
        return {
            name: {what: int(flags[:, i].sum()) for what, flags in columns.items()}
            for i, name in enumerate(self.regions)
        }


def dice(
    predicted: np.ndarray, true: np.ndarray, regions: Mapping[str, tuple[int, ...]], convention: str
) -> DiceScores:
    """Dice of labels (n, X, Y, Z) against true ones; InputError for unequal shapes, no region or another convention."""
    predicted, true = np.asarray(predicted), np.asarray(true)
    if predicted.ndim != 4 or predicted.shape != true.shape:
        raise InputError(f"labels of shapes {predicted.shape} and {true.shape}: both must be (subjects, x, y, z)")
    if convention not in CONVENTIONS:
        raise InputError(f"convention {convention!r} for absent regions: allowed are {', '.join(CONVENTIONS)}")
    if not regions or not all(regions.values()):
        raise InputError(f"regions {dict(regions)}: at least one, each with at least one label")
    counts = np.zeros((3, len(predicted), len(regions)), np.int64)  # predicted, true, both
    for column, labels in enumerate(regions.values()):
        for subject, pair in enumerate(zip(predicted, true, strict=True)):  # one at a time, for the memory
            here, there = (np.isin(volume, labels) for volume in pair)
            counts[:, subject, column] = here.sum(), there.sum(), (here & there).sum()
    total = counts[0] + counts[1]
    values = np.where(total > 0, 2 * counts[2] / np.maximum(total, 1), 1.0)
    if convention == "skip":
        values = np.where(counts[1] > 0, values, np.nan)
    return DiceScores(tuple(regions), values, counts[0], counts[1], convention)
