"""Snakemake's own records of a finished run are gone."""

import random
import shutil
from pathlib import Path

from tests.faults.outcome import Tried, judge
from tests.faults.scene import Scene, named


def records(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """Remove `.snakemake` from the finished run, and perhaps some of its last results; run all of it again."""
    gone = draw.sample(scene.jobs, 1) if draw.random() < 0.5 else []
    gone = list(scene.after(gone)) if gone else []
    project = scene.without(gone, folder / "project")
    shutil.rmtree(project.root / ".snakemake")
    done = project.snakemake("--cores", "2", "--", *scene.targets)
    what = f"removed{' with ' if gone else ''}{named(gone)}"
    return Tried(".snakemake removed", what, *judge(scene, project, done, list(scene.jobs)))
