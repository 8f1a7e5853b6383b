"""Time teachers trained many at once against a loop over single modules, their votes, and the memory of a shard.

Run by `python -m bench.teachers`. Teachers: 784-64-150, 400 samples each, SGD with momentum, on generated images:
classes are random patterns in noise. The loop trains the same networks as ordinary modules with torch's own optimiser;
both are timed for the same epochs in the same run. Times on the CPU are processor time of one thread, which other
work on the machine does not lengthen much; on CUDA wall time.
"""

import argparse
import resource
import time

import numpy as np
import torch
from torch import nn

from bench.growth import print_growth
from lib.models.mlp import StackedMLP
from lib.pate.replicas import SCALINGS, Replicas, predict_labels, replica_labels, stack_parts
from lib.pate.teacher_recipe import Recipe
from lib.training.context import Context
from lib.training.device import choose_device

FEATURES, HIDDEN, CLASSES, SAMPLES = 784, 64, 150, 400
ENSEMBLE, QUERIES, PROCESSES = 5_000, 12_000, 2  # what is extrapolated to
TEACHERS = (1, 5, 10, 25, 50, 250)
NETWORK = StackedMLP(FEATURES, (HIDDEN,), CLASSES)


def generated(rng: np.random.Generator, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Images (samples, 28, 28) uint8 and labels: the class's pattern, the same for everyone, in noise."""
    patterns = np.random.default_rng(0).integers(0, 70, (CLASSES, 28, 28), np.uint8)
    y = rng.integers(0, CLASSES, samples)
    return patterns[y] + rng.integers(0, 180, (samples, 28, 28), np.uint8), y


def part(teacher: int) -> tuple[np.ndarray, np.ndarray]:
    """The part of one teacher."""
    return generated(np.random.default_rng(1 + teacher), SAMPLES)


def clock(device: torch.device) -> float:
    """Seconds: processor time on the CPU, wall time elsewhere."""
    return time.process_time() if device.type == "cpu" else time.perf_counter()


def recipe(epochs: int, batch: int) -> Recipe:
    """The training of every teacher."""
    return Recipe(steps=epochs * SAMPLES // batch, batch=batch, rate=0.1, momentum=0.9)


def loop_seconds(teachers: int, how: Recipe, device: torch.device) -> float:
    """Time to train single modules one after the other; making parts and modules is not counted."""
    spent = 0.0
    for t in range(teachers):
        x, y = (torch.from_numpy(array).to(device) for array in part(t))
        module = nn.Sequential(nn.Flatten(), nn.Linear(FEATURES, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CLASSES))
        optimizer = torch.optim.SGD(module.to(device).parameters(), lr=how.rate, momentum=how.momentum, fused=True)
        start = clock(device)
        for _ in range(how.steps):
            rows = torch.randint(SAMPLES, (how.batch,), device=device)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(module(SCALINGS[how.scaling](x[rows])), y[rows])
            loss.backward()
            optimizer.step()
        loss.item()  # waits for the device
        spent += clock(device) - start
    return spent


def batched_seconds(teachers: int, how: Recipe, device: torch.device) -> float:
    """Time to train all at once; making parts and parameters is not counted."""
    parts = stack_parts(part, range(teachers), CLASSES)
    replicas = Replicas(NETWORK, parts, how, range(teachers), Context(0, ("bench",), device))
    start = clock(device)
    while replicas.step < how.steps:
        replicas.advance()
    replicas.trained()  # checks that all is finite, and so waits for the device
    return clock(device) - start


def print_training(how: Recipe, device: torch.device) -> None:
    """The table of training."""
    print(f"training, {how.steps} steps of batch {how.batch}, {device}")
    print(f"{'teachers':>8} {'loop, s':>8} {'batched, s':>11} {'ratio':>6} {'samples/s':>10}")
    spent = []
    for teachers in TEACHERS:
        loop, batched = loop_seconds(teachers, how, device), batched_seconds(teachers, how, device)
        rate = teachers * how.steps * how.batch / batched
        print(f"{teachers:>8} {loop:>8.2f} {batched:>11.2f} {loop / batched:>6.1f} {rate:>10,.0f}")
        spent.append(batched)
    print_growth("training all at once", "teachers", TEACHERS, spent)


def print_votes(device: torch.device) -> None:
    """The table of labels given to queries."""
    print(f"\nlabels for {QUERIES} queries\n{'teachers':>8} {'s':>8} {'labels/s':>12}")
    queries, _ = generated(np.random.default_rng(0), QUERIES)
    for teachers in TEACHERS[:-1]:
        single = [NETWORK.initial(np.random.default_rng(t)) for t in range(teachers)]
        parameters = {name: torch.tensor(np.stack([p[name] for p in single]), device=device) for name in single[0]}
        start = clock(device)
        predict_labels(NETWORK, parameters, queries)
        spent = clock(device) - start
        print(f"{teachers:>8} {spent:>8.2f} {teachers * QUERIES / spent:>12,.0f}")


def print_shard(teachers: int, how: Recipe, group: int, device: torch.device) -> None:
    """One whole shard, parts and votes included, and what the ensemble would take."""
    queries, truth = generated(np.random.default_rng(0), QUERIES)
    start, wall = clock(device), time.perf_counter()
    labels = replica_labels(NETWORK, part, range(teachers), queries, how, Context(0, ("bench",), device), group)
    spent, wall = clock(device) - start, time.perf_counter() - wall
    # the median teacher and the plurality of all, so that it shows whether anything was learnt
    teacher = np.median((labels == truth[:, None]).mean(0))
    plurality = (np.array([np.bincount(row).argmax() for row in labels]) == truth).mean()
    print(f"\na shard of {teachers} teachers, {group} at once, {how.steps} steps of batch {how.batch}")
    print(f"{spent:.1f} s ({wall:.1f} s wall) with the labels of {QUERIES} queries")
    print(f"accuracy of a teacher {teacher:.3f}, of the plurality {plurality:.3f}")
    total = spent * ENSEMBLE / teachers / PROCESSES
    print(f"{ENSEMBLE} teachers in {PROCESSES} processes with a core each: {total / 60:.1f} min")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu", help="cpu or cuda (default: cpu)")
    parser.add_argument("--batch", type=int, default=50, help="samples of a step (default: 50)")
    parser.add_argument("--epochs", type=int, default=5, help="of the table of training (default: 5)")
    parser.add_argument("--shard", type=int, default=250, help="teachers of the shard (default: 250)")
    parser.add_argument("--shard-epochs", type=int, default=30, help="of the shard (default: 30)")
    parser.add_argument("--group", type=int, default=10, help="teachers of the shard at once (default: 10)")
    parser.add_argument("--only-shard", action="store_true", help="leave out the tables")
    arguments = parser.parse_args()
    device = choose_device(arguments.device, threads=1)
    if not arguments.only_shard:
        print_training(recipe(arguments.epochs, arguments.batch), device)
        print_votes(device)
    print_shard(arguments.shard, recipe(arguments.shard_epochs, arguments.batch), arguments.group, device)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
