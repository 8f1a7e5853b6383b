"""What comes from outside: a download that breaks, and files below `data_root` that are damaged or gone."""

import gzip
import hashlib
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
from torchvision.datasets import MNIST

from lib.core.files import fingerprint, save_arrays
from lib.data.sources import mnist
from tests.data.conftest import idx_bytes
from tests.data.made_sets import arrays_of
from tests.data.serving import breaks, serving
from tests.faults.damage import DAMAGES, damage
from tests.faults.kills import SPREAD, kill_at
from tests.faults.outcome import CLEAR, WRONG, Tried, again, judge
from tests.faults.scene import Job, Scene
from tests.workflow.running import Project

SET = "mnist"
RESULTS = "results/tiny"
DATA, FILES = f"{RESULTS}/private/data/{SET}.npz", f"{RESULTS}/downloads/{SET}"
PREPARE = Job("prepare_data", (DATA,), frozenset(), f"{RESULTS}/logs/prepare_data/{SET}.log")
DOWNLOAD = Job("download_data", (FILES,), frozenset(), f"{RESULTS}/logs/download_data/{SET}.log")
# of the server, and of the run itself
BREAKS = ("cut", "reset", "missing", "down", "wrong", "killed")
REGISTRY, TORCHVISION, FETCHING = "lib/data/sources/mnist.py", "lib/data/torchvision_sets.py", "lib/data/download.py"


def made(scene: Scene, folder: Path, overlay: dict) -> tuple[Scene, Project, dict[str, np.ndarray]]:
    """A copy whose MNIST is a small drawn one, that set, and the scene with what reading it makes."""
    arrays = arrays_of(SET)
    project = scene.project.duplicate(folder / "project").over(overlay)
    project.edit(REGISTRY, mnist.DATASETS[SET].fingerprint, fingerprint(**arrays))
    expected = folder / "expected.npz"
    save_arrays(expected, **arrays, fingerprint=np.array(fingerprint(**arrays)))
    return replace(scene, expected=scene.expected | {DATA: expected.read_bytes()}), project, arrays


def download(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """The server breaks off, says that it is down or has no such file, or sends another; or the run is killed.

    Some requests or all are answered so; once the server is well, one more run completes it.
    """
    scene, project, arrays = made(scene, folder, {"datasets": {SET: {"source": "download"}}})
    public = folder / "public"
    public.mkdir()
    known = []
    for (file, _), array in zip(MNIST.resources, arrays.values(), strict=True):
        content = gzip.compress(idx_bytes(array))
        (public / file).write_bytes(content)
        known.append((file, hashlib.md5(content, usedforsecurity=False).hexdigest()))
        scene.expected[f"{FILES}/MNIST/raw/{Path(file).stem}"] = idx_bytes(array)
    how, requests = draw.choice(BREAKS), draw.choice([1, 2, 3, 1000])
    with serving(public) as server:
        served = f"torchvision.datasets.MNIST.mirrors = ['{server.url}/']"
        served += f"\n    torchvision.datasets.MNIST.resources = {known}"
        old = "    import torchvision.datasets\n"
        project.edit(TORCHVISION, old, f"{old}    {served}\n")
        project.edit(FETCHING, "wait: float = 2.0", "wait: float = 0.05")
        if how == "killed":
            late = draw.uniform(0, SPREAD)
            what = f"killed {late:.2f} s after the download began"
            kill_at(project, [DOWNLOAD], 1, late, no_proxy="127.0.0.1")
            return Tried("download", what, *again(scene, project, [PREPARE], no_proxy="127.0.0.1"))
        breaks(server, how, requests)
        done = project.snakemake("--cores", "2", "--", DATA, no_proxy="127.0.0.1")
        outcome, reason = judge(scene, project, done, [PREPARE], clear="^error: .*could not be downloaded")
        if outcome == CLEAR:
            breaks(server, None)
            outcome, after = again(scene, project, [PREPARE], no_proxy="127.0.0.1")
            reason = after or f"after: {reason}"
    return Tried("download", f"{how}, {requests} requests", outcome, reason)


def below_data_root(scene: Scene, draw: random.Random, folder: Path) -> Tried:
    """Damage or remove a file that a person has laid there: it is named and left as it is; a whole one is read."""
    root = folder / "data_root"
    root.mkdir()
    scene, project, arrays = made(scene, folder, {"data_root": str(root)})
    path = root / f"{SET}.npz"
    np.savez_compressed(path, **arrays)
    whole = path.read_bytes()
    how = draw.choice([*[*DAMAGES][:-1], "removed"])
    if how == "removed":
        path.unlink()
    else:
        damage(path, how, draw, dated=False)
    before = path.read_bytes() if path.exists() else None
    done = project.snakemake("--cores", "2", "--", DATA)
    outcome, reason = judge(scene, project, done, [PREPARE], clear=f"^error: .*{SET}")
    if before != (path.read_bytes() if path.exists() else None):
        return Tried("data_root", how, WRONG, f"{path.name} was changed")
    if outcome == CLEAR:
        path.write_bytes(whole)
        outcome, after = again(scene, project, [PREPARE])
        reason = after or f"after: {reason}"
    return Tried("data_root", how, outcome, reason)
