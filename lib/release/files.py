"""The files of a release: which there are, how they are read without being trusted, and how they are written."""

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from lib.core.errors import InputError

SUMS = "SHA256SUMS"
SIGNATURE = f"{SUMS}.sig"
CONTENT = (
    "MODEL_CARD.md",
    "environment.json",
    "load_student.py",
    "model.safetensors",
    "privacy.json",
    "provenance.json",
    "student.json",
)
WEIGHTS = "model.safetensors"
_LARGEST_WEIGHTS, _LARGEST = 2**28, 2**20  # bytes


def read_files(folder: str | Path) -> tuple[dict[str, bytes], list[str]]:
    """Return the bytes of a release's files by name, and what is wrong with the folder.

    Each file is read once, so that all checks see the same bytes. What is no plain file (a link, a pipe, a device, a
    folder) is not opened, and no more is read than a release may hold. Raises InputError if `folder` is none.
    """
    try:
        with os.scandir(folder) as entries:
            found = {entry.name: entry for entry in entries}
    except OSError as error:
        raise InputError(f"{folder}: no folder that can be read ({error.strerror}); a release is one") from error
    wanted = {*CONTENT, SUMS}
    faults = [f"{name}: missing" for name in sorted(wanted - set(found))]
    faults += [f"{name}: does not belong to a release" for name in sorted(set(found) - wanted - {SIGNATURE})]
    content = {}
    for name in sorted((wanted | {SIGNATURE}) & set(found)):
        try:
            content[name] = _read(found[name])
        except InputError as error:
            faults.append(str(error))
    return content, faults


def _read(entry: os.DirEntry) -> bytes:
    largest = _LARGEST_WEIGHTS if entry.name == WEIGHTS else _LARGEST
    try:
        if not entry.is_file(follow_symlinks=False):
            raise InputError(f"{entry.name}: not a plain file")
        # what was put in its place since is neither followed nor waited for
        with open(os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise InputError(f"{entry.name}: not a plain file")
            # a file may grow while it is read
            content = stream.read(largest + 1) if status.st_size <= largest else None
    except OSError as error:
        raise InputError(f"{entry.name}: cannot be read ({error.strerror})") from error
    if content is None or len(content) > largest:
        raise InputError(f"{entry.name}: allowed are at most {largest:,} bytes")
    return content


def json_bytes(block: object) -> bytes:
    """Write JSON as a release does: sorted keys, ASCII, no NaN; ValueError for what has none."""
    return (json.dumps(block, indent=1, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def digest(content: bytes) -> str:
    """SHA-256, hex."""
    return hashlib.sha256(content).hexdigest()


def sums(content: Mapping[str, bytes]) -> bytes:
    """Return the checksums of all content that is there, for `sha256sum --check` too."""
    return "".join(f"{digest(content[name])}  {name}\n" for name in CONTENT if name in content).encode("ascii")
