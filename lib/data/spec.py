"""Describe a dataset: where its files belong, how they are read, and the fingerprint they must decode to."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SOURCES = ("embedded", "data_root", "download")


@dataclass(frozen=True)
class DatasetSpec:
    """One dataset.

    title: what it is; samples: how many and of what shape, in words.
    classes: how many classes of labels it is known to have, whatever is in a copy; None where it says nothing of that.
    fingerprint: `lib.core.files.fingerprint` (hex) of the arrays that `read` returns, after `canonical`; None where
        there was no copy to take it from: then `read` itself refuses other data, and `known_by` says in words what by.
    licence, homepage, obtain: in words; `obtain` says how to get the files by hand.
    sources: those of SOURCES that it can come from.
    read: arrays by name from the paths of one layout, in the layout's order (no paths if embedded);
        it raises InputError, naming the file, on what is not such a file.
    layouts: accepted lists of files below `data_root`, the preferred one first; a name that ends in / is a folder.
    downloaded: the one of `layouts` that `download` puts below a folder, from public places; it raises OSError,
        RuntimeError or HTTPException where it cannot.
    private: whether they are a person's own. Then results name them by a keyed digest alone, since a plain one would
        confirm a guess of all of them (`lib.core.secret`).
    unordered: groups of arrays whose rows are samples in no canonical order; rows of a group belong together. For
        public benchmarks alone, whose copies differ in it: see `canonical`.
    """

    title: str
    samples: str
    fingerprint: str | None
    licence: str
    homepage: str
    obtain: str
    sources: tuple[str, ...]
    read: Callable[[Sequence[Path]], dict[str, np.ndarray]]
    layouts: tuple[tuple[str, ...], ...] = ()
    downloaded: tuple[str, ...] = ()
    download: Callable[[Path], None] | None = None
    unordered: tuple[tuple[str, ...], ...] = ()
    known_by: str = ""
    classes: int | None = None
    private: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError if nothing says which data they are."""
        if not self.fingerprint and not self.known_by:
            raise ValueError(f"dataset {self.title}: needs a fingerprint, or known_by")

    @property
    def identity(self) -> str:
        """Say by what the samples are recognised."""
        if self.fingerprint is None:
            return self.known_by
        return f"fingerprint {self.fingerprint[:16]} (SHA-256 of the decoded arrays: lib.core.files.fingerprint)"


def is_there(root: Path, entry: str) -> bool:
    """Whether an entry of a layout lies below `root`: a folder where its name ends in /, else a file."""
    return (root / entry).is_dir() if entry.endswith("/") else (root / entry).is_file()


def canonical(arrays: Mapping[str, np.ndarray], unordered: Sequence[Sequence[str]]) -> dict[str, np.ndarray]:
    """Return the arrays with the rows of each group of `unordered` sorted by the SHA-256 of the sample's bytes.

    What is computed from the result, fingerprint and splits alike, does not depend on the order of the file. But the
    place of a sample depends on all others: whoever replaced one in the file would move those between its old place and
    its new one, each to another teacher perhaps. So guarantees computed from the result are of a sample replaced in it,
    in its place, and nothing is released of such data.
    Raises ValueError if the arrays of a group differ in length.
    """
    arrays = dict(arrays)
    for group in unordered:
        columns = [np.ascontiguousarray(arrays[name]) for name in group]
        samples = zip(*columns, strict=True)
        digests = [hashlib.sha256(b"".join(part.tobytes() for part in sample)).digest() for sample in samples]
        order = sorted(range(len(digests)), key=digests.__getitem__)
        arrays.update((name, column[order]) for name, column in zip(group, columns, strict=True))
    return arrays
