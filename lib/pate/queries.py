"""A file of votes, and the queries a run makes of it."""

from pathlib import Path

import numpy as np

from lib.core.errors import InputError
from lib.core.files import load_arrays
from lib.data.formats import check_array, check_range
from lib.pate.authors_queries import POOL, authors_queries
from pate_accountant.votes import check_votes


def read_queries(path: str | Path, teachers: int, run: dict) -> tuple[np.ndarray, np.ndarray, str]:
    """Return the histograms (n, m) a run asks for, their rows in the pool (n,), and the dataset's fingerprint.

    run: its `queries` is a number, so many of the pool from row `first` (0 where it is not given); `published`, the
    list that came with the votes; or `authors_1000`, the 1,000 that the script of PATE's authors chooses on MNIST.
    Raises InputError, naming the file, if the votes are no histograms or there are too few of them.
    """
    queries, first = run["queries"], run.get("first", 0)
    arrays = load_arrays(path, "votes", "fingerprint", *(["published_indices"] if queries == "published" else []))
    votes = check_votes(arrays["votes"], teachers, str(path))
    if queries == "published":
        rows = _checked_rows(arrays["published_indices"], len(votes), path)
    elif queries == "authors_1000":
        if len(votes) < POOL:
            raise InputError(f"{path}: holds {len(votes)} queries, and '{queries}' are among the first {POOL}")
        rows = authors_queries(100)
    elif first + queries > len(votes):
        raise InputError(f"{path}: holds {len(votes)} queries, fewer than the {first + queries} of the run")
    else:
        rows = first + np.arange(queries)
    return votes[rows], rows, str(arrays["fingerprint"])


def published_labels(path: str | Path, rows: np.ndarray, classes: int) -> np.ndarray:
    """Return the noisy labels (n,) int64 that came with the votes, of some rows (n,) of the pool.

    Raises InputError, naming the file, if there are none, not one a query, or some that are no class.
    """
    arrays = load_arrays(path, "published_labels", "votes")
    where, labels = f"{path}: published_labels", arrays["published_labels"]
    check_array(where, labels, kinds="iu", shape=(len(arrays["votes"]),))
    check_range(where, labels, 0, classes - 1)
    return labels[rows].astype(np.int64)


def _checked_rows(rows: np.ndarray, pool: int, path: str | Path) -> np.ndarray:
    """Rows (n,) of a pool; a query that comes twice is asked twice."""
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows):
        raise InputError(f"{path}: published_indices are {rows.dtype} of shape {rows.shape}; needed: rows, at least 1")
    if rows.min() < 0 or rows.max() >= pool:
        raise InputError(f"{path}: published_indices from {rows.min()} to {rows.max()}; allowed is 0 to {pool - 1}")
    return rows


def _checked_scores(scores: np.ndarray, votes: np.ndarray, rows: np.ndarray, path: str | Path | None) -> np.ndarray:
    """Return the scores of some rows of the pool, one for each class of their votes."""
    if scores.ndim != 2 or scores.dtype.kind != "f" or scores.shape[1] != votes.shape[1] or len(scores) <= rows.max():
        raise InputError(
            f"{path}: probabilities are {scores.dtype} of shape {scores.shape}; needed: a row for each of the pool's "
            f"queries, up to {rows.max()}, of {votes.shape[1]} classes"
        )
    scores = scores[rows]
    if not ((scores >= 0) & (scores <= 1)).all():
        raise InputError(f"{path}: a probability is not in [0, 1]")
    return scores


Scores = np.ndarray | None
Round = tuple[np.ndarray, dict, Scores]


def read_rounds(
    path: str | Path, scores_path: str | Path | None, teachers: int, run: dict
) -> tuple[list[Round], np.ndarray, str]:
    """Return the rounds of a run, the first round before it if it has one; the rows of the last; the fingerprint.

    A round has its histograms (n, m), its block and, where a student takes part, its scores (n, m) on these queries:
    scores_path holds them for the whole pool. Raises InputError as `read_queries` does.
    """
    votes, rows, fingerprint = read_queries(path, teachers, run)
    if "first_round" not in run:
        return [(votes, run, None)], rows, fingerprint
    assert scores_path is not None  # a run with a first round has a student
    earlier, _, _ = read_queries(path, teachers, run["first_round"])
    scores = _checked_scores(load_arrays(scores_path, "probabilities")["probabilities"], votes, rows, scores_path)
    return [(earlier, run["first_round"], None), (votes, run, scores)], rows, fingerprint
