"""Files and folders that are whole or absent: atomic writes, and arrays that carry a digest readers check."""

import errno
import hashlib
import json
import os
import re
import shutil
import struct
import sys
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from lib.core.errors import InputError

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
# What a file system says that cannot sync a folder (CIFS, some FUSE) or keeps no permissions (FAT); not that it failed.
_UNSUPPORTED = (
    errno.EACCES,
    errno.EBADF,
    errno.EINVAL,
    errno.ENOSYS,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.EPERM,
)
_WARNED: set[str] = set()  # what this process has warned of


@contextmanager
def reading(path: str | Path, kind: str) -> Iterator[None]:
    """Turn whatever a damaged `kind` of file raises into an InputError of one line that names it.

    One that is not what its digest says, where `atomic_path` wrote one beside it, is damaged.
    """
    digest = _beside(path)
    if digest.exists() and Path(path).is_file() and digest.read_bytes() != _line(path):
        raise InputError(f"{path}: does not match the digest written with it; delete the file to remake it")
    try:
        yield
    except InputError:
        raise
    except _UNREADABLE as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{path}: not a readable {kind} file ({reason})") from error


def _beside(path: str | Path) -> Path:
    """Where the digest of a table lies."""
    return Path(path).with_name(f".{Path(path).name}.sha256")


def _line(path: str | Path, name: str | None = None) -> bytes:
    """Return what a file's digest says of it, as `sha256sum` does."""
    with open(path, "rb") as stream:
        return f"{hashlib.file_digest(stream, _DIGEST).hexdigest()}  {name or Path(path).name}\n".encode()


@contextmanager
def _filling(path: Path) -> Iterator[None]:
    """Turn what is raised where a disk is full or read-only into an InputError that names what was to be written."""
    try:
        yield
    except Exception as error:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        if full or os.strerror(errno.ENOSPC) in str(error):  # not all libraries raise an OSError
            raise InputError(f"{path}: no space left on the device; make room and run again") from error
        if isinstance(error, OSError) and error.errno == errno.EROFS:
            raise InputError(f"{path}: cannot be written, the file system is read-only") from error
        raise


def clear_temporaries(path: str | Path) -> None:
    """Remove what processes that were killed have left of a file or folder that they had not written whole.

    Their number is in the name of what they left. What a process that runs on this machine has under way is left
    alone, but not what is under this one's number, which an earlier one had. No other machine is assumed to write the
    same file of a shared file system at the same time: its processes look like dead ones from here.
    """
    path = Path(path)
    for found in os.listdir(path.parent):
        made = re.fullmatch(rf"\.(\d+)(\.new|\.old)?\.{re.escape(path.name)}", found)
        if made and not _runs_beside(int(made[1])):
            left = path.with_name(found)
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)


def _runs_beside(process: int) -> bool:
    """Whether another process than this one has this number, on this machine."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # somebody else's
        return True
    return process != os.getpid()


def _make_folder(path: Path) -> None:
    """Make a folder; of results, those of private data and of half-done work on them are for their owner alone."""
    path.mkdir(parents=True, exist_ok=True)
    if closed := _closed(path):
        _allow(closed, 0o700)


def _closed(path: Path) -> Path | None:
    """Return the folder results/{preset}/private, or checkpoints there, that a path lies in; None for any other."""
    parts = path.parts
    for place, name in enumerate(parts[2:], 2):
        if name in ("private", "checkpoints") and parts[place - 2] == "results":
            return Path(*parts[: place + 1])
    return None


def _close(path: Path) -> None:
    """Leave a file of a closed folder to its owner alone, too, wherever it may be copied."""
    if _closed(path):
        for each in [*path.rglob("*"), path] if path.is_dir() else [path]:
            _allow(each, 0o700 if each.is_dir() else 0o600)


def _allow(path: Path, mode: int) -> None:
    """Set the mode of what lies in a closed folder, or of it; warn where that cannot be and others may read it."""
    try:
        path.chmod(mode)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        if path.stat().st_mode & 0o077:
            _warn(_closed(path), "permissions cannot be set there: others may read what is made of private data")


def _warn(path: Path | None, what: str) -> None:
    """Print a warning once a process, of the first path that it is about."""
    if what not in _WARNED:
        _WARNED.add(what)
        print(f"warning: {path}: {what}", file=sys.stderr)


def _rename(temporary: Path, path: Path) -> None:
    """Give what is finished its name, so that it is whole or absent even if the power fails: synced, named, synced."""
    for each in [*temporary.rglob("*"), temporary] if temporary.is_dir() else [temporary]:
        _sync(each, path.parent)
    os.replace(temporary, path)
    _sync(path.parent, path.parent)


def _sync(path: Path, folder: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk; where that cannot be, warn of `folder`."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        _warn(folder, f"its file system cannot sync ({error.strerror}): a power failure may undo what was written")


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that replaces it on success and vanishes on failure."""
    temporary = path.with_name(f".{os.getpid()}.{path.name}")
    with _filling(path):
        _make_folder(path.parent)
        clear_temporaries(path)
        try:
            yield temporary
            _close(temporary)
            _rename(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path` that replaces it on success and vanishes on failure.

    A table (.csv) has no room for a digest inside: it gets one beside it, `.NAME.csv.sha256`, which `reading` checks.
    Raises InputError, naming the file, where the disk is full or read-only.
    """
    path = Path(path)
    if path.suffix != ".csv":
        with _replacing(path) as temporary:
            yield temporary
        return
    # The digest is named last and the old one goes first, so that whoever is stopped between leaves a table without a
    # digest, which is read, and never one beside the digest of another.
    with _replacing(_beside(path)) as digest, _replacing(path) as temporary:
        yield temporary
        digest.write_bytes(_line(temporary, path.name))
        _beside(path).unlink(missing_ok=True)
        _sync(path.parent, path.parent)


@contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """Yield a new folder beside `path` that replaces it, with all it held, on success and vanishes on failure.

    Raises InputError, naming the folder, where the disk is full or read-only.
    """
    path = Path(path)
    temporary, before = (path.with_name(f".{os.getpid()}.{role}.{path.name}") for role in ("new", "old"))
    with _filling(path):
        _make_folder(path.parent)
        clear_temporaries(path)
        temporary.mkdir()
        try:
            yield temporary
            _close(temporary)
            try:
                if path.exists():
                    os.replace(path, before)
                _rename(temporary, path)
            except BaseException:
                if before.exists() and not path.exists():
                    os.replace(before, path)
                raise
            shutil.rmtree(before, ignore_errors=True)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


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
        np.savez_compressed(stream, allow_pickle=False, **arrays, **{_DIGEST: digest})


def load_arrays(path: str | Path, *names: str) -> dict[str, np.ndarray]:
    """Read what `save_arrays` wrote, all of it or `names`.

    Raises InputError, naming the file, if it is missing, unreadable, altered, lacks one of `names`, or unpacks to more
    than fits into memory, before any of it is unpacked.
    """
    with reading(path, ".npz"), np.load(path, allow_pickle=False) as archive:
        size, memory = sum(member.file_size for member in archive.zip.infolist()), _memory()
        if size > memory:  # no more is unpacked than the archive says
            raise InputError(f"{path}: its arrays take {size} bytes, unpacked; this machine's memory has {memory}")
        arrays = {name: archive[name] for name in archive.files}
    stored = arrays.pop(_DIGEST, None)
    if stored is None:
        raise InputError(
            f"{path}: the arrays have no digest, so no job of this workflow wrote them as they are; votes of one's own "
            "are priced by `python -m scripts.price_votes` (docs/own_votes.md)"
        )
    if str(stored) != fingerprint(**arrays):
        raise InputError(f"{path}: the arrays do not match the digest written with them; delete the file to remake it")
    missing = set(names) - set(arrays)
    if missing:
        raise InputError(f"{path}: lacks the arrays {sorted(missing)}; it has {sorted(arrays)}")
    return {name: arrays[name] for name in names} if names else arrays


def _memory() -> int:
    """Bytes of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def write_text(path: str | Path, text: str) -> None:
    """Write `text` atomically, UTF-8, newline-terminated as given, and no digest beside it."""
    with _replacing(Path(path)) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: str | Path, content: object) -> None:
    """Write JSON with sorted keys and no NaN, so that equal content gives equal bytes."""
    write_text(path, json.dumps(content, indent=1, sort_keys=True, allow_nan=False) + "\n")


def write_sealed_json(path: str | Path, content: dict) -> None:
    """Write JSON with the digest of its content inside, which `read_sealed_json` checks."""
    write_json(path, content | {_DIGEST: _content_digest(content)})


def read_sealed_json(path: str | Path) -> dict:
    """Read what `write_sealed_json` wrote; InputError names a file that is unreadable or altered."""
    content = read_json(path)
    with reading(path, "JSON"):  # what is nested too deep can be read, and not written again
        whole = isinstance(content, dict) and content.pop(_DIGEST, None) == _content_digest(content)
    if not whole:
        raise InputError(f"{path}: does not match the digest written with it; delete the file to remake it")
    return content


def _content_digest(content: dict) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read_json(path: str | Path) -> dict:
    """Read a JSON file; InputError names the file if it cannot be read."""
    with reading(path, "JSON"):
        return json.loads(Path(path).read_text(encoding="utf-8-sig"))
