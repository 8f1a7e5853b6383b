"""Record what a job read and wrote, and of what kind it is, so that a release can be followed to its origins."""

import hashlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from lib.core.files import reading

PUBLIC, MECHANISM, POST_PROCESSING = "public", "mechanism", "post-processing"


def provenance(kind: str, read: Iterable[str | Path], wrote: Iterable[str | Path]) -> dict:
    """Return the provenance block of a record: the job's kind, and path and SHA-256 of each file, as given.

    The digest of a private file is null: a record lies outside of the private folder, and whoever can guess all
    of the file but one record would learn from it whether the guess of that one is right.
    kind: `public`, it writes nothing that depends on private data; `mechanism`, what it writes depends on them through
    the noise in its ledger alone; `post-processing`, it writes what follows from the files it read.
    wrote: the job's files but its record. InputError names a file that cannot be read.
    """
    return {"kind": kind, "read": _hashed(read), "wrote": _hashed(wrote)}


def is_private(path: str | Path) -> bool:
    """Whether a path lies in a folder of private data."""
    return "private" in PurePosixPath(path).parts


def _hashed(paths: Iterable[str | Path]) -> list[dict[str, str | None]]:
    return [{"path": str(path), "sha256": None if is_private(path) else file_digest(path)} for path in paths]


def file_digest(path: str | Path) -> str:
    """SHA-256 (hex) of a file's bytes; InputError if it cannot be read."""
    with reading(path, "whole"), open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
