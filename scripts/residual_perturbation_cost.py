"""Time an epoch: plain, perturbed and DP-SGD training of one network, and replicas together or in turn."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from lib.core.command import Device, command, run
from lib.core.files import atomic_path
from lib.reporting.spread import mean_and_spread
from lib.residual_perturbation.dp_sgd import ResidualSgdTrainer
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.noise import NoiseForm
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.residual_perturbation.training import Replica, ResidualTrainer
from lib.training.context import Context
from lib.training.device import choose_device
from lib.training.sgd_recipe import SgdRecipe
from lib.training.timing import Trainer, epoch_seconds

CLASSES = 10
FORMS = {"Strategy I": NoiseForm(), "Strategy II": NoiseForm("multiplicative")}


def trainers(settings: dict, device: torch.device) -> dict[tuple[str, str, int], Trainer]:
    """Trainings on the same random images by method, normalisation and number of replicas."""
    rng = np.random.default_rng(0)  # what the pixels are does not matter here
    shape = settings["images"], settings["side"], settings["side"], 3
    x, y = rng.integers(0, 256, shape, np.uint8), rng.integers(0, CLASSES, settings["images"])
    rows, batch, epochs = np.arange(len(x)), settings["batch"], settings["epochs"] + 1
    network = PerturbedResNet8(channels=3, classes=CLASSES)
    recipe = ResidualRecipe(epochs=epochs, batch=batch, rate=0.01)

    def residual(form: NoiseForm, gamma: float, norm: str, count: int = 1, loop: bool | None = None) -> Trainer:
        replicas = [Replica(f"replica {k}", rows, gamma) for k in range(count)]
        own = replace(network, form=form, norm=norm)
        return ResidualTrainer(own, x, y, replicas, recipe, Context(0, ("cost",), device), loop=loop)

    found: dict[tuple[str, str, int], Trainer] = {}
    for norm in ("batch", "group"):
        found["ResNet8", norm, 1] = residual(NoiseForm(), 0.0, norm)
        found |= {(name, norm, 1): residual(form, settings["gamma"], norm) for name, form in FORMS.items()}
    private = SgdRecipe(epochs=epochs, batch=batch, rate=0.01, clip=1.0)
    found["DP-SGD", "group", 1] = ResidualSgdTrainer(
        replace(network, norm="group"), x, y, Replica("replica 0", rows), private, 1.1, Context(0, ("cost",), device)
    )
    for name, loop in (("together", False), ("in turn", True)):
        found[f"Strategy I, {name}", "batch", settings["replicas"]] = residual(
            NoiseForm(), settings["gamma"], "batch", settings["replicas"], loop
        )
    return found


@command
def main(settings: dict, where: Device, table: Path) -> None:
    """Write the table.

    settings: the block `cost`: images, side, batch, gamma, epochs, replicas. table: the .csv to write.
    """
    device = choose_device(where.device, where.threads)
    spent = epoch_seconds(trainers(settings, device), settings["epochs"], device)
    plain = float(np.mean(spent["ResNet8", "batch", 1]))
    rows = []
    for (method, norm, replicas), seconds in spent.items():
        mean, spread = float(np.mean(seconds)), mean_and_spread(seconds)[1]
        row: dict[str, Any] = {"dataset": "random images", "method": method, "norm": norm, "replicas": replicas}
        row |= {"seconds_per_epoch": mean, "seconds_per_epoch_spread": spread, "of_plain": mean / (plain * replicas)}
        words = {"images": settings["images"], "batch": settings["batch"], "device": where.device}
        rows.append(row | words | {"seeds": len(seconds), "stands_for": "any", "protocol": "paper", "data": "random"})
    with atomic_path(table) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False, float_format="%.4g")


if __name__ == "__main__":
    run(main)
