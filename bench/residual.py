"""Time residual perturbation against plain training of the same network, and replicas together against one by one.

Run by `python -m bench.residual`. ResNet8 at the paper's widths, SGD on batches of 128 generated images. Times on the
CPU are processor time of one thread, which other work on the machine does not lengthen much; on CUDA wall time.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from lib.perturbation.network import PerturbedResNet8
from lib.perturbation.noise import NoiseForm
from lib.training.device import choose_device
from lib.training.residual import Replica, ResidualRecipe, ResidualTrainer

CLASSES, BATCH = 10, 128
NETWORKS = {  # with gamma
    "plain": (NoiseForm(), 0.0),
    "Strategy I": (NoiseForm(), 0.75),
    "Strategy I, std-scaled": (NoiseForm(scaling="std"), 0.75),
    "Strategy II": (NoiseForm("multiplicative"), 0.75),
    "Strategy II, floor": (NoiseForm("multiplicative", floor=0.1), 0.75),
}


def clock(device: torch.device) -> float:
    """Seconds: processor time on the CPU, wall time elsewhere."""
    if device.type == "cpu":
        return time.process_time()
    torch.cuda.synchronize(device)
    return time.perf_counter()


def epoch_seconds(
    network: PerturbedResNet8,
    data: tuple[np.ndarray, np.ndarray],
    gammas: Sequence[float],
    device: torch.device,
    loop: bool | None = None,
) -> float:
    """Seconds of an epoch of replicas with these gammas, trained together; the least of two, after a first step."""
    x, y = data
    replicas = [Replica(f"replica {k}", np.arange(len(x)), gamma) for k, gamma in enumerate(gammas)]
    recipe = ResidualRecipe(epochs=3, batch=BATCH)
    trainer = ResidualTrainer(network, x, y, replicas, recipe, 0, ("bench",), device, loop=loop)
    trainer.advance()
    spent = []
    for _ in range(2):
        start = clock(device)
        for _ in range(trainer.epoch_steps):
            trainer.advance()
        spent.append(clock(device) - start)
    return min(spent)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--images", type=int, default=3 * BATCH, help="in an epoch")
    parser.add_argument("--side", type=int, default=32, help="pixels")
    parser.add_argument("--channels", type=int, default=3)
    parser.add_argument("--replicas", type=int, nargs="+", default=[2, 5])
    chosen = parser.parse_args()
    device = choose_device(chosen.device, threads=1)
    rng = np.random.default_rng(0)
    shape = (chosen.images, chosen.side, chosen.side, chosen.channels)
    data = rng.integers(0, 256, shape, np.uint8), rng.integers(0, CLASSES, chosen.images)
    plain = PerturbedResNet8(channels=chosen.channels, classes=CLASSES)
    print(f"{shape[0]} images of {chosen.side}x{chosen.side}x{chosen.channels} in an epoch, {device}")
    for norm in ("batch", "group"):
        print(f"\n{norm + ' normalisation':<24} {'s per epoch':>12} {'of plain':>9}")
        before = None
        for name, (form, gamma) in NETWORKS.items():
            spent = epoch_seconds(replace(plain, norm=norm, form=form), data, [gamma], device)
            before = before or spent
            print(f"{name:<24} {spent:>12.2f} {spent / before:>9.2f}")
    print(f"\n{'replicas':>8} {'one by one, s':>14} {'together, s':>12} {'by vmap, s':>11}")
    for count in chosen.replicas:
        gammas = [0.75] * count
        alone = sum(epoch_seconds(plain, data, [gamma], device) for gamma in gammas)
        together, at_once = (epoch_seconds(plain, data, gammas, device, loop) for loop in (None, False))
        print(f"{count:>8} {alone:>14.2f} {together:>12.2f} {at_once:>11.2f}")


if __name__ == "__main__":
    main()
