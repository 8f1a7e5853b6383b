"""Networks by the `kind` that configuration gives a model: teachers trained many at once, and students."""

from collections.abc import Callable

import numpy as np
import torch

from lib.core.checkpoint import Checkpoint
from lib.models.mlp import StackedMLP
from lib.models.teacher_cnn import StackedTeacherCNN
from lib.models.teacher_resnet import StackedTeacherResNet
from lib.students.gan import GanSettings, train_gan_student
from lib.students.semi_supervised import Student, read_settings
from lib.students.vat import VatSettings, train_vat_student
from lib.teachers.replicas import Network, Recipe


def teacher_network(model: dict, shape: tuple[int, ...], classes: int) -> Network:
    """Teachers for samples of `shape` (without the batch)."""
    if model["kind"] == "mlp":
        return StackedMLP(int(np.prod(shape)), tuple(model["hidden"]), classes)
    if model["kind"] == "teacher_resnet":
        return StackedTeacherResNet(
            shape, classes, tuple(model["widths"]), model["blocks"], model["slope"], model["groups"]
        )
    return StackedTeacherCNN(shape, classes, tuple(model["convolutions"]), tuple(model["connected"]))


def teacher_recipe(model: dict) -> Recipe:
    """How they are trained."""
    return Recipe(**{**model["recipe"], "drops": tuple(model["recipe"].get("drops", ()))})


def train_student(
    model: dict,
    x: np.ndarray,
    y: np.ndarray,
    unlabelled: np.ndarray,
    classes: int,
    seed: int,
    job: tuple[str, ...],
    device: torch.device,
    checkpoint: Checkpoint,
    progress: Callable[[int, int, float], None],
) -> Student:
    """A student of kind `vat` or `gan`, from labelled images (n, ...) and unlabelled ones (u, ...)."""
    settings_kind, train = {"vat": (VatSettings, train_vat_student), "gan": (GanSettings, train_gan_student)}[
        model["kind"]
    ]
    settings = read_settings(settings_kind, {name: value for name, value in model.items() if name != "kind"})
    return train(x, y, unlabelled, classes, settings, seed, job, device, checkpoint, progress=progress)
