"""A training job killed half-way goes on from its checkpoint and ends with the bytes of an undisturbed run."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from lib.core.errors import InputError
from lib.core.files import load_arrays
from tests.workflow.running import Pending, Project, environment

DEADLINE = 1800  # seconds until a run must have come as far as the test waits for
MODULE = "lib/core/checkpoint.py"
SHIPPED, OFTEN = "seconds: float = 60.0", "seconds: float = 0.05"  # between two states of a job

# The job trains for a few seconds, most of which are left when it is killed. Averages are so slow that what they held
# at that moment still matters in the end.
PRESET = {
    "preset": "tiny_resume",
    "repetitions": 1,
    "models": {
        "small_mlp": {
            "kind": "mlp",
            "hidden": [32],
            "together": 2,
            "recipe": {"steps": 1500, "batch": 20, "rate": 0.003, "optimizer": "adam", "average": 0.9999},
        },
    },
    "ensembles": {
        "small": {
            "kind": "trained",
            "dataset": "digits",
            "label": "digits",
            "teachers": 16,
            "classes": 10,
            "model": "small_mlp",
            "shard": 8,
            "private": 800,
            "public": 200,
            "test": 100,
        },
    },
}
RESULTS = "results/tiny_resume"


@dataclass(frozen=True)
class Job:
    """A job to kill.

    name: of its checkpoint and log. moment: when to kill it, as finished teachers, which its log tells, and steps of
    those in training.
    """

    rule: str
    name: str
    moment: tuple[int, int]
    outputs: tuple[str, ...]

    def checkpoint(self, project: Project) -> Path:
        """File of its state."""
        return project.root / RESULTS / "checkpoints" / self.rule / f"{self.name}.npz"

    def saved(self, project: Project) -> tuple[int, int] | None:
        """How far its state on disk is, as `moment`; None without one."""
        try:
            state = load_arrays(self.checkpoint(project))
        except InputError:  # not there, or removed while it was read
            return None
        return int(state.get("done", 0)), int(state["step"])

    def progress(self, project: Project) -> dict[int, str]:
        """Lines of its log that tell how far it is, such as `steps: 40/400, loss 0.1`, by the number they tell."""
        text = (project.root / RESULTS / "logs" / self.rule / f"{self.name}.log").read_text()
        return {int(found[1]): found[0] for found in re.finditer(r"^[a-z ]+: (\d+)/\d+.*$", text, re.MULTILINE)}


# Late enough for a line of the log, which a start from the beginning would repeat; late in the group of teachers.
JOB = Job("train_network_teachers", "small/1/1", (2, 1000), (f"{RESULTS}/private/teacher_labels/small/1/1.npz",))


@pytest.fixture
def undisturbed(tmp_path) -> Project:
    """A copy of the project in which the job has run as shipped; not to be changed."""
    project = Project.copy(tmp_path / "undisturbed" / "project", PRESET)
    project.run("--cores", "2", *JOB.outputs)
    return project


def save_often(project: Project) -> None:
    """Let this copy's jobs save their state many times a second, not once a minute."""
    path = project.root / MODULE
    before = path.stat()
    project.edit(MODULE, SHIPPED, OFTEN)
    # the code is an input of these jobs: with a new date Snakemake would make what precedes the job again,
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    # and with the old one Python would take the module as it was compiled before
    shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)


def has_ended(process: psutil.Process) -> bool:
    """Whether it runs no more; one whose parent was killed too may stay a zombie for want of anyone to collect it."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def wait_for(ready, what: str) -> None:
    """Return once `ready()`; fails if that does not come."""
    end = time.monotonic() + DEADLINE
    while not ready():
        assert time.monotonic() < end, f"{what}: not in {DEADLINE} seconds"
        time.sleep(0.03)  # a state is saved every 0.05 seconds


@contextmanager
def running(project: Project, job: Job, printed: Path) -> Iterator[tuple[subprocess.Popen, list[psutil.Process]]]:
    """A run for the job's outputs and the list of its processes, to be completed; none of them outlives the block."""
    with printed.open("w") as stream:
        run = subprocess.Popen(
            project.command("--cores", "1", *job.outputs),
            cwd=project.root,
            env=environment(),
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    processes = [psutil.Process(run.pid)]
    try:
        yield run, processes
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
        for process in processes:
            if not has_ended(process):
                process.kill()


def kill_in_training(project: Project, job: Job, printed: Path) -> tuple[int, int]:
    """Start the job, kill all processes as soon as its saved state is at its moment; returns how far that state is."""
    with running(project, job, printed) as (run, processes):

        def far_enough() -> bool:
            assert run.poll() is None, f"it ended before it could be killed:\n{printed.read_text()}"
            return (job.saved(project) or (0, 0)) >= job.moment

        wait_for(far_enough, "a state in mid-training")
        processes += processes[0].children(recursive=True)
        assert any(f"scripts.{job.rule}" in process.cmdline() for process in processes)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        wait_for(lambda: all(map(has_ended, processes)), "the end of all processes")
    return job.saved(project)


def run_and_watch(project: Project, job: Job, printed: Path) -> list[tuple[int, int]]:
    """Run to the end; returns how far the states were that the job had on disk meanwhile."""
    seen = []
    with running(project, job, printed) as (run, _):

        def ended() -> bool:
            seen.append(job.saved(project))
            return run.poll() is not None

        wait_for(ended, "the end of the run")
    assert run.returncode == 0, printed.read_text()
    return [state for state in seen if state]


def test_killed_in_training_it_goes_on_to_the_same_bytes(undisturbed, tmp_path):
    """SIGKILL, `--unlock`, and the same call again: training goes on from the state that was saved last."""
    job = JOB
    lines = job.progress(undisturbed)
    first, *_, total = lines
    project = undisturbed.duplicate(tmp_path / "project")
    for output in job.outputs:
        (project.root / output).unlink()
    save_often(project)

    saved = kill_in_training(project, job, tmp_path / "killed.txt")
    assert first <= saved[0] < total
    assert not [output for output in job.outputs if (project.root / output).exists()]

    project.run("--unlock")
    seen = run_and_watch(project, job, tmp_path / "printed.txt")
    assert Pending((tmp_path / "printed.txt").read_text()).counts == {job.rule: 1}
    # from the start it would save earlier states, and tell the first line again
    assert min(seen) == saved < max(seen)
    assert job.progress(project) == {count: line for count, line in lines.items() if count > saved[0]}
    for output in job.outputs:
        assert (project.root / output).read_bytes() == (undisturbed.root / output).read_bytes(), output
    assert not any((project.root / RESULTS / "checkpoints").rglob("*.npz*"))
