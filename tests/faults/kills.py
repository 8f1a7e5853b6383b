"""Killing: the whole run at any moment, or one job as the system does that runs out of memory."""

import random
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from tests.faults import disturbance
from tests.faults.outcome import CLEAR, SURVIVED, Tried, again, judge
from tests.faults.scene import SOME, Job, Scene, named, outputs
from tests.workflow.running import Project, end_now

SPREAD = 4.0  # seconds of processor time within which it is killed after a job began: what a job takes, and more
# of jobs, or of what they import, which cannot be caught
NO_MEMORY = "^error: .*memory|^MemoryError|annot allocate memory|failed to map segment|emory allocation"
# bytes of address space: too little to start, for PyTorch, for networks
MEMORY = [600 << 20, 1200 << 20, 3250 << 20]


def processor_time(process: psutil.Process) -> float:
    """Seconds that a process and all below it have computed, those included that have ended."""
    total = 0.0
    for one in [process, *process.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            total += sum(one.cpu_times()[:4])
    return total


def moment(project: Project, running: subprocess.Popen, jobs: list[Job], begun: int, late: float) -> bool:
    """Wait for `late` seconds of processor time after `begun` of the jobs began; False if the run ended before."""
    process, since = psutil.Process(running.pid), None
    while running.poll() is None:
        time.sleep(0.02)
        if sum((project.root / job.log).exists() for job in jobs) >= begun:
            with suppress(psutil.NoSuchProcess):
                now = processor_time(process)
                since = now if since is None else since
                if now - since >= late:
                    return True
    return False


def kill_at(project: Project, jobs: list[Job], begun: int, late: float, **more: str) -> bool:
    """Kill a run at a `moment`; False if it ended before. more: environment variables."""
    running = project.start("--cores", "2", "--", *outputs(jobs), **more)
    try:
        return moment(project, running, jobs, begun, late)
    finally:
        end_now(running)


def killed(
    scene: Scene,
    draw: random.Random,
    folder: Path,
    prepare: Callable[[Project], dict[str, str]] = lambda project: {},
) -> tuple[Project, list[Job], str]:
    """A copy whose run was killed at a random moment, the jobs that it was to make, and when that was.

    prepare: makes a copy ready, and gives the environment variables of its run.
    """
    while True:
        project, jobs = scene.halfway(draw, folder / "project")
        begun, late = draw.randrange(SOME), draw.uniform(0, SPREAD)
        if kill_at(project, jobs, begun, late, **prepare(project)):
            return project, jobs, f"{late:.2f} s after job {begun} of {named(jobs)}"
        shutil.rmtree(project.root)  # too late


def any_moment(scene: Scene, draw: random.Random, folder: Path, without_records: bool = False) -> Tried:
    """SIGKILL to the run and all its jobs at a random moment; then perhaps without Snakemake's own records."""
    kind = "kill, .snakemake removed" if without_records else "kill"
    project, jobs, what = killed(scene, draw, folder)
    if without_records:
        shutil.rmtree(project.root / ".snakemake")
    return Tried(kind, what, *again(scene, project, jobs))


def any_moment_without_records(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """SIGKILL as in `kill`, and Snakemake's own records are removed before the run that follows."""
    return any_moment(scene, draw, folder, without_records=True)


def in_writing(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """SIGKILL to the run and all its jobs when one of them begins to write a file or is about to rename it."""
    while True:
        project, jobs = scene.halfway(draw, folder / "project")
        disturbance.lay_into(project.root)
        event, count = draw.choice([disturbance.WRITING, disturbance.RENAMING]), draw.randint(1, 3)
        settings = disturbance.kill(event, count, everything=True)
        running = project.start("--cores", "2", "--", *outputs(jobs), **settings)
        running.wait()
        if running.returncode < 0:
            break
        shutil.rmtree(project.root)  # no job wrote so many files
    what = f"at {event} {count} of one of {named(jobs)}"
    return Tried("kill in writing", what, *again(scene, project, jobs))


def job_for_memory(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """A job alone is killed, as by a system that has no memory left, or gets none when it asks for it."""
    while True:
        project, jobs = scene.halfway(draw, folder / "project")
        disturbance.lay_into(project.root)
        size = draw.choice([None, *MEMORY])
        settings = disturbance.kill(disturbance.WRITING, 1, everything=False)
        if size:
            settings = disturbance.memory(project.root, size)
        done = project.snakemake("--cores", "2", "--", *outputs(jobs), **settings)
        outcome, reason = judge(scene, project, done, jobs, clear=NO_MEMORY)
        if outcome != SURVIVED:
            break
        shutil.rmtree(project.root)  # it was enough
    what = f"{f'{size >> 20} MiB' if size else 'killed'}: {named(jobs)}"
    if outcome != CLEAR:
        return Tried("memory", what, outcome, reason)
    outcome, after = again(scene, project, jobs)
    return Tried("memory", what, outcome, after or f"after: {reason}")
