"""Time DP-MAC against DP-SGD by Opacus, and its repetitions trained side by side against one after another.

Run by `make bench`. The USPS autoencoder of catalogue/dp_mac.yaml on generated images of USPS's shape. DP-SGD: by ghost
clipping, which is what the workflow trains with, and by per-sample gradients, Opacus's ordinary way. Every row is a
process of its own, so that its peak memory is its own; `training` is what was added to the peak of an idle process.
Times are without the first steps; on the CPU they are processor time of one thread, which other work on the machine
does not lengthen much; on CUDA wall time, and memory is the host's.
"""

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable

import numpy as np
import torch
from opacus.grad_sample import GradSampleModule
from opacus.optimizers import DPOptimizer

from bench.growth import print_growth
from lib.core.seeding import generator
from lib.dp_mac.activations import ACTIVATIONS
from lib.dp_mac.backpropagation import ChainTrainer
from lib.dp_mac.mac_recipe import MacRecipe
from lib.dp_mac.mac_trainer import MacTrainer, Noise
from lib.dp_mac.network import MacNetwork
from lib.models.chain import Chain
from lib.training.context import Context
from lib.training.device import choose_device
from lib.training.poisson_sampling import poisson_batch
from lib.training.sgd_recipe import SgdRecipe

SAMPLES, BATCH, SEEDS = 5_000, 50, (1, 3, 10)
EPOCH = SAMPLES // BATCH
NETWORK = MacNetwork((256, 300, 100, 20, 100, 300, 256), output="squared_error")
SIGMA, CLIP, WARM = 2.0, 0.01, 5
MAC = MacRecipe(batch=BATCH, epochs=1_000, z_steps=30, z_rate=0.02, w_steps=1, w_rate=0.001)
SGD = SgdRecipe(batch=BATCH, epochs=1_000, rate=0.03, clip=CLIP)

Step = Callable[[], None]


def images() -> np.ndarray:
    """Images (SAMPLES, 256) float32 in [0, 1)."""
    return np.random.default_rng(0).random((SAMPLES, NETWORK.sizes[0]), np.float32)


def mac_step(seeds: range, device: torch.device) -> Step:
    """DP-MAC with fixed thresholds, the runs of `seeds` side by side."""
    noise = Noise(np.full(len(seeds), SIGMA), {"linear": np.full((len(seeds), NETWORK.layers), CLIP)})
    x = images()
    context = Context(0, ("bench",), device)
    return MacTrainer(NETWORK, x, x, MAC, noise, [str(seed) for seed in seeds], context).advance


def ghost_step(device: torch.device) -> Step:
    """DP-SGD as the workflow trains."""
    x = images()
    return ChainTrainer(NETWORK, x, x, SGD, SIGMA, Context(0, ("bench", "0"), device)).advance


def per_sample_step(device: torch.device) -> Step:
    """DP-SGD with every sample's gradient laid out."""
    x, rng = torch.from_numpy(images()).to(device), generator(0, "bench")
    chain = Chain(NETWORK.sizes, ACTIVATIONS[NETWORK.activation].value, NETWORK.bias).to(device)
    chain.load([torch.from_numpy(weight).to(device) for weight in NETWORK.initial_weights(rng)])
    module = GradSampleModule(chain, loss_reduction="sum")
    optimizer = DPOptimizer(
        torch.optim.SGD(chain.parameters(), lr=SGD.rate, fused=True),
        noise_multiplier=SIGMA,
        max_grad_norm=CLIP,
        expected_batch_size=BATCH,
        generator=torch.Generator(device).manual_seed(0),
    )
    objective = NETWORK.objectives[-1]

    def step() -> None:
        rows = torch.from_numpy(poisson_batch(rng, SAMPLES, BATCH / SAMPLES)).to(device)
        batch = x[rows].requires_grad_()
        optimizer.zero_grad()
        (0.5 * objective.value(module(batch), batch.detach()).sum()).backward()
        optimizer.step()

    return step


def clock(device: torch.device) -> float:
    """Seconds: processor time on the CPU, wall time elsewhere, after all that the device was given to do."""
    if device.type == "cpu":
        return time.process_time()
    torch.cuda.synchronize(device)
    return time.perf_counter()


def peak() -> float:
    """Peak memory of this process so far, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def measured(make: Callable[..., Step], runs: list[tuple], steps: int, device: str) -> tuple[float, float, float]:
    """Seconds of `steps` steps of each run, one run after another; peak memory, MiB, in all and by training.

    runs: the arguments of `make` for each, before the device.
    """
    where = choose_device(device, threads=1)
    torch.zeros(1, device=where)
    start, spent = peak(), 0.0
    for arguments in runs:
        step = make(*arguments, where)
        for _ in range(WARM):
            step()
        before = clock(where)
        for _ in range(steps):
            step()
        spent += clock(where) - before
    return spent, peak(), peak() - start


def print_table(
    title: str, rows: dict[str, tuple[Callable[..., Step], list[tuple]]], steps: int, device: str
) -> list[float]:
    """Seconds an epoch of all runs of a row, which it returns, and its memory; ratios are to the first row."""
    print(f"\n{title}, {steps} steps of batch {BATCH}, {device}")
    print(f"{'':<34} {'s/epoch':>8} {'ratio':>6} {'peak, MiB':>10} {'training, MiB':>14} {'ratio':>6}")
    first, epochs = None, []
    for name, (make, runs) in rows.items():
        # spawned: a fork would begin with this process's memory
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            spent, most, added = pool.apply(measured, (make, runs, steps, device))
        epoch = spent * EPOCH / steps
        epochs.append(epoch)
        first = first or (epoch, added)
        ratios = epoch / first[0], added / first[1]
        print(f"{name:<34} {epoch:>8.2f} {ratios[0]:>6.2f} {most:>10.0f} {added:>14.0f} {ratios[1]:>6.2f}", flush=True)
    return epochs


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default: cpu)")
    parser.add_argument("--steps", type=int, default=2 * EPOCH, help="of the first table (default: two epochs)")
    parser.add_argument("--seed-steps", type=int, default=30, help="of each seed of the second table (default: 30)")
    arguments = parser.parse_args()
    print(f"{SAMPLES} samples of {NETWORK.sizes[0]} numbers, network {'-'.join(map(str, NETWORK.sizes))}")
    methods = {
        "DP-MAC": (mac_step, [(range(1),)]),
        "DP-SGD, ghost clipping": (ghost_step, [()]),
        "DP-SGD, per-sample gradients": (per_sample_step, [()]),
    }
    print_table("one run", methods, arguments.steps, arguments.device)
    most = SEEDS[-1]
    seeds = {f"DP-MAC, {most} one after another": (mac_step, [(range(seed, seed + 1),) for seed in range(most)])}
    seeds |= {f"DP-MAC, {count} side by side": (mac_step, [(range(count),)]) for count in reversed(SEEDS)}
    _, *epochs = print_table("seeds", seeds, arguments.seed_steps, arguments.device)
    print_growth("DP-MAC side by side", "seeds", SEEDS, epochs[::-1])


if __name__ == "__main__":
    main()
