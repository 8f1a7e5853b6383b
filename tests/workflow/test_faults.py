"""A handful of the faults of `python -m tests.faults`, another class a run: nothing wrong is taken for right."""

import os
import random
import subprocess

import pytest

from tests.faults import damage, kills, removed, space
from tests.faults.__main__ import KINDS, left
from tests.faults.outcome import CLEAR, SKIPPED, SURVIVED, Tried
from tests.faults.scene import Scene
from tests.workflow.running import ROOT


@pytest.fixture(scope="module")
def scene(finished) -> Scene:
    """The finished run that the tests of this folder share."""
    return Scene.of(finished)


def run_number() -> int:
    """Return RUN_NUMBER, or else the number of commits, which is another in the next run; 0 without git."""
    if given := os.environ.get("RUN_NUMBER"):
        return int(given)
    counted = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return int(counted.stdout or 0)


# `state` needs a run that saves its state all the time: tests/core/test_checkpoint.py damages states
IN_TURN = [kind for kind in KINDS if kind != "state"]


@pytest.mark.parametrize("number", [run_number()])
def test_another_class_in_each_run(scene, tmp_path, number):
    kind = IN_TURN[number % len(IN_TURN)]
    tried = KINDS[kind](scene, random.Random(f"{number} {kind}"), tmp_path)
    if tried.outcome == SKIPPED:
        pytest.skip(tried.reason)
    assert tried.outcome in (SURVIVED, CLEAR), f"{tried}; to repeat it: RUN_NUMBER={number}"


def test_every_class_has_its_turn_within_20_runs():
    assert {*KINDS} - {"state"} == {*IN_TURN} and len(IN_TURN) <= 20


FAULTS = [kills.any_moment, kills.any_moment_without_records, kills.in_writing, kills.job_for_memory, removed.records]


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_one_more_run_gives_the_same_bytes(scene, tmp_path, fault):
    tried = fault(scene, random.Random(1), tmp_path)
    assert tried.outcome == SURVIVED, tried


@pytest.mark.long
def test_a_full_disk_is_told_and_with_room_again_the_run_completes(scene, tmp_path):
    tried = space.full(scene, random.Random(1), tmp_path)
    if tried.outcome == SKIPPED:
        pytest.skip(tried.reason)
    assert tried.outcome == SURVIVED, tried


# a file of each kind, a rule that reads it, and how it is damaged
FILES = {
    "results/tiny/private/data/digits.npz": ("split_data", "halved"),
    "results/tiny/scalable_pate/accounts/digits_confident/1.json": ("scalable_pate_table1", "digit"),
    "results/tiny/leaderboard/attacks/0.csv": ("leaderboard", "digit"),
    "results/tiny/release_parts/digits_confident/1.safetensors": ("release", "flipped"),
}


DATA, RECORD, TABLE, WEIGHTS = FILES


@pytest.mark.parametrize(
    ("path", "dated"),
    [
        (RECORD, False),
        (DATA, False),
        *(pytest.param(*one, marks=pytest.mark.long) for one in [(DATA, True), (TABLE, False), (WEIGHTS, False)]),
    ],
)
def test_a_damaged_file_is_refused_by_the_job_that_reads_it(scene, tmp_path, path, dated):
    """Rot keeps a file's date; other damage gives it a new one, with which Snakemake sees it."""
    rule, how = FILES[path]
    reader = next(job for job in scene.readers(path) if job.rule == rule)
    tried = damage.damaged_so(scene, random.Random(3), tmp_path, path, how, dated, reader)
    assert tried.outcome == CLEAR, tried


def test_a_call_that_stopped_is_gone_on_with_class_by_class():
    tried = [Tried(kind, "", SURVIVED) for kind in ("disk", "kill", "disk")]
    kinds = ["kill", "kill", "disk", "disk", "disk", "power"]
    assert list(left(kinds, tried)) == [("kill", 1), ("disk", 2), ("power", 0)]
    assert list(left(kinds, [])) == [("kill", 0), ("kill", 1), ("disk", 0), ("disk", 1), ("disk", 2), ("power", 0)]
