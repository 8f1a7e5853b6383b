"""Which part of many tests a run takes: another in each, so that as many runs as there are parts take all."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run_number() -> int:
    """Return RUN_NUMBER, or else the number of commits, which is another in the next run; 0 without git."""
    if given := os.environ.get("RUN_NUMBER"):
        return int(given)
    counted = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return int(counted.stdout or 0)


def split() -> tuple[int, int] | None:
    """Return the part that this run takes of its long tests, from 0, and how many parts there are; None for all."""
    if not (given := os.environ.get("PARTS")):
        return None
    if not given.isdecimal() or int(given) < 1:
        raise pytest.UsageError(f"PARTS={given}: allowed is a number of parts, 1 or more")
    return run_number() % int(given), int(given)
