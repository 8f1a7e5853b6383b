"""The same bytes whatever the number of cores, and whatever happened on the way."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

from tests.workflow.running import end_now

DEADLINE = 1800  # seconds until a started run must have come as far as the test waits for


def kill_when(running: subprocess.Popen, ready) -> None:
    """Kill the run and all its jobs as soon as `ready()`; fails if that does not come, or the run ends first."""
    end = time.monotonic() + DEADLINE
    try:
        while not ready():
            assert running.poll() is None, "the run ended before it could be killed"
            assert time.monotonic() < end, "the run did not come so far"
            time.sleep(0.02)
    finally:
        end_now(running)


# a rule of which a job runs, an output that is not there yet
MOMENTS = [("train_teachers", "private/votes/digits/1.npz"), ("account", "scalable_pate/table1.csv")]
TARGETS = ("scalable_pate_table1", "scalable_pate_fig1")


def test_a_finished_run_has_all_kinds_of_files(finished):
    kinds = {Path(path).suffix for path in finished.results()}
    assert kinds == {".csv", ".json", ".npy", ".npz", ".png", ".pdf", ".md", ".html", ".safetensors", ".py", ""}


def test_a_killed_run_on_two_cores_goes_on_to_the_bytes_of_one_core(pristine, finished, tmp_path):
    expected = finished.results()
    wanted = set(finished.outputs(*TARGETS)) & set(expected)
    project = pristine.duplicate(tmp_path / "project")
    results = project.root / "results" / "tiny"
    for rule, absent in MOMENTS:
        kill_when(
            project.start("--cores", "2", *TARGETS), lambda rule=rule: any((results / "logs" / rule).rglob("*.log"))
        )
        made = set(project.results())
        assert made and wanted - made
        assert f"results/tiny/{absent}" not in made, "killed too late"
        project.run("--unlock")
    again = project.pending(*TARGETS)
    assert not again.nothing
    assert "prepare_data" not in again.rules, "what was finished is made again"
    project.run("--cores", "2", *TARGETS)
    assert project.pending(*TARGETS).nothing
    found = project.results()
    assert wanted <= set(found) <= set(expected)
    assert [path for path in found if found[path] != expected[path]] == []


def test_a_stopped_run_leaves_no_lock_and_no_temporary_file(pristine, tmp_path):
    project = pristine.duplicate(tmp_path / "project")
    logs = project.root / "results" / "tiny" / "logs" / "train_teachers"
    running = project.start("--cores", "2", "scalable_pate_table1")
    try:
        end = time.monotonic() + DEADLINE
        while not any(logs.rglob("*.log")):
            assert running.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        os.killpg(running.pid, signal.SIGTERM)
        assert running.wait(DEADLINE) != 0
    finally:
        end_now(running)
    # a table's digest lies beside it: of 1.csv in .1.csv.sha256
    assert not [path for path in project.tree() if re.search(r"^results/.*/\.\d+\.(?!.*sha256$)", path)]
    assert "train_teachers" in project.pending().rules
