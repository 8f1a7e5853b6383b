"""Time a step of a 3D U-Net: plain training, as here and with channels first in memory, DP-SGD with either clipping,
and prediction of one window.

Run by `make bench`; more sizes by its options. Seconds a step of `--batch` patches on the CPU are processor time of
one thread, which other work on the machine does not lengthen much; on CUDA wall time.
"""

import argparse
import math
import time
from collections.abc import Callable, Sequence

import numpy as np
import torch

from bench.baseline import compare
from bench.growth import print_growth
from lib.models.unet3d import UNet3D
from lib.segmentation.dp_sgd import CLIPPINGS, SegmentationSgdTrainer
from lib.segmentation.prediction import predicted_masks
from lib.segmentation.segmentation_recipes import SegmentationRecipe, SegmentationSgdRecipe
from lib.segmentation.training import SegmentationTrainer
from lib.training.context import Context
from lib.training.device import choose_device


def seconds(work: Callable[[], object], device: torch.device, repeats: int) -> float:
    """Least time of one call, after one that is not counted."""
    found = []
    for _ in range(repeats + 1):
        if device.type == "cuda":
            torch.cuda.synchronize()
        clock = time.perf_counter if device.type == "cuda" else time.process_time
        start = clock()
        work()
        if device.type == "cuda":
            torch.cuda.synchronize()
        found.append(clock() - start)
    return min(found[1:])


def trainers(
    network: UNet3D, batch: int, patch: tuple[int, int, int], clippings: Sequence[str], device: torch.device
) -> list[SegmentationTrainer | SegmentationSgdTrainer]:
    """Plain training of a network on random images, and DP-SGD with each clipping."""
    rng, rows = np.random.default_rng(0), np.arange(batch)
    images = rng.standard_normal((batch, network.channels, *patch), np.float32)
    labels = rng.integers(0, 2, (batch, *patch), np.uint8)
    recipe = SegmentationRecipe(steps=1000, batch=batch, patch=patch)
    context = Context(0, ("bench",), device)
    found = [SegmentationTrainer(network, images, labels, rows, recipe, context)]
    for clipping in clippings:
        private = SegmentationSgdRecipe(batch=batch, epochs=1000, rate=1e-3, clip=1.0, clipping=clipping, patch=patch)
        found.append(SegmentationSgdTrainer(network, images, labels, rows, private, 1.0, None, context))
    return found


def main() -> None:
    """Print one line a network and patch."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batch", type=int, default=2, help="patches in a step")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--widths", nargs="+", default=["4,8,16,32,64"])
    parser.add_argument("--patches", nargs="+", default=["32,32,16", "32,32,32", "64,32,32"])
    parser.add_argument("--channels", nargs="+", type=int, default=[4])
    parser.add_argument("--outputs", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="leave DP-SGD out")
    chosen = parser.parse_args()
    device, rng = choose_device(chosen.device, 1), np.random.default_rng(0)
    methods, found = ["plain", "channels first", *([] if chosen.plain else CLIPPINGS), "window"], {}
    print("widths              patch      channels  " + "  ".join(f"{method:14}" for method in methods))
    for widths in chosen.widths:
        for patch in chosen.patches:
            for channels in chosen.channels:
                sides = tuple(map(int, patch.split(",")))
                network = UNet3D(channels=channels, outputs=chosen.outputs, widths=tuple(map(int, widths.split(","))))
                made = trainers(network, chosen.batch, sides, [] if chosen.plain else CLIPPINGS, device)
                made[1:1] = trainers(network, chosen.batch, sides, [], device)
                made[1].module.to(memory_format=torch.contiguous_format)
                times = [seconds(trainer.advance, device, chosen.repeats) for trainer in made]
                weights = {name: w.detach().cpu().numpy() for name, w in made[0].module.named_parameters()}

                images = rng.standard_normal((1, channels, *sides), np.float32)

                def predict(network=network, weights=weights, images=images, sides=sides) -> None:
                    predicted_masks(network, weights, images, np.arange(1), device, patch=sides)

                times.append(seconds(predict, device, chosen.repeats))
                shown = "  ".join(f"{t:14.3f}" for t in times)
                print(f"{widths:18}  {patch:9}  {channels:8}  {shown}", flush=True)
                where = f"widths {widths}, patch {patch}, {channels} channels"
                for method, spent in zip(methods[1:], times[1:], strict=True):
                    compare(f"{method}, {where}, of plain", spent / times[0])
                found[widths, channels, math.prod(sides)] = times
    for widths, channels in dict.fromkeys(key[:2] for key in found) if len(chosen.patches) > 1 else ():
        by_size = {key[2]: times for key, times in found.items() if key[:2] == (widths, channels)}
        for method, times in zip(methods, zip(*by_size.values(), strict=True), strict=True):
            print_growth(f"{method}, widths {widths}, {channels} channels", "voxels of a patch", list(by_size), times)


if __name__ == "__main__":
    main()
