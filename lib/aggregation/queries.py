"""A file of votes, the queries a run makes of it, and the mechanisms by name."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from lib.accounting.ledger import Ledger, gnmax_entry, lnmax_entry, selective_ledger
from lib.accounting.votes import check_votes
from lib.aggregation.confident import NO_ANSWER, confident_gnmax, stop_after
from lib.aggregation.gnmax import gnmax
from lib.aggregation.interactive import NONE, TEACHERS, interactive_gnmax
from lib.aggregation.lnmax import lnmax
from lib.errors import InputError
from lib.files import load_arrays


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
        rows = arrays["published_indices"]
    elif first + queries > len(votes):
        raise InputError(f"{path}: holds {len(votes)} queries, fewer than the {first + queries} of the run")
    else:
        rows = first + np.arange(queries)
    return votes[rows], rows, str(arrays["fingerprint"])


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
    scores = load_arrays(scores_path, "probabilities")["probabilities"][rows]
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


def spent(orders: np.ndarray, votes: np.ndarray, source: np.ndarray, run: dict, scores: Scores = None) -> Ledger:
    """The ledger of a realised run: votes (n, m) and source (n,) of the queries that were asked."""
    if run["aggregator"] in ("lnmax", "gnmax"):
        ledger = Ledger(orders)
        make, noise = {"lnmax": (lnmax_entry, "laplace_scale"), "gnmax": (gnmax_entry, "sigma")}[run["aggregator"]]
        ledger.charge(make(orders, votes, run[noise]))
        return ledger
    answered = source == TEACHERS
    return selective_ledger(orders, votes, answered, run["threshold"], run["sigma_threshold"], run["sigma"], scores)
