"""Measures what jobs of finished runs took, for bench/paper_cost.py: writes bench/measured.csv.

    python -m bench.measured results/real results/quick

Processor time is that of Snakemake's benchmark files. A few steps of networks that no finished run has trained are
timed here. Rows of rules that these folders know nothing of stay as they are, so that one paper can be run again alone.
"""

import argparse
import itertools
import json
import math
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from bench.benchmarks import read_benchmark
from bench.presets import ROOT, planned
from bench.segmentation import seconds, trainers
from bench.work import STUDENTS, teacher_flops, unet_flops, unet_kind, vat_flops, work_of
from lib.core.files import atomic_path
from lib.models.student_gan import GanClassifier
from lib.models.student_vat import BATCH, VatClassifier
from lib.models.unet3d import UNet3D
from lib.students.networks import teacher_network, teacher_recipe
from lib.teachers.replicas import Replicas, stack_parts
from lib.training.device import choose_device

MEASURED = ROOT / "bench" / "measured.csv"
TIMED = "timed alone"


def finished(folders: Sequence[Path]) -> pd.DataFrame:
    """Processor seconds of all jobs of finished runs that their presets plan today, by preset, rule and kind.

    folders: of results, named like their presets.
    """
    rows = []
    for preset in dict.fromkeys(folder.name for folder in folders):
        with tempfile.TemporaryDirectory() as folder:
            jobs, config = planned(preset, Path(folder))
        for job in jobs:
            for folder in folders:
                if job.benchmark is None or folder.name != preset:
                    continue
                path = folder / Path(job.benchmark).relative_to(f"results/{preset}")
                if path.exists():
                    work = work_of(job, config)
                    rows.append((preset, job.rule, work.kind, 1, read_benchmark(path)["cpu_time"], work.amount))
                    break
    table = pd.DataFrame(rows, columns=["preset", "rule", "kind", "jobs", "seconds", "amount"])
    return table.groupby(["preset", "rule", "kind"], as_index=False).sum()


def timed_teachers(model: dict, shape: tuple[int, ...], classes: int, steps: int = 3) -> dict:
    """Some steps of one teacher of a kind that no finished run has trained, on this machine and one thread."""
    device = choose_device("cpu", threads=1)
    rng, batch = np.random.default_rng(0), model["recipe"]["batch"]
    parts = stack_parts(
        lambda t: (rng.integers(0, 256, (batch, *shape), np.uint8), rng.integers(0, classes, batch)), range(1), classes
    )
    network = teacher_network(model, shape, classes)
    replicas = Replicas(network, parts, teacher_recipe(model), 0, ("bench",), range(1), device)
    replicas.advance()
    start = time.process_time()
    for _ in range(steps):
        replicas.advance()
    return {
        "preset": TIMED,
        "rule": "train_network_teachers",
        "kind": model["kind"],
        "jobs": 1,
        "seconds": time.process_time() - start,
        "amount": teacher_flops(json.dumps(model), shape, classes) * steps * batch,
    }


def timed_unets(widths: tuple[int, ...], clipping: str, patch: tuple[int, int, int] = (64, 64, 64)) -> list[dict]:
    """A step of U-Nets wider than those of finished runs, plain and by DP-SGD, on one patch of four channels."""
    network = UNet3D(channels=4, outputs=4, widths=widths)
    device = choose_device("cpu", threads=1)
    times = [seconds(made.advance, device, 1) for made in trainers(network, 1, patch, [clipping], device)]
    plain, private = (
        {
            "preset": TIMED,
            "kind": unet_kind(widths),
            "jobs": 1,
            "seconds": time,
            "amount": unet_flops(4, 4, widths, patch),
        }
        for time in times
    )
    rules = {"train_mask_teachers": plain, "train_mask_students": plain, "train_mask_dp_sgd": private}
    return [{"rule": rule} | row for rule, row in rules.items()]


def timed_students(vat: dict, gan: dict, batch: int = 32) -> list[dict]:
    """A pass forward and back of the published students' networks, on images of MNIST's size."""
    choose_device("cpu", threads=1)
    rng = np.random.default_rng(0)
    images, classes = torch.rand(batch, 1, 28, 28), 10
    convolutional = VatClassifier(1, vat["blocks"], vat["top"], classes, vat["slope"], 0.0, vat["momentum"], rng)
    dense = GanClassifier(28 * 28, gan["hidden"], classes, 0.0, 0.0, rng)
    rows = []
    for kind, run in (
        ("convolutional", lambda: convolutional(images, BATCH)),
        ("GAN", lambda: dense(images.flatten(1))),
    ):
        run().sum().backward()
        start = time.process_time()
        run().sum().backward()
        row = {"kind": kind, "jobs": 1, "seconds": time.process_time() - start}
        widths = (28 * 28, *gan["hidden"], classes)
        once = 6 * sum(math.prod(pair) for pair in itertools.pairwise(widths))
        row["amount"] = batch * (once if kind == "GAN" else vat_flops(json.dumps(vat), (28, 28), 1, classes))
        rows += [{"preset": TIMED, "rule": rule} | row for rule in STUDENTS]
    return rows


def main() -> None:
    """Write the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, help="folders of finished runs, named like their presets")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _, config = planned("paper", Path(folder))
    task, sgd = config["segmentation"]["tasks"]["msd_paper"], config["autoencoded_pate"]["results"]["dp_sgd"]
    timed = [timed_teachers(config["models"]["glyph_resnet"], (28, 28), 150)]
    timed += timed_students(*(config["models"][name] for name in ("glyph_vat_published", "mnist_gan_published")))
    timed += timed_unets(tuple(task["widths"]), sgd["recipe"]["clipping"])
    found, before = pd.concat([finished(arguments.results), pd.DataFrame(timed)]), pd.read_csv(MEASURED)
    known = pd.MultiIndex.from_frame(found[["preset", "rule"]])
    stays = ~pd.MultiIndex.from_frame(before[["preset", "rule"]]).isin(known)
    table = pd.concat([before[stays], found]).sort_values(["preset", "rule", "kind"])
    table = table.astype({"seconds": float, "amount": float})  # where no run is found all columns are objects
    with atomic_path(MEASURED) as temporary:
        table.to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
