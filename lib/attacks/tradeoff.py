"""Accuracy at equal leakage: read off curves of test accuracy against an attack's area, traced over training length."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

WIDEST = 0.05  # by which the areas of two points may differ between which accuracy is interpolated


@dataclass(frozen=True)
class Curve:
    """One method after several lengths of training, shortest first: means over repetitions and their deviations (n,).

    auc: area under the attack's ROC curve. accuracy: on test samples.
    """

    auc: Sequence[float]
    auc_spread: Sequence[float]
    accuracy: Sequence[float]
    accuracy_spread: Sequence[float]


def accuracy_at(curve: Curve, auc: float, auc_spread: float) -> tuple[float, float]:
    """Test accuracy of a method at the area `auc`, which is known with deviation `auc_spread`, and its deviation.

    An area cannot fall as training goes on, but for chance: neighbours of which the longer trained one has the smaller
    area are pooled, in area and accuracy (isotonic regression). Between points accuracy is interpolated linearly, but
    not over a gap of more than WIDEST, where the curve bends: there, and below the first point, it is that of a point
    whose area differs by at most the deviation s, and NaN if there is none. Beyond the last point it is the last one's,
    since this method leaks no more at any length that was trained.

    The deviation has two parts, added as independent: the larger one of the accuracies next to the area; and half of
    what accuracy changes from `auc` - s to `auc` + s, where s is that of both areas together.
    """
    pooled = np.array(_pooled(curve))
    parts = np.split(pooled, np.flatnonzero(np.diff(pooled[0]) > WIDEST) + 1, axis=1)
    for place, (areas, accuracies, area_spread, accuracy_spread) in enumerate(parts):
        after = int(np.searchsorted(areas, auc))
        beside = slice(max(after - 1, 0), after + 1)
        spread = float(np.hypot(auc_spread, area_spread[beside].max()))
        last = place == len(parts) - 1
        if areas[0] - spread <= auc and (last or auc <= areas[-1] + spread):
            low, here, high = np.interp([auc - spread, auc, auc + spread], areas, accuracies)
            return float(here), float(np.hypot(accuracy_spread[beside].max(), abs(high - low) / 2))
    return np.nan, np.nan


def _pooled(curve: Curve) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Areas that rise, accuracies, and the largest deviation of each that was pooled."""
    blocks: list[np.ndarray] = []  # rows: area, accuracy; deviations of both
    columns = curve.auc, curve.accuracy, curve.auc_spread, curve.accuracy_spread
    for point in np.transpose([np.asarray(column, float) for column in columns]):
        blocks.append(point[None])
        while len(blocks) > 1 and blocks[-1][:, 0].mean() <= blocks[-2][:, 0].mean():
            blocks[-2:] = [np.concatenate(blocks[-2:])]
    means, spreads = (np.array([getattr(b, how)(0) for b in blocks]) for how in ("mean", "max"))
    return means[:, 0], means[:, 1], spreads[:, 2], spreads[:, 3]
