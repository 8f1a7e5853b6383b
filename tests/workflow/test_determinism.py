"""The same bytes whatever the number of cores, and whatever happened on the way."""

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from lib.core.errors import InputError
from lib.core.files import load_arrays
from tests.workflow.running import assert_one_line, end_now

DEADLINE = 1800  # seconds until a started run must have come as far as the test waits for


def assert_same(found: dict[str, bytes], expected: dict[str, bytes]) -> None:
    """Two runs wrote the same files, byte by byte."""
    assert set(found) == set(expected)
    assert [path for path in expected if found[path] != expected[path]] == []


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
WHOLE = ("all", "reproduction")


def test_a_finished_run_has_all_kinds_of_files(finished):
    kinds = {Path(path).suffix for path in finished.results() if path.startswith("results/")}
    assert kinds == {".csv", ".json", ".npy", ".npz", ".png", ".pdf", ".md", ".html", ".safetensors", ".py", ""}


@pytest.mark.parametrize(
    "targets", [("scalable_pate_table1", "scalable_pate_fig1"), pytest.param(WHOLE, marks=pytest.mark.long)]
)
def test_a_killed_run_on_two_cores_goes_on_to_the_bytes_of_one_core(pristine, finished, tmp_path, targets):
    expected = {path: data for path, data in finished.results().items() if path.startswith("results/")}
    wanted = set(finished.outputs(*targets)) & set(expected)
    project = pristine.duplicate(tmp_path / "project")
    results = project.root / "results" / "tiny"
    for rule, absent in MOMENTS:
        kill_when(
            project.start("--cores", "2", *targets), lambda rule=rule: any((results / "logs" / rule).rglob("*.log"))
        )
        made = {path for path in project.results() if path.startswith("results/")}
        assert made and wanted - made
        assert f"results/tiny/{absent}" not in made, "killed too late"
        project.run("--unlock")
    again = project.pending(*targets)
    assert not again.nothing
    assert "prepare_data" not in again.rules, "what was finished is made again"
    project.run("--cores", "2", *targets)
    assert project.pending(*targets).nothing
    found = project.results()
    if targets == WHOLE:
        assert_same(found, finished.results())
    else:
        found = {path: data for path, data in found.items() if path.startswith("results/")}
        assert wanted <= set(found) <= set(expected)
        assert_same(found, {path: expected[path] for path in found})


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


# An array file, and what must be asked for so that a job reads it.
ARRAYS = {
    "private/data/digits.npz": ("scalable_pate_table1", {"split_data", "train_teachers"}),
    "private/votes/digits/1.npz": ("scalable_pate_table1", {"account", "aggregate"}),
    "scalable_pate/aggregated/digits_lnmax/1.npz": ("scalable_pate_table1", {"train_student"}),
}


def corrupt(path: Path) -> None:
    """Flip a byte, about a third into the file, on which reading it depends."""
    content = path.read_bytes()
    for place in range(len(content) // 3, len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            load_arrays(path)
        except InputError:
            return
    raise AssertionError("no byte matters")


DATA, VOTES, ANSWERS = ARRAYS


@pytest.mark.parametrize("path", [VOTES, *(pytest.param(path, marks=pytest.mark.long) for path in (DATA, ANSWERS))])
def test_a_corrupted_intermediate_file_ends_its_readers_with_one_line(changed, path):
    target, readers = ARRAYS[path]
    file = changed.root / "results" / "tiny" / path
    corrupt(file)
    logs = changed.root / "results" / "tiny" / "logs"
    shutil.rmtree(logs)
    before = {path: data for path, data in changed.results().items() if path.endswith((".csv", ".md"))}
    assert changed.pending(target).rules >= readers
    assert changed.snakemake("--cores", "2", target).returncode == 1
    failed = [log for log in logs.rglob("*.log") if "error: " in log.read_text()]
    assert {log.relative_to(logs).parts[0] for log in failed} & readers
    for log in failed:
        assert_one_line(log.read_text(), f"results/tiny/{path}")
    # every table is the old one or gone; none was computed from the corrupted file
    after = {path: data for path, data in changed.results().items() if path.endswith((".csv", ".md"))}
    assert {path for path in after if after[path] != before[path]} == set()


def test_removing_a_corrupted_file_mends_the_run(changed, finished):
    file = changed.root / "results" / "tiny" / "private" / "votes" / "digits" / "1.npz"
    file.unlink()
    changed.run("--cores", "2", "results/tiny/private/votes/digits/1.npz")
    assert changed.pending("all", "reproduction").nothing
    assert_same(changed.results(), finished.results())
