"""Baselines of a student: the teachers themselves, and one mask for everybody."""

from collections.abc import Iterable

import numpy as np

from lib.core.errors import InputError


def mean_of_masks(masks: Iterable[np.ndarray]) -> np.ndarray:
    """Mean of arrays of one shape that come one at a time, summed in float64; float32.

    Of teachers' soft masks (n, C, X, Y, Z), one array a teacher, it is the ensemble's; of public training masks
    (C, X, Y, Z), one a subject, the mean mask. Raises InputError if there are none, or their shapes differ.
    """
    total, count = None, 0
    for mask in masks:
        mask = np.asarray(mask)
        if total is None:
            total = np.zeros(mask.shape)
        if mask.shape != total.shape:
            raise InputError(f"mask {count + 1}: shape {mask.shape}, but those before it have {total.shape}")
        total += mask
        count += 1
    if total is None:
        raise InputError("masks: there are none to take the mean of")
    return (total / count).astype(np.float32)


def for_everyone(mask: np.ndarray, subjects: int) -> np.ndarray:
    """One mask (...) as the prediction for each of n subjects, (n, ...), as a view."""
    return np.broadcast_to(mask, (subjects, *np.shape(mask)))
