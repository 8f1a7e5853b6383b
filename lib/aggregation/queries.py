"""A file of votes, the queries a run makes of it, and the mechanisms by name."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from lib.accounting import ledger as books
from lib.accounting.votes import check_votes
from lib.aggregation.confident import NO_ANSWER, confident_gnmax, stop_after
from lib.aggregation.gnmax import gnmax
from lib.aggregation.lnmax import lnmax
from lib.errors import InputError
from lib.files import load_arrays


def read_queries(path: str | Path, teachers: int, queries: int | str) -> tuple[np.ndarray, np.ndarray, str]:
    """The histograms (n, m) a run asks for, their rows in the pool (n,), and the dataset's fingerprint.

    `queries` is a number, the first so many of the pool, or `published`, the list that came with the votes.
    Raises InputError, naming the file, if the votes are no histograms or there are too few of them.
    """
    arrays = load_arrays(path, "votes", "fingerprint", *(["published_indices"] if queries == "published" else []))
    votes = check_votes(arrays["votes"], teachers, str(path))
    if queries == "published":
        rows = arrays["published_indices"]
    elif queries > len(votes):
        raise InputError(f"{path}: holds {len(votes)} queries, fewer than the {queries} of the run")
    else:
        rows = np.arange(queries)
    return votes[rows], rows, str(arrays["fingerprint"])


def _lnmax(votes: np.ndarray, run: dict, rng: np.random.Generator) -> np.ndarray:
    return lnmax(votes, run["laplace_scale"], rng)


def _gnmax(votes: np.ndarray, run: dict, rng: np.random.Generator) -> np.ndarray:
    return gnmax(votes, run["sigma"], rng)


def _confident_gnmax(votes: np.ndarray, run: dict, rng: np.random.Generator) -> np.ndarray:
    labels = confident_gnmax(votes, run["threshold"], run["sigma_threshold"], run["sigma"], rng)
    return stop_after(labels, run["max_answered"])


def _lnmax_ledger(orders: np.ndarray, votes: np.ndarray, labels: np.ndarray, run: dict) -> books.Ledger:
    ledger = books.Ledger(orders)
    ledger.charge(books.lnmax_entry(orders, votes[: len(labels)], run["laplace_scale"]))
    return ledger


def _gnmax_ledger(orders: np.ndarray, votes: np.ndarray, labels: np.ndarray, run: dict) -> books.Ledger:
    ledger = books.Ledger(orders)
    ledger.charge(books.gnmax_entry(orders, votes[: len(labels)], run["sigma"]))
    return ledger


def _confident_ledger(orders: np.ndarray, votes: np.ndarray, labels: np.ndarray, run: dict) -> books.Ledger:
    return books.selective_ledger(
        orders, votes[: len(labels)], labels != NO_ANSWER, run["threshold"], run["sigma_threshold"], run["sigma"]
    )


# Each mechanism by the name that configuration gives it: the run, (votes, parameters, generator) -> labels of the
# queries that were asked, and its ledger.
MECHANISMS: dict[str, tuple[Callable[..., np.ndarray], Callable[..., books.Ledger]]] = {
    "lnmax": (_lnmax, _lnmax_ledger),
    "gnmax": (_gnmax, _gnmax_ledger),
    "confident_gnmax": (_confident_gnmax, _confident_ledger),
}
