"""One of several equal things for one process, such as a GPU: held until the process ends, however it does."""

import fcntl
import time
from pathlib import Path
from typing import IO

from lib.core.errors import InputError

_HELD: list[IO[str]] = []  # open files, whose locks end with the process


def claim(folder: Path, count: int, patience: float = 60.0) -> int:
    """Return the number, from 0, of one of `count` slots that no other process has claimed by the same folder.

    patience: seconds to wait for one, for a process that was stopped may take a while to end. Raises InputError where
    none becomes free, or the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = [open(folder / f"{number}.lock", "w") for number in range(count)]
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error})") from error
    end = time.monotonic() + patience
    while True:
        for number, file in enumerate(files):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            _HELD.append(file)
            return number
        if time.monotonic() > end:
            raise InputError(f"{folder}: all {count} slots are taken; allowed are as many jobs at once")
        time.sleep(1)
