"""The true labels of an ensemble's queries, by which answers are judged; nothing is trained on them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lib.core.files import load_arrays
from lib.data.glyph_pool import open_any_pool


def query_labels(data: Path, split: Path | None) -> np.ndarray:
    """Return True labels (n,) of an ensemble's queries, in the order of its votes.

    data: the prepared samples that the votes are about, with their split, whose public part are the queries; without a
    split, published votes that came with `labels`. Raises InputError, naming the file, if it holds neither.
    """
    if split is None:
        return load_arrays(data, "labels")["labels"]
    _, labels = open_any_pool(data, split).public()
    return labels


def labels_of_each(
    ensembles: Sequence[Mapping[str, Any]], data: Sequence[Path], splits: Sequence[Path]
) -> Iterator[np.ndarray]:
    """`query_labels` of several ensembles, by their blocks; splits: of those that are not `labelled`, in order."""
    left = iter(splits)
    for ensemble, path in zip(ensembles, data, strict=True):
        yield query_labels(path, None if ensemble.get("labelled") else next(left))
