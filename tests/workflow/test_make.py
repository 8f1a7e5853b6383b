"""`make` makes the report when a result or a caption changed, and else leaves it."""

import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.workflow.running import ROOT

# Stands for Snakemake: says what it was called for, and writes the report that it is asked for.
SNAKEMAKE = """#!/bin/sh
echo "called: $*"
case "$1" in --report) test ! -e fail && echo report > "$2" ;; esac
"""
REPORT = "results/quick/report.html"
PROGRAMS = (".venv/bin/snakemake", ".venv/bin/python")  # the latter shows the verdicts


@pytest.fixture
def made(tmp_path) -> Path:
    """A folder in which `make` has nothing to set up, with one result of the workflow."""
    if not shutil.which("make"):
        pytest.skip("needs make")
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.lock", "report/caption.rst", "results/quick/logs/job.log", *PROGRAMS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(SNAKEMAKE)
    for name in PROGRAMS:
        (tmp_path / name).chmod(0o755)
    (tmp_path / ".venv/.installed").touch()
    return tmp_path


def run(folder: Path, stderr: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """`make`, as a user calls it."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    streams = {"stdout": subprocess.PIPE, "stderr": stderr}
    return subprocess.run(["make"], cwd=folder, env=variables, **streams, text=True, timeout=60, check=False)


def reports(folder: Path) -> bool:
    """Whether one more `make`, which must succeed, makes the report."""
    done = run(folder)
    assert done.returncode == 0 and "called: --cores" in done.stdout, done.stdout + done.stderr
    assert (folder / REPORT).read_text() == "report\n"
    return "called: --report" in done.stdout


def test_at_its_end_it_shows_what_was_computed(made):
    assert run(made).stdout.splitlines()[-1] == "called: -m scripts.show_verdicts results/quick"


def test_a_terminal_sees_a_bar_and_a_file_a_line_a_job(made):
    ours, terminal = pty.openpty()
    seen = run(made, stderr=terminal).stdout
    os.close(terminal), os.close(ours)
    assert "called: --cores" in seen and "--logger rich" in seen
    assert "--logger" not in run(made).stdout


def test_the_report_is_made_once(made):
    assert reports(made)
    assert not reports(made)


@pytest.mark.parametrize("changed", ["results/quick/logs/job.log", "results/quick/new.csv", "report/caption.rst"])
def test_the_report_is_made_again_after_a_change(made, changed):
    assert reports(made)
    later = (made / REPORT).stat().st_mtime_ns + 1
    (made / changed).touch()
    os.utime(made / changed, ns=(later, later))
    assert reports(made)


def test_a_failed_report_leaves_none_and_is_tried_again(made):
    (made / "fail").touch()
    assert run(made).returncode != 0
    assert not (made / REPORT).exists()
    (made / "fail").unlink()
    assert reports(made)
