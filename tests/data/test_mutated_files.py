"""Whatever is in a file: it is read or refused in one line, and takes no more memory than three times the true one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.data.mutated import KINDS

ROOT = Path(__file__).resolve().parent.parent.parent
LEAST = 2**22  # bytes; what an allocator takes at a time is not what a reader asks for


def read_them(kind, count, seed, folder) -> dict:
    command = [sys.executable, "-m", "tests.data.mutated", kind, str(count), str(seed), str(folder)]
    # every large array has pages of its own, which go when it does: what one file took is not there for the next
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def check(kind: str, found: dict, count: int) -> None:
    assert found["wrong"] == []
    # an archive of CIFAR whose files have not the published digests is refused before anything in it is read
    assert found["true_is"] == ("refused" if kind == "tar" else "read")
    assert found["read"] + found["refused"] == count + 2 and found["bomb"] == "refused"
    assert found["refused"] > count / 4
    assert found["most"] <= 3 * max(found["true"], LEAST)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_file_is_read_or_refused(kind, tmp_path):
    check(kind, read_them(kind, 100, 1, tmp_path), 100)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_of_ten_thousand_changed_files_each_is_read_or_refused(kind, tmp_path):
    check(kind, read_them(kind, 10_000, 2, tmp_path), 10_000)
