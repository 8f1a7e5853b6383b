"""A full or read-only disk: results lie on a file system of their own, which has too little room or takes nothing."""

import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.faults.outcome import CLEAR, SKIPPED, SURVIVED, UNCLEAR, Tried, again, judge
from tests.faults.scene import Job, Scene, named, outputs
from tests.workflow.running import Project

PAGE = 4096


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[None]:
    """Put a file system of `size` bytes under a folder, with all that it holds; PermissionError without the right."""
    aside = folder.with_name(f"{folder.name}_aside")
    folder.rename(aside)
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PermissionError(done.stderr.strip())
    try:
        shutil.copytree(aside, folder, dirs_exist_ok=True)
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def used(path: Path) -> int:
    """Bytes that a file, or all the files below a folder, take on a disk: pages filled up."""
    files = [path] if path.is_file() else [found for found in path.rglob("*") if found.is_file()]
    return sum(-(-file.stat().st_size // PAGE) * PAGE for file in files)


def remounted(scene: Scene, project: Project, jobs: list[Job], option: str, reason: str) -> tuple[str, str]:
    """(outcome, reason) of one more run on the same file system, mounted with an option that lets it be written."""
    subprocess.run(["mount", "-o", f"remount,{option}", str(project.root / "results")], check=True)
    outcome, after = again(scene, project, jobs)
    return outcome, after or f"after: {reason}"


def full(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """The run ends for want of space; with room again, one more run completes it."""
    while True:
        project, jobs = scene.halfway(draw, folder / "project")
        disk = project.root / "results"
        needed = sum(used(scene.project.root / path) for path in outputs(jobs))
        room = draw.randrange(0, needed, PAGE)
        try:
            with small_disk(disk, used(disk) + room):
                done = project.snakemake("--cores", "2", "--", *outputs(jobs))
                outcome, reason = judge(scene, project, done, jobs, clear="^error: .*no space left")
                if outcome == CLEAR:
                    outcome, reason = remounted(scene, project, jobs, "size=1G", reason)
                elif outcome == SURVIVED:
                    outcome = None
        except PermissionError as error:
            return Tried("full disk", "", SKIPPED, f"needs the right to mount ({error})")
        if outcome:
            what = f"{room} of {needed} bytes for {named(jobs)}"
            return Tried("full disk", what, outcome, reason)
        shutil.rmtree(project.root)  # it was enough


def read_only(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """Nothing can be written below results; once it can, one more run completes it."""
    project, jobs = scene.halfway(draw, folder / "project")
    disk, what = project.root / "results", named(jobs)
    try:
        with small_disk(disk, 2 * used(disk) + (64 << 20)):
            subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
            done = project.snakemake("--cores", "2", "--", *outputs(jobs))
            outcome, reason = judge(scene, project, done, jobs, clear="ead-only file system")
            if outcome == CLEAR:
                outcome, reason = remounted(scene, project, jobs, "rw", reason)
            elif outcome == SURVIVED:
                outcome, reason = UNCLEAR, "nothing could be written, and the run says that it is done"
    except PermissionError as error:
        return Tried("read-only disk", "", SKIPPED, f"needs the right to mount ({error})")
    return Tried("read-only disk", what, outcome, reason)
