"""How a job begins and ends that is out of memory or space, and what is told where its log cannot tell it."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from tests.workflow.running import ROOT, environment

RAISE = """
import os, signal, sys
from lib.core.command import run
from lib.core.errors import InputError

def main():
    {}

run(main)
"""
MAPPED = "error: a job was killed (signal 7), as for a mapped file on a disk that is full or gone"
KILLED = "error: a job was killed (signal 9), as by a system that has no memory left"
CRASHED = "error: a job was killed (signal {}), as by a library that crashes, perhaps on a damaged file"
STOPPED = "error: a job was stopped (signal {})"
UNLOGGED = "error: a job could not write its log: no space left?"


def job(statement: str, log: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """A job of one statement, run as a rule runs it in a shell that has read `before`."""
    command = f"{before} set -euo pipefail; . rules/shared/job.sh; "
    command += f"{sys.executable} -c '{RAISE.format(statement)}' > {log} 2>&1"
    environ = environment(PYTHONPATH=str(ROOT))
    return subprocess.run(["bash", "-c", command], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("raise InputError(1)", "error: 1"),
        ("raise MemoryError", "error: out of memory: nothing was left"),
        ("bytearray(1 << 60)", "error: out of memory: nothing was left"),
        (
            'raise RuntimeError("DefaultCPUAllocator: not enough memory: you tried to\\n allocate memory")',
            "error: out of memory: DefaultCPUAllocator: not enough memory: you tried to allocate memory",
        ),
        (
            'open("/dev/full", "w").write("x" * 100_000)',
            "error: what is printed: no space left on the device; make room and run again",
        ),
    ],
)
def test_it_ends_with_one_line(tmp_path, statement, line):
    log = tmp_path / "log"
    done = job(statement, str(log))
    assert (done.returncode, log.read_text(), done.stderr) == (1, f"{line}\n", "")


@pytest.mark.parametrize(
    ("statement", "log", "told"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "/dev/null", KILLED),
        ("os.kill(os.getpid(), signal.SIGBUS)", "/dev/null", MAPPED),
        ("raise InputError(1)", "/dev/full", UNLOGGED),
        ("print(1, flush=True)", "/dev/full", UNLOGGED),
        ("print(1, file=sys.stderr)", "/dev/full", UNLOGGED),
        ("raise MemoryError", "/dev/full", UNLOGGED),
    ],
)
def test_what_a_log_cannot_tell_is_told(statement, log, told):
    done = job(statement, log)
    assert done.returncode in (120, 135, 137)
    assert done.stderr.splitlines()[-1] == told


@pytest.mark.parametrize(
    ("name", "line"),
    [(name, CRASHED) for name in ("SIGILL", "SIGABRT", "SIGFPE", "SIGSEGV")]
    + [(name, STOPPED) for name in ("SIGHUP", "SIGINT", "SIGTERM", "SIGXCPU", "SIGXFSZ", "SIGRTMAX")],
)
def test_any_signal_that_ends_it_is_told(name, line):
    number = signal.Signals[name].value
    # Python itself ignores SIGXFSZ, and makes an exception of SIGINT
    statement = f"signal.signal({number}, signal.SIG_DFL); os.kill(os.getpid(), {number})"
    done = job(statement, "/dev/null")
    assert done.returncode == 128 + number
    assert done.stderr.splitlines()[-1] == line.format(number)


def test_nothing_is_told_of_a_job_that_ends_well():
    done = job("print(1)", "/dev/null")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


LEAST = 384 + 128 * min(os.cpu_count(), 64)  # MiB


@pytest.mark.parametrize("size", [100, LEAST - 1])
def test_with_too_little_address_space_it_does_not_begin(size):
    done = job("print(1)", "/dev/stdout", f"ulimit -v {size * 1024};")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: jobs may have {size} MiB of address space, too little memory to start")
    assert f"{LEAST} MiB at least" in line


def test_a_job_that_cannot_import_torch_says_what_it_needs(tmp_path):
    done = job("import torch", str(tmp_path / "log"), "ulimit -v 2048000;")
    assert done.returncode == 1 and "Error" in (tmp_path / "log").read_text()
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: a job failed that may have 2000 MiB of address space: PyTorch takes 3600 MiB")
    assert "jobs that train 6000 MiB" in line and line.endswith("raise `ulimit -v`")
    assert not job("raise InputError(1)", "/dev/null", "ulimit -v 8192000;").stderr


def test_with_enough_it_begins():
    done = job("import scipy.special; print(1)", "/dev/stdout", f"ulimit -v {LEAST * 1024};")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


def test_it_finds_a_method_on_pythonpath(pristine, tmp_path):
    """docs/leaderboard.md: a method lies in the working folder, is installed, or is on PYTHONPATH."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    shutil.copy(ROOT / "docs" / "examples" / "noisy_means.py", folder / "my_means.py")
    mine = {"title": "mine", "kind": "external", "entry": "my_means:NoisyMeans", "promises": True}
    project = pristine.duplicate(tmp_path / "project")
    project = project.over({"leaderboard": {"methods": {"mine": mine}, "chosen": ["plain", "mine"]}})
    made = "results/tiny/leaderboard/models/mine/8/0.json"
    project.run("--cores", "1", "--", made, PYTHONPATH=str(folder))
    assert (project.root / made).is_file()
