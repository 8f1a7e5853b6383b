"""Slots are held by one process each, and free again when it has ended."""

import subprocess
import sys

import pytest

from lib.core.errors import InputError
from lib.core.locks import claim

HOLD = (
    "import sys; from pathlib import Path; from lib.core.locks import claim; "
    "print(claim(Path(sys.argv[1]), 3), flush=True); sys.stdin.read()"
)


def holder(folder):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    return process, int(process.stdout.readline())


def test_processes_hold_different_slots_until_they_end_even_killed(tmp_path):
    held = [holder(tmp_path / "gpus") for _ in range(3)]
    try:
        assert sorted(number for _, number in held) == [0, 1, 2]
        with pytest.raises(InputError, match="all 3 slots are taken"):
            claim(tmp_path / "gpus", 3, patience=0)
        killed, number = held[1]
        killed.kill()
        killed.wait()
        assert claim(tmp_path / "gpus", 3) == number
    finally:
        for process, _ in held:
            process.kill()
            process.wait()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=f"{tmp_path}/file/gpus: cannot be written"):
        claim(tmp_path / "file" / "gpus", 1)
