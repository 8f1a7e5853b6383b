"""Runs that are asked to stop, that meet another run, that lose a job or the power, and that are stopped twice."""

import os
import random
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil

from tests.faults import disturbance
from tests.faults.kills import SPREAD, kill_at, killed, moment
from tests.faults.outcome import CLEAR, SURVIVED, UNCLEAR, WRONG, Tried, again, judge
from tests.faults.scene import SOME, Scene, named, outputs
from tests.workflow.running import Project, end_now

PATIENCE = 120.0  # seconds in which a run that is asked to stop ends


def asked(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """Ctrl-C, which all processes of a terminal get, or SIGTERM to Snakemake; the next run needs no unlocking."""
    while True:
        project, jobs = scene.halfway(draw, folder / "project")
        begun, late, how = draw.randrange(SOME), draw.uniform(0, SPREAD), draw.choice(["Ctrl-C", "SIGTERM"])
        running = project.start("--cores", "2", "--", *outputs(jobs))
        try:
            if moment(project, running, jobs, begun, late):
                if how == "Ctrl-C":
                    os.killpg(running.pid, signal.SIGINT)
                else:
                    running.terminate()
                with suppress(subprocess.TimeoutExpired):
                    running.wait(PATIENCE)
                break
        finally:
            hung = running.poll() is None
            end_now(running)
        shutil.rmtree(project.root)  # too late
    what = f"{how} {late:.2f} s after job {begun} of {named(jobs)}"
    if hung:
        return Tried("asked to stop", what, UNCLEAR, f"still there after {PATIENCE:g} s")
    done = project.snakemake("--cores", "2", "--", *outputs(jobs))
    return Tried("asked to stop", what, *judge(scene, project, done, jobs))


def together(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """A second run of the same begins beside the first; the one that comes too late is refused, or finds all done."""
    project, jobs = scene.halfway(draw, folder / "project")
    late = draw.uniform(0, SPREAD)
    with (folder / "first").open("w+") as printed:
        first = project.start("--cores", "1", "--", *outputs(jobs), output=printed)
        try:
            time.sleep(late)
            second = project.snakemake("--cores", "1", "--", *outputs(jobs))
            first.wait()
        finally:
            end_now(first)
        printed.seek(0)
        ended = subprocess.CompletedProcess([], first.returncode, printed.read(), "")
    what = f"{late:.2f} s after the first, {named(jobs)}"
    outcomes = [judge(scene, project, run, jobs, clear="cannot be locked|LockException") for run in (ended, second)]
    order = (SURVIVED, CLEAR, UNCLEAR, WRONG)
    best, worst = sorted(outcomes, key=lambda found: order.index(found[0]))
    if best[0] != SURVIVED and worst[0] == CLEAR:
        return Tried("two at once", what, UNCLEAR, "each was refused for the other")
    return Tried("two at once", what, *(worst if worst[0] not in (SURVIVED, CLEAR) else best))


def lost(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """All that runs below Snakemake is gone at once, as with the node that it ran on; the next run completes it."""
    while True:
        project, jobs = scene.halfway(draw, folder / "project")
        begun, late = draw.randrange(SOME), draw.uniform(0, SPREAD)
        running = project.start("--cores", "2", "--", *outputs(jobs))
        try:
            if moment(project, running, jobs, begun, late):
                below = psutil.Process(running.pid).children(recursive=True)
                for process in below:
                    with suppress(psutil.NoSuchProcess):
                        process.kill()
                running.wait(PATIENCE)
                if below and running.returncode:
                    break
        finally:
            end_now(running)
        shutil.rmtree(project.root)  # too late
    what = f"{late:.2f} s after job {begun} of {named(jobs)}"
    done = project.snakemake("--cores", "2", "--", *outputs(jobs))
    return Tried("lost node", what, *judge(scene, project, done, jobs))


def twice(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """SIGKILL at any moment, and again in the run that was to complete it."""
    project, jobs, what = killed(scene, draw, folder)
    shutil.rmtree(project.root / ".snakemake" / "locks", ignore_errors=True)
    begun, late = draw.randrange(SOME), draw.uniform(0, SPREAD)
    second = kill_at(project, jobs, begun, late)
    what += f", and {late:.2f} s after job {begun}" if second else ", and ended before the second"
    return Tried("kill twice", what, *again(scene, project, jobs))


def power(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """SIGKILL at any moment, and what a job had not synced before it was named is empty or cut in half on the disk."""
    listed = folder / "named"

    def prepare(project: Project) -> dict[str, str]:
        listed.unlink(missing_ok=True)
        disturbance.lay_into(project.root)
        return disturbance.listing(listed)

    project, jobs, what = killed(scene, draw, folder, prepare)
    lines = listed.read_text().splitlines() if listed.exists() else []
    gone = _forget(project, lines, draw)
    what += f", {len(gone)} of {len(lines)} files not synced"
    return Tried("power loss", what, *again(scene, project, jobs))


def _forget(project: Project, lines: list[str], draw: random.Random) -> list[Path]:
    """Empty or halve each result that was named without having been synced; they are returned."""
    found = []
    for line in lines:
        synced, _, name = line.partition(" ")
        path = project.root / name
        if synced == "no" and path.is_file():
            content = path.read_bytes()
            path.write_bytes(content[: draw.choice([0, len(content) // 2])])
            found.append(path)
    return found
