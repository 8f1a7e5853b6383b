"""Fetching public files: whole and checked, or not there at all."""

import hashlib
import http.client
import sys
import time
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path
from typing import TextIO

from lib.core.errors import InputError
from lib.core.files import atomic_path
from lib.data.spec import Download

_BLOCK = 1 << 18
# Seconds between two signs of progress.
_TERMINAL_INTERVAL = 0.1
_LOG_INTERVAL = 10.0
# Refusals that may pass; every other 4xx answer would be the same next time.
_PASSING_REFUSALS = (408, 425, 429)
_DIGESTS = {"sha256": hashlib.sha256, "md5": partial(hashlib.md5, usedforsecurity=False)}


class _AttemptError(Exception):
    """One attempt failed; `again` says whether another may do better."""

    def __init__(self, reason: str, *, again: bool) -> None:
        super().__init__(" ".join(reason.split()))
        self.again = again


def fetch(
    download: Download,
    root: str | Path,
    *,
    attempts: int = 4,
    wait: float = 2.0,
    timeout: float = 60.0,
    log: TextIO | None = None,
) -> Path:
    """Put the file at its place below `root` and return its path; a file that is there and right is kept.

    Each mirror is tried `attempts` times, with pauses of `wait`, 2 `wait`, 4 `wait`, ... seconds; an attempt starts
    anew and gives up after `timeout` seconds of silence. Progress goes to `log` (default: stderr).
    Raises InputError, naming URL and target, if no mirror gives the right file or it cannot be written; what was
    at the target before is then still there, and nothing else.
    """
    log = sys.stderr if log is None else log
    target = Path(root) / download.target
    if target.is_file() and _fault(target, download) is None:
        print(f"{target}: already there", file=log)
        return target
    failures = []
    for url in download.urls:
        try:
            _fetch_from(url, target, download, attempts=attempts, wait=wait, timeout=timeout, log=log)
            return target
        except _AttemptError as failure:
            failures.append(f"{url}: {failure}")
        except OSError as error:
            raise InputError(f"{target}: cannot be written ({error}); it was to come from {url}") from error
    raise InputError(f"{target}: could not be downloaded: {'; '.join(failures)}")


def _fetch_from(
    url: str, target: Path, download: Download, *, attempts: int, wait: float, timeout: float, log: TextIO
) -> None:
    """Try one mirror; raises the last attempt's _AttemptError, or OSError if the file cannot be written."""
    for attempt in range(1, attempts + 1):
        try:
            with atomic_path(target) as temporary:
                _transfer(url, temporary, timeout=timeout, log=log)
                fault = _fault(temporary, download)
                if fault:
                    raise _AttemptError(f"not the expected file: {fault}", again=False)
            return
        except _AttemptError as failure:
            if attempt == attempts or not failure.again:
                raise
            pause = wait * 2 ** (attempt - 1)
            print(f"{url}: {failure}; attempt {attempt + 1} of {attempts} in {pause:g} s", file=log)
            time.sleep(pause)


def _transfer(url: str, path: Path, *, timeout: float, log: TextIO) -> None:
    """Copy what the server sends to `path`; raises _AttemptError for its faults, OSError for those of `path`."""
    with open(path, "wb") as stream:
        try:
            response = urllib.request.urlopen(url, timeout=timeout)
        except urllib.error.HTTPError as error:
            again = error.code >= 500 or error.code in _PASSING_REFUSALS
            raise _AttemptError(f"HTTP {error.code} {error.reason}", again=again) from error
        except (OSError, http.client.HTTPException) as error:
            raise _AttemptError(f"no answer ({getattr(error, 'reason', error)})", again=True) from error
        with response:
            length = response.headers.get("Content-Length", "")
            announced = int(length) if length.isdigit() else None
            progress = _Progress(url.rpartition("/")[2], announced, log)
            received = 0
            while block := _next_block(response):
                stream.write(block)
                received += len(block)
                progress.show(received)
            progress.close(received)
    if announced is not None and received != announced:
        raise _AttemptError(f"broke off after {received} of {announced} bytes", again=True)


def _next_block(response: http.client.HTTPResponse) -> bytes:
    """The next bytes, empty at the end; raises _AttemptError if the connection breaks."""
    try:
        return response.read(_BLOCK)
    except (OSError, http.client.HTTPException) as error:
        raise _AttemptError(f"broke off ({error or type(error).__name__})", again=True) from error


def _fault(path: Path, download: Download) -> str | None:
    """What is wrong with the file, None if nothing is."""
    size = path.stat().st_size
    if download.size is not None and size != download.size:
        return f"{size} bytes instead of {download.size}"
    for name, constructor in _DIGESTS.items():
        expected = getattr(download, name)
        if expected is None:
            continue
        with open(path, "rb") as stream:
            found = hashlib.file_digest(stream, constructor).hexdigest()
        if found != expected:
            return f"{name} {found} instead of {expected}"
    return None


class _Progress:
    """Bytes so far: one line rewritten on a terminal, a line now and then in a log file."""

    def __init__(self, name: str, total: int | None, log: TextIO) -> None:
        self._name, self._total, self._log = name, total, log
        self._interval = _TERMINAL_INTERVAL if log.isatty() else _LOG_INTERVAL
        self._shown = time.monotonic()

    def show(self, received: int) -> None:
        """Say how far it is, if that was not said just now."""
        if time.monotonic() - self._shown >= self._interval:
            self._write(received, "\r" if self._log.isatty() else "\n")
            self._shown = time.monotonic()

    def close(self, received: int) -> None:
        """Say how far it came."""
        self._write(received, "\n")

    def _write(self, received: int, end: str) -> None:
        of_total = f" of {self._total / 1e6:.1f}" if self._total else ""
        print(f"{self._name}: {received / 1e6:.1f}{of_total} MB", end=end, file=self._log, flush=True)
