"""Files that are whole or absent: atomic writes, and arrays that carry a digest readers check."""

import hashlib
import json
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from lib.errors import InputError

_DIGEST = "sha256"
# What damaged files make numpy, zipfile and gzip raise; a damaged .npy header goes through Python's own tokenizer.
_UNREADABLE = (
    OSError,
    ValueError,
    EOFError,
    KeyError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    TypeError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


@contextmanager
def reading(path: str | Path, kind: str) -> Iterator[None]:
    """Turn whatever a damaged `kind` of file raises into an InputError of one line that names it."""
    try:
        yield
    except _UNREADABLE as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{path}: not a readable {kind} file ({reason})") from error


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that replaces it on success and vanishes on failure."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def fingerprint(**arrays: np.ndarray) -> str:
    """SHA-256 (hex) of decoded samples: names, dtypes, shapes and C-order bytes, sorted by name."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name], order="C")
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def save_arrays(path: str | Path, **arrays: np.ndarray) -> None:
    """Write a compressed `.npz` with the digest of its arrays inside; the same arrays give the same bytes."""
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    digest = np.array(fingerprint(**arrays))
    with atomic_path(path) as temporary, open(temporary, "wb") as stream:
        np.savez_compressed(stream, **arrays, **{_DIGEST: digest})


def load_arrays(path: str | Path, *names: str) -> dict[str, np.ndarray]:
    """Read what `save_arrays` wrote, all of it or `names`.

    Raises InputError, naming the file, if it is missing, unreadable, altered, or lacks one of `names`.
    """
    with reading(path, ".npz"), np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    stored = arrays.pop(_DIGEST, None)
    if stored is None or str(stored) != fingerprint(**arrays):
        raise InputError(f"{path}: the arrays do not match the digest written with them; delete the file to remake it")
    missing = set(names) - set(arrays)
    if missing:
        raise InputError(f"{path}: lacks the arrays {sorted(missing)}; it has {sorted(arrays)}")
    return {name: arrays[name] for name in names} if names else arrays


def write_text(path: str | Path, text: str) -> None:
    """Write `text` atomically, UTF-8, newline-terminated as given."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: str | Path, content: object) -> None:
    """Write JSON with sorted keys and no NaN, so that equal content gives equal bytes."""
    write_text(path, json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n")


def read_json(path: str | Path) -> dict:
    """Read a JSON file; InputError names the file if it cannot be read."""
    with reading(path, "JSON"):
        return json.loads(Path(path).read_text(encoding="utf-8"))
