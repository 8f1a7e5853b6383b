"""Measure the training steps of every kind of trainer at its paper's size, on the GPU and on one core of the CPU.

Part of `bench/gpu.sh`. Images are random, since only sizes matter here. Waits are the values that the host reads back
in one step; each makes the device wait. TFLOP/s counts matrix products and convolutions, and is empty for DP-SGD;
its limit is what the device does in a product of two large matrices.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch.utils.flop_counter import FlopCounterMode

from bench import teachers
from bench.dp_mac import BATCH, ghost_step, mac_step
from bench.segmentation import trainers as segmentation_trainers
from lib.models.unet3d import UNet3D
from lib.pate.gan_student import GanSettings, GanTrainer
from lib.pate.replicas import Replicas, stack_parts
from lib.pate.semi_supervised import make_images
from lib.residual_perturbation.dp_sgd import ResidualSgdTrainer
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.residual_perturbation.training import Replica, ResidualTrainer
from lib.training.context import Context
from lib.training.device import choose_device
from lib.training.sgd_recipe import SgdRecipe
from lib.training.timing import clock

Step = Callable[[], object]


@dataclass(frozen=True)
class Size:
    """Sizes of all trainings: the papers', or tiny ones, which only show that every step runs."""

    teachers: int = 250
    images: int = 12_500  # of CIFAR-10
    batch: int = 128
    replicas: int = 5
    patch: tuple[int, int, int] = (128, 128, 96)
    widths: tuple[int, ...] = (16, 32, 64, 128, 256)
    seeds: int = 10
    students: int = 9_000  # images of a GAN student


TINY = Size(2, images=256, batch=8, replicas=2, patch=(32, 32, 32), widths=(2, 4, 4, 4, 4), seeds=2, students=600)


def glyph_teachers(size: Size, device: torch.device) -> tuple[Step, int]:
    """Teachers of Glyph's size, trained at once; samples of all in a step."""
    recipe = teachers.recipe(epochs=10_000, batch=50)
    parts = stack_parts(teachers.part, range(size.teachers), teachers.CLASSES)
    every = Replicas(teachers.NETWORK, parts, recipe, range(size.teachers), Context(0, ("bench",), device))
    return every.advance, size.teachers * recipe.batch


def gan_student(size: Size, device: torch.device) -> tuple[Step, int]:
    """The student of Scalable PATE on MNIST, with its published settings."""
    settings = GanSettings(
        hidden=(1000, 500, 250, 250, 250),
        generator=(500, 500),
        latent=100,
        input_noise=0.3,
        hidden_noise=0.5,
        epochs=300,
        labelled_batch=100,
        unlabelled_batch=100,
        learning_rate=0.003,
        beta1=0.5,
        beta2=0.999,
        decay_start=1,
        unlabelled_weight=1.0,
        average_decay=0.9999,
        initial_batch=500,
    )
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 256, (size.students, 28, 28), np.uint8), rng.integers(0, 10, 100)
    images = make_images(x[:100], y, x[100:], 10, device, 255)
    trainer = GanTrainer(images, 10, settings, Context(0, ("bench",), device))
    return trainer.advance, settings.unlabelled_batch


def cifar(size: Size) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of CIFAR-10's shape."""
    rng = np.random.default_rng(0)
    return rng.integers(0, 256, (size.images, 32, 32, 3), np.uint8), rng.integers(0, 10, size.images)


def residual(size: Size, device: torch.device) -> tuple[Step, int]:
    """Five networks of Strategy I, trained at once."""
    network, recipe = (
        PerturbedResNet8(channels=3, classes=10),
        ResidualRecipe(epochs=10_000, batch=size.batch, rate=0.1),
    )
    x, y = cifar(size)
    replicas = [Replica(str(k), np.arange(len(x)), 0.75) for k in range(size.replicas)]
    trainer = ResidualTrainer(network, x, y, replicas, recipe, Context(0, ("bench",), device))
    return trainer.advance, size.replicas * size.batch


def residual_dp_sgd(size: Size, device: torch.device) -> tuple[Step, int]:
    """DP-SGD of the same network with group normalisation."""
    network = PerturbedResNet8(channels=3, classes=10, norm="group")
    private = SgdRecipe(batch=size.batch, epochs=10_000, rate=0.01, clip=1.0)
    x, y = cifar(size)
    replica = Replica("0", np.arange(len(x)))
    trainer = ResidualSgdTrainer(network, x, y, replica, private, 1.1, Context(0, ("bench",), device))
    return trainer.advance, size.batch


def segmentation(private: bool) -> Callable[[Size, torch.device], tuple[Step, int]]:
    """A U-Net of brain tumours with one patch in a step, plain or by DP-SGD."""

    def made(size: Size, device: torch.device) -> tuple[Step, int]:
        network = UNet3D(channels=4, outputs=1, widths=size.widths)
        return segmentation_trainers(network, 1, size.patch, ["layers"] * private, device)[-1].advance, 1

    return made


TRAININGS: dict[str, Callable[[Size, torch.device], tuple[Step, int]]] = {
    "teachers of Glyph, 250 at once": glyph_teachers,
    "GAN student of MNIST": gan_student,
    "Strategy I on CIFAR-10, 5 at once": residual,
    "DP-SGD on CIFAR-10": residual_dp_sgd,
    "U-Net, 128 x 128 x 96 voxels": segmentation(private=False),
    "U-Net by DP-SGD": segmentation(private=True),
    "DP-MAC on USPS, 10 at once": lambda size, device: (mac_step(range(size.seeds), device), size.seeds * BATCH),
    "DP-SGD on USPS": lambda size, device: (ghost_step(device), BATCH),
}


def limit(device: torch.device, dtype: torch.dtype = torch.float32) -> float:
    """TFLOP a second of the best of five products of two square matrices."""
    side = 8192 if device.type == "cuda" else 2048
    left, right = torch.ones(2, side, side, device=device, dtype=dtype)
    spent = []
    for _ in range(6):
        start = clock(device)
        left @ right
        spent.append(clock(device) - start)
    return 2 * side**3 / min(spent[1:]) / 1e12


def measured(name: str, size: Size, device: torch.device, seconds: float, most: float) -> dict:
    """Samples and TFLOP a second, these as a share of the `most`, waits of one step and peak memory of one training."""
    gpu = device.type == "cuda"
    if gpu:
        torch.cuda.reset_peak_memory_stats(device)
    step, samples = TRAININGS[name](size, device)
    step()
    counted = FlopCounterMode(display=False)
    if "DP-SGD" not in name:  # it cannot look into the hooks of per-sample gradients
        with counted:
            step()
    with warnings.catch_warnings(record=True) as waits:
        warnings.simplefilter("always")
        if gpu:
            torch.cuda.set_sync_debug_mode("warn")
        step()
        if gpu:
            torch.cuda.set_sync_debug_mode("default")
    start, done, end = clock(device), 0, time.monotonic() + seconds
    while not done or time.monotonic() < end:
        step()
        done += 1
    rate = done / (clock(device) - start)
    row = {"training": name, "device": device.type, "steps": done, "samples/s": samples * rate}
    done_per_second = counted.get_total_flops() * rate / 1e12
    row |= {"TFLOP/s": done_per_second or None, "share of limit": done_per_second / most or None}
    return row | ({"waits": len(waits), "GiB": torch.cuda.max_memory_allocated(device) / 2**30} if gpu else {})


def main() -> None:
    """Write the table after each training, so that whatever ends the run loses one row at most."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda", help="cpu or cuda (default: cuda)")
    parser.add_argument("--seconds", type=float, default=10, help="for each training (default: 10)")
    parser.add_argument("--tiny", action="store_true", help="tiny sizes, to try that every step runs")
    parser.add_argument("--bfloat16", action="store_true", help="products in bfloat16, as no job has them")
    parser.add_argument("--table", type=Path, required=True, help="the .csv to write")
    chosen = parser.parse_args()
    rows = []
    device = choose_device(chosen.device, 1)
    dtype = torch.bfloat16 if chosen.bfloat16 else torch.float32
    most = limit(device, dtype)
    for name in TRAININGS:
        try:
            with torch.autocast(device.type, torch.bfloat16, enabled=chosen.bfloat16):
                rows.append(measured(name, TINY if chosen.tiny else Size(), device, chosen.seconds, most))
        except (RuntimeError, torch.OutOfMemoryError) as error:  # the next training says something, too
            rows.append({"training": name, "device": chosen.device, "error": str(error).splitlines()[0]})
        print(rows[-1], flush=True)
        pd.DataFrame(rows).to_csv(chosen.table, index=False, float_format="%.4g")
    if any("error" in row for row in rows):
        raise SystemExit("error: a training failed; the table says which")


if __name__ == "__main__":
    main()
