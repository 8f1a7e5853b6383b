"""A file of votes, the queries a run makes of it, and the mechanisms by name."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from lib.accounting.discrete import is_discrete
from lib.accounting.ledger import (
    Ledger,
    discrete_entry,
    discrete_selective_ledger,
    gnmax_entry,
    lnmax_entry,
    selective_ledger,
)
from lib.accounting.votes import check_votes
from lib.aggregation.confident import NO_ANSWER, confident_gnmax, stop_after
from lib.aggregation.discrete_gaussian import DiscreteGaussian
from lib.aggregation.gnmax import gnmax
from lib.aggregation.interactive import NONE, TEACHERS, interactive_gnmax
from lib.aggregation.lnmax import lnmax
from lib.core.errors import InputError
from lib.core.files import load_arrays
from lib.core.seeding import noise_bits, noise_generator


def read_queries(path: str | Path, teachers: int, run: dict) -> tuple[np.ndarray, np.ndarray, str]:
    """The histograms (n, m) a run asks for, their rows in the pool (n,), and the dataset's fingerprint.

    run: its `queries` is a number, so many of the pool from row `first` (0 where it is not given), or `published`, the
    list that came with the votes.
    Raises InputError, naming the file, if the votes are no histograms or there are too few of them.
    """
    queries, first = run["queries"], run.get("first", 0)
    arrays = load_arrays(path, "votes", "fingerprint", *(["published_indices"] if queries == "published" else []))
    votes = check_votes(arrays["votes"], teachers, str(path))
    if queries == "published":
        rows = _checked_rows(arrays["published_indices"], len(votes), path)
    elif first + queries > len(votes):
        raise InputError(f"{path}: holds {len(votes)} queries, fewer than the {first + queries} of the run")
    else:
        rows = first + np.arange(queries)
    return votes[rows], rows, str(arrays["fingerprint"])


def _checked_rows(rows: np.ndarray, pool: int, path: str | Path) -> np.ndarray:
    """Rows (n,) of a pool; a query that comes twice is asked twice."""
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows):
        raise InputError(f"{path}: published_indices are {rows.dtype} of shape {rows.shape}; needed: rows, at least 1")
    if rows.min() < 0 or rows.max() >= pool:
        raise InputError(f"{path}: published_indices from {rows.min()} to {rows.max()}; allowed is 0 to {pool - 1}")
    return rows


def _checked_scores(scores: np.ndarray, votes: np.ndarray, rows: np.ndarray, path: str | Path | None) -> np.ndarray:
    """The scores of some rows of the pool, one for each class of their votes."""
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
    """The rounds of a run, its first round before it where it has one; the rows of the last; and the fingerprint.

    A round has its histograms (n, m), its block and, where a student takes part, its scores (n, m) on these queries:
    scores_path holds them for the whole pool. Raises InputError as `read_queries` does.
    """
    votes, rows, fingerprint = read_queries(path, teachers, run)
    if "first_round" not in run:
        return [(votes, run, None)], rows, fingerprint
    earlier, _, _ = read_queries(path, teachers, run["first_round"])
    scores = _checked_scores(load_arrays(scores_path, "probabilities")["probabilities"], votes, rows, scores_path)
    return [(earlier, run["first_round"], None), (votes, run, scores)], rows, fingerprint


Answers = tuple[np.ndarray, np.ndarray]


def _lnmax(votes: np.ndarray, run: dict, rng: np.random.Generator, scores: Scores) -> Answers:
    return _from_teachers(lnmax(votes, run["laplace_scale"], rng))


def _gnmax(votes: np.ndarray, run: dict, rng: np.random.Generator, scores: Scores) -> Answers:
    return _from_teachers(gnmax(votes, run["sigma"], rng))


def _confident_gnmax(votes: np.ndarray, run: dict, rng: np.random.Generator, scores: Scores) -> Answers:
    labels = confident_gnmax(votes, run["threshold"], run["sigma_threshold"], run["sigma"], rng)
    return _from_teachers(stop_after(labels, run["max_answered"]))


def _interactive_gnmax(votes: np.ndarray, run: dict, rng: np.random.Generator, scores: Scores) -> Answers:
    labels, source = interactive_gnmax(
        votes, scores, run["confidence"], run["threshold"], run["sigma_threshold"], run["sigma"], rng
    )
    asked = len(stop_after(np.where(source == TEACHERS, labels, NO_ANSWER), run["max_answered"]))
    return labels[:asked], source[:asked]


def _from_teachers(labels: np.ndarray) -> Answers:
    return labels, np.where(labels == NO_ANSWER, NONE, TEACHERS)


# The mechanisms by the name that configuration gives them: (votes, parameters, generator, scores) -> the labels of the
# queries that were asked, and where each came from (`interactive`).
MECHANISMS: dict[str, Callable[..., Answers]] = {
    "lnmax": _lnmax,
    "gnmax": _gnmax,
    "confident_gnmax": _confident_gnmax,
    "interactive_gnmax": _interactive_gnmax,
}


def noise_of(run: dict, noise_seed: int | None, *job: str) -> np.random.Generator | DiscreteGaussian:
    """What a run's mechanism draws its noise from, keyed by the job (see `lib.core.seeding.noise_generator`).

    Raises InputError where the run asks for discrete noise that its mechanism cannot have.
    """
    if not is_discrete(run):
        return noise_generator(noise_seed, *job)
    if run["aggregator"] not in ("gnmax", "confident_gnmax"):
        raise InputError(f"noise = 'discrete' for {run['aggregator']}: allowed for gnmax and confident_gnmax")
    return DiscreteGaussian(noise_bits(noise_seed, *job))


def spent(orders: np.ndarray, votes: np.ndarray, source: np.ndarray, run: dict, scores: Scores = None) -> Ledger:
    """The ledger of a realised run: votes (n, m) and source (n,) of the queries that were asked."""
    if is_discrete(run):
        if run["aggregator"] == "gnmax":
            return Ledger(orders, [discrete_entry(orders, "gnmax", len(votes), {"sigma": run["sigma"]})])
        answers = int((source == TEACHERS).sum())
        return discrete_selective_ledger(
            orders, len(votes), answers, run["threshold"], run["sigma_threshold"], run["sigma"]
        )
    if run["aggregator"] in ("lnmax", "gnmax"):
        ledger = Ledger(orders)
        make, noise = {"lnmax": (lnmax_entry, "laplace_scale"), "gnmax": (gnmax_entry, "sigma")}[run["aggregator"]]
        ledger.charge(make(orders, votes, run[noise]))
        return ledger
    answered = source == TEACHERS
    return selective_ledger(orders, votes, answered, run["threshold"], run["sigma_threshold"], run["sigma"], scores)
