"""The vote histogram, checked before anything is computed from it."""

import numpy as np

from pate_accountant.errors import InputError

_MOST = 2**31  # no ensemble has so many teachers, and sums of such counts still fit


def check_votes(votes: np.ndarray, teachers: int | None = None, name: str = "votes") -> np.ndarray:
    """Return `votes` as an (n, m) int64 array of counts: n queries, m classes, rows summing to the teachers.

    Raises InputError, naming `name` and the first bad row, unless every count is a finite non-negative integer,
    n >= 1, m >= 2, and every row has the same sum (`teachers`, if given).
    """
    votes = np.asarray(votes)
    if votes.ndim != 2 or votes.shape[0] < 1 or votes.shape[1] < 2:
        raise InputError(f"{name}: shape {votes.shape}, expected (queries >= 1, classes >= 2)")
    if votes.dtype.kind not in "iuf":
        raise InputError(f"{name}: dtype {votes.dtype}, expected integer counts")
    for wrong, reason in (
        (~np.isfinite(votes), "is not finite"),
        (votes < 0, "is negative"),
        (votes != np.floor(votes), "is not a whole number"),
        (votes > _MOST, "is too large for a count"),
    ):
        if wrong.any():
            row, column = np.argwhere(wrong)[0]
            raise InputError(f"{name}: the count {votes[row, column]} at row {row}, class {column} {reason}")
    votes = votes.astype(np.int64)
    sums = votes.sum(axis=1)
    expected = int(sums[0]) if teachers is None else teachers
    if expected < 1:
        raise InputError(f"{name}: row 0 holds no vote, expected at least one teacher")
    if (sums != expected).any():
        row = int(np.flatnonzero(sums != expected)[0])
        raise InputError(f"{name}: row {row} sums to {sums[row]}, expected {expected} (one vote a teacher)")
    return votes
