"""How a job ends that is out of memory or space, and what is told where its log cannot tell it."""

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
KILLED = "error: a job was killed (signal 9), as by a system that has no memory left"
UNLOGGED = "error: a job could not write its log: no space left?"


def job(statement: str, log: str) -> subprocess.CompletedProcess[str]:
    """A job of one statement, run as a rule runs it."""
    command = f". rules/shared/ended.sh; {sys.executable} -c '{RAISE.format(statement)}' > {log} 2>&1"
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
        ("raise InputError(1)", "/dev/full", UNLOGGED),
        ("print(1, flush=True)", "/dev/full", UNLOGGED),
        ("print(1, file=sys.stderr)", "/dev/full", UNLOGGED),
        ("raise MemoryError", "/dev/full", UNLOGGED),
    ],
)
def test_what_a_log_cannot_tell_is_told(statement, log, told):
    done = job(statement, log)
    assert done.returncode in (120, 137)
    assert done.stderr.splitlines()[-1] == told


def test_nothing_is_told_of_a_job_that_ends_well():
    done = job("print(1)", "/dev/null")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
