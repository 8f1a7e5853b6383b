"""Fetching the public files of a dataset: all of them, known to be the right ones, or none."""

import contextlib
import http.client
import io
import os
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from lib.core.errors import InputError
from lib.core.files import clear_temporaries
from lib.data import registry

_LOG_INTERVAL = 10.0  # seconds between two signs of progress in a log file
# What a server, the way to it, or a file that is not the announced one makes torchvision raise.
_FAILURES = (OSError, RuntimeError, http.client.HTTPException)


def fetch(
    name: str, module: str, root: str | Path, *, attempts: int = 4, wait: float = 2.0, timeout: float = 60.0
) -> list[Path]:
    """Put the files of a dataset at their places below `root` and return their paths; right ones are kept.

    They are fetched into a folder of their own, decoded and compared with the dataset's fingerprint there, and moved
    to their places only then. Each of the `attempts` starts anew and ends after `timeout` seconds of silence; the
    pauses between them are `wait`, 2 `wait`, 4 `wait`, ... seconds. Progress goes to stderr.
    Raises InputError, naming dataset and place, if that fails or cannot be written; what was there before is then
    still there, and nothing else.
    """
    spec, root = registry.supporting(module, name, "download"), Path(root)
    fetch = spec.download
    assert fetch is not None  # `supporting` refuses a dataset without
    targets = registry.required_files(name, module, "download", root)
    if all(target.exists() for target in targets):
        with contextlib.suppress(InputError):
            registry.load(name, module, "download", root)
            print(f"{name}: already there", file=sys.stderr)
            return targets
    for attempt in range(1, attempts + 1):
        with _folder_in(root, name) as folder:
            try:
                with _silence_ends(timeout), _progress(name):
                    fetch(folder)
            except _FAILURES as error:
                reason = " ".join(str(error).split()) or type(error).__name__
            else:
                registry.load(name, module, "download", folder)
                _move([folder / target.relative_to(root) for target in targets], targets)
                return targets
        if attempt < attempts:
            pause = wait * 2 ** (attempt - 1)
            print(f"{name}: {reason}; attempt {attempt + 1} of {attempts} in {pause:g} s", file=sys.stderr)
            time.sleep(pause)
    raise InputError(
        f"dataset {name!r}: could not be downloaded to {root}, where nothing of it was left; attempts: {attempts}; the "
        f"last ended with: {reason}; {spec.obtain}"
    )


@contextlib.contextmanager
def _folder_in(root: Path, name: str) -> Iterator[Path]:
    """Yield a folder below `root` for one attempt; it vanishes, and so does what killed processes left."""
    folder = root / f".{os.getpid()}.new.{name}"
    try:
        root.mkdir(parents=True, exist_ok=True)
        clear_temporaries(root / name)
        folder.mkdir()
    except OSError as error:
        raise InputError(f"dataset {name!r}: {root}: cannot be written ({error})") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _move(found: list[Path], targets: list[Path]) -> None:
    """Move each file to its place; raises InputError, naming the place, if it cannot be written."""
    for path, target in zip(found, targets, strict=True):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, target)
        except OSError as error:
            raise InputError(f"{target}: cannot be written ({error})") from error


@contextlib.contextmanager
def _silence_ends(timeout: float) -> Iterator[None]:
    """Break connections made here after so many seconds of silence: torchvision's own would wait for ever."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(timeout)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)


@contextlib.contextmanager
def _progress(name: str) -> Iterator[None]:
    """Show the bars of torchvision as they are on a terminal, and now and then as a line in a log file."""
    if sys.stderr.isatty():
        yield
    else:
        with contextlib.redirect_stderr(_NowAndThen(name, sys.stderr)):
            yield


class _NowAndThen(io.TextIOBase):
    """A text stream that hands on, as a line, what is written after a pause, and drops the rest."""

    def __init__(self, name: str, log: TextIO) -> None:
        self._name, self._log, self._last = name, log, time.monotonic()

    def write(self, text: str) -> int:
        if text.strip() and time.monotonic() - self._last >= _LOG_INTERVAL:
            print(f"{self._name}: {text.strip()}", file=self._log, flush=True)
            self._last = time.monotonic()
        return len(text)
