"""A finished file is damaged, and a job reads it."""

import json
import os
import random
import re
import shutil
import time
from pathlib import Path

from tests.faults.outcome import Tried, again, judge
from tests.faults.scene import Job, Scene
from tests.workflow.running import end_now

# What a job hands to the next one, by kind: where it lies and how its name ends.
FILES = {
    "data": ("/private/data/", ".npz"),
    "votes": ("/votes/", ".npz"),
    "arrays": ("", ".npz"),
    "record": ("", ".json"),
    "table": ("", ".csv"),
    "weights": ("", ".safetensors"),
    "figure": ("", ".png"),
}

RELEASE = "results/tiny/release"
RESUMABLE = ("train_mac", "train_worlds", "count_world_votes")  # rules whose jobs save their state


def flipped(content: bytes, draw: random.Random) -> bytes:
    """One bit of one byte is another."""
    place = draw.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << draw.randrange(8)]) + content[place + 1 :]


def halved(content: bytes, draw: random.Random) -> bytes:
    """The first half of it."""
    return content[: len(content) // 2]


def emptied(content: bytes, draw: random.Random) -> bytes:
    """Nothing of it."""
    return b""


def digit(content: bytes, draw: random.Random) -> bytes:
    """One digit is another, and a number with it: what no reader can see from the form of a text."""
    places = [place for place, byte in enumerate(content) if chr(byte).isdigit()]
    while True:
        place = draw.choice(places)
        other = (content[place] - ord("0") + draw.randint(1, 9)) % 10 + ord("0")
        damaged = content[:place] + bytes([other]) + content[place + 1 :]
        if _said(damaged) != _said(content):  # the seventeenth digit of a number may say nothing
            return damaged


def _said(content: bytes) -> object:
    """Return the values of a file of JSON, and of another its bytes."""
    try:
        return json.loads(content)
    except ValueError:
        return content


DAMAGES = {"flipped": flipped, "halved": halved, "emptied": emptied, "digit": digit}  # the last for texts


def damage(path: Path, how: str, draw: random.Random, dated: bool) -> None:
    """Damage a file; `dated`: it bears the date of that, else, as by rot, the one that it had."""
    before = path.stat()
    path.write_bytes(DAMAGES[how](path.read_bytes(), draw))
    if not dated:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def candidates(scene: Scene, file: str) -> list[str]:
    """The files of a kind that some job reads."""
    part, suffix = FILES[file]
    written = [path for job in scene.jobs for path in job.outputs if part in path and path.endswith(suffix)]
    return [path for path in written if scene.readers(path)]


def damaged(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """Damage a file that jobs read, in a way and of a kind drawn at random."""
    file = draw.choice([file for file in FILES if candidates(scene, file)])
    path = draw.choice(candidates(scene, file))
    how = draw.choice([*DAMAGES] if file in ("record", "table") else [*DAMAGES][:-1])
    return damaged_so(scene, draw, folder, path, how, draw.random() < 0.3, draw.choice(scene.readers(path)))


def damaged_so(scene: Scene, draw: random.Random, folder: Path, path: str, how: str, dated: bool, reader: Job) -> Tried:
    """Damage this file in this way, and let this job read it, with all gone that follows from the job."""
    project = scene.without(scene.after([reader]), folder / "project")
    damage(project.root / path, how, draw, dated)
    done = project.snakemake("--cores", "2", "--", *reader.outputs)
    what = f"{path} {how}{', with its new date' if dated else ''}, read by {reader.rule}"
    clear = f"^(?:error:|FAULT ) .*{re.escape(path)}"
    if path.startswith(RELEASE):
        clear += f"|^FAULT .*{re.escape(Path(path).name)}"  # as the release is verified, for whom it is a folder
    return Tried("damage", what, *judge(scene, project, done, [reader], clear=clear, damaged=[path]))


def released(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """Damage a file of the release; the job that verifies releases must refuse it."""
    verifier = next(job for job in scene.jobs if job.rule == "verify_release")
    project = scene.without(scene.after([verifier]), folder / "project")
    files = sorted(path for path in (project.root / RELEASE).rglob("*") if path.is_file() and path.stat().st_size)
    path, how = draw.choice(files), draw.choice([*DAMAGES][:-1])
    damage(path, how, draw, dated=False)
    done = project.snakemake("--cores", "2", "--", *verifier.outputs)
    inside = str(path.relative_to(project.root))
    what = f"{inside} {how}"
    return Tried("release", what, *judge(scene, project, done, [verifier], clear="^FAULT |^error: ", damaged=[inside]))


def state(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """Kill a training that has saved its state, and damage that: it counts as none."""
    while True:
        job = draw.choice([job for job in scene.jobs if job.rule in RESUMABLE])
        project = scene.without(scene.after([job]), folder / "project")
        checkpoints = project.root / "results" / "tiny" / "checkpoints"
        running = project.start("--cores", "2", "--", *job.outputs)
        found: list[Path] = []
        try:
            while running.poll() is None and not found:
                time.sleep(0.01)
                found = [path for path in checkpoints.rglob("*.npz") if not path.name.startswith(".")]
        finally:
            end_now(running)
        if found and found[0].exists():
            break
        shutil.rmtree(project.root)  # it was done before it saved any
    how = draw.choice([*DAMAGES][:-1])
    damage(found[0], how, draw, dated=False)
    what = f"{found[0].relative_to(project.root)} {how}, read by {job.rule}"
    return Tried("damage", what, *again(scene, project, [job]))
