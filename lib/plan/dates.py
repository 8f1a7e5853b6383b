"""Files dated in the future, after which Snakemake would delete what a finished job made of them."""

import os
from collections.abc import Iterable
from datetime import datetime

from lib.core.errors import InputError


def check_dates(files: Iterable[str], now: float) -> None:
    """Raise InputError that names a file or folder dated after `now`, in seconds since 1970, and how to cure it.

    When a job has finished, Snakemake deletes outputs that are dated before an input. Files that are not there are
    passed over.
    """
    late = {file: date for file in files if (date := _date(file)) > now}
    if late:
        first = min(late)
        more = f" (and {len(late) - 1} more)" * (len(late) > 1)
        raise InputError(
            f"{first}: dated {datetime.fromtimestamp(late[first]):%Y-%m-%d %H:%M:%S}, in the future{more}: Snakemake "
            "would delete what jobs make of it; set the clock right, or `touch` the file"
        )


def _date(file: str) -> float:
    """When a file, or a link to it, was last changed; 0 if there is none."""
    try:
        return max(os.stat(file).st_mtime, os.lstat(file).st_mtime)
    except OSError:
        return 0.0
