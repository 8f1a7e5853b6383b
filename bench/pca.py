"""Time and peak memory of principal components of all blocks of full-size masks, as many as a block has voxels.

Run by `make bench`, with small blocks; `python -m bench.pca --sizes 24,24,16 --volumes 125` (minutes) is what the paper
asks for: 9,216 components. Threads are OMP_NUM_THREADS. Masks are made: a few overlapping balls in each volume. Wall
time suffers from other work on the machine; processor time, the sum over threads, hardly does. Making the masks is not
counted.
"""

import argparse
import resource
import time
from collections.abc import Iterator

import numpy as np

from bench.growth import print_growth
from lib.encoders.blocks import Blocks
from lib.encoders.principal_components import fit_blocks

SHAPE = (1, 240, 240, 155)


def made_masks(volumes: int) -> Iterator[np.ndarray]:
    """Masks (1, *SHAPE) uint8, one after the other; a sixtieth of the voxels on average, as of whole tumours."""
    rng = np.random.default_rng(0)
    axes = np.ogrid[tuple(slice(0, side) for side in SHAPE[1:])]
    for _ in range(volumes):
        mask = np.zeros((1, *SHAPE), np.uint8)
        centre = rng.uniform(0.3, 0.7, 3) * SHAPE[1:]
        for _ in range(4):
            place, radius = centre + rng.normal(0, 12, 3), rng.uniform(10, 30)
            mask[0, 0] |= sum((axis - at) ** 2 for axis, at in zip(axes, place, strict=True)) < radius**2
        yield mask


class Clock:
    """Wall and processor seconds of what runs inside `with`, added up."""

    def __init__(self) -> None:
        self.wall = self.processor = 0.0

    def __enter__(self) -> None:
        self._began = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        self.wall += time.perf_counter() - self._began[0]
        self.processor += time.process_time() - self._began[1]

    def __str__(self) -> str:
        return f"{self.wall:.1f} s, {self.processor:.1f} s of processor time"


def fitted(size: tuple[int, int, int], volumes: int) -> tuple[int, float]:
    """Numbers in a block, and processor seconds of the whole; prints both, and what they went into."""
    blocks, making, adding, whole = Blocks(SHAPE, size), Clock(), Clock(), Clock()
    share, voxels = 0.0, 0.0

    def counted() -> Iterator[np.ndarray]:
        nonlocal share, voxels
        masks = made_masks(volumes)
        for _ in range(volumes):
            with making:
                mask = next(masks)
                share += blocks.split(mask)[0].any(axis=1).mean() / volumes
                voxels += mask.mean() / volumes
            with adding:
                yield mask

    with whole:
        pca = fit_blocks(counted(), blocks, None)
    print(f"{volumes * blocks.count} blocks of D = {blocks.dimension}, {share:.1%} filled, {voxels:.2%} voxels")
    print(f"blocks added up: {adding}")
    whole.wall, whole.processor = whole.wall - making.wall, whole.processor - making.processor
    print(f"with the decomposition: {whole}")
    print(f"peak memory so far: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")
    print(f"{len(pca.components)} components; variance {pca.total:.2f}, eigenvalues {pca.eigenvalues[:4]}", flush=True)
    return blocks.dimension, whole.processor


def main() -> None:
    """Print the times and the peak memory of each size of blocks, and how they grow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", default=["12,12,8", "12,12,16", "24,12,12"], help="of blocks, in voxels")
    parser.add_argument("--volumes", type=int, default=4, help="masks that are cut into blocks")
    chosen = parser.parse_args()
    found = [fitted(tuple(map(int, size.split(","))), chosen.volumes) for size in chosen.sizes]
    if len(found) > 1:
        print_growth("PCA's processor time", "voxels of a block", *zip(*found, strict=True))


if __name__ == "__main__":
    main()
