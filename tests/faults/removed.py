"""Snakemake's own records of a run are gone or damaged."""

import random
import shutil
from pathlib import Path

from tests.faults.damage import DAMAGES, damage
from tests.faults.kills import killed
from tests.faults.outcome import Tried, again, judge
from tests.faults.scene import Scene, named


def records(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """Remove `.snakemake` from the finished run, and perhaps some of its last results; run all of it again."""
    gone = draw.sample(scene.jobs, 1) if draw.random() < 0.5 else []
    gone = list(scene.after(gone)) if gone else []
    project = scene.without(gone, folder / "project")
    shutil.rmtree(project.root / ".snakemake")
    done = project.snakemake("--cores", "2", "--", "all")
    what = f"removed{' with ' if gone else ''}{named(gone)}"
    return Tried(".snakemake removed", what, *judge(scene, project, done, list(scene.jobs)))


def damaged(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """SIGKILL at any moment, and then every tenth file of `.snakemake` is damaged."""
    project, jobs, when = killed(scene, draw, folder)
    files = sorted(path for path in (project.root / ".snakemake").rglob("*") if path.is_file() and path.stat().st_size)
    chosen = draw.sample(files, max(1, len(files) // 10))
    for path in chosen:
        damage(path, draw.choice([*DAMAGES][:-1]), draw, dated=False)
    what = f"{len(chosen)} of {len(files)} files after a kill {when}"
    return Tried(".snakemake damaged", what, *again(scene, project, jobs))
