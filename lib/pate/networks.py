"""Networks by the `kind` that configuration gives a model: teachers trained many at once, and students."""

import numpy as np

from lib.core.model_kinds import SUPERVISED
from lib.models.mlp import StackedMLP
from lib.models.teacher_cnn import StackedTeacherCNN
from lib.models.teacher_resnet import StackedTeacherResNet
from lib.pate.gan_student import train_gan_student
from lib.pate.replicas import SCALINGS, Network, Replicas, stack_parts
from lib.pate.semi_supervised import Student
from lib.pate.student_settings import GanSettings, VatSettings
from lib.pate.teacher_recipe import Recipe
from lib.pate.vat_student import train_vat_student
from lib.training.context import Context
from lib.training.epochs import run_to_end

CHUNK = 1000  # images that one network predicts at a time


def teacher_network(model: dict, shape: tuple[int, ...], classes: int) -> Network:
    """Teachers for samples of `shape` (without the batch)."""
    if model["kind"] == "mlp":
        return StackedMLP(int(np.prod(shape)), tuple(model["hidden"]), classes)
    if model["kind"] == "teacher_resnet":
        return StackedTeacherResNet(
            shape, classes, tuple(model["widths"]), model["blocks"], model["slope"], model["groups"]
        )
    more = {"deviation": model["deviation"]} if "deviation" in model else {}
    return StackedTeacherCNN(shape, classes, tuple(model["convolutions"]), tuple(model["connected"]), **more)


def teacher_recipe(model: dict) -> Recipe:
    """How they are trained."""
    return Recipe(**{**model["recipe"], "drops": tuple(model["recipe"].get("drops", ()))})


def train_student(
    model: dict,
    x: np.ndarray,
    y: np.ndarray,
    unlabelled: np.ndarray,
    classes: int,
    white: int,
    context: Context,
) -> Student:
    """Return a student from labelled images (n, ...) and, of kind `vat` or `gan`, unlabelled ones (u, ...).

    white: the pixel value that becomes 1 for kinds `vat` and `gan`; a teacher's kind scales images as teachers do.
    """
    if model["kind"] in SUPERVISED:
        return train_supervised(model, x, y, classes, context)
    settings = {name: value for name, value in model.items() if name != "kind"}
    if model["kind"] == "vat":
        return train_vat_student(x, y, unlabelled, classes, white, VatSettings(**settings), context)
    return train_gan_student(x, y, unlabelled, classes, white, GanSettings(**settings), context)


def train_supervised(model: dict, x: np.ndarray, y: np.ndarray, classes: int, context: Context) -> Student:
    """One network of a teacher's kind on labelled images (n, ...) uint8 alone.

    A run resumed from its checkpoint ends with the same weights. Raises InputError as `Replicas` does.
    """
    network, recipe = teacher_network(model, x.shape[1:], classes), teacher_recipe(model)
    trained = Replicas(network, stack_parts(lambda _: (x, y), range(1), classes), recipe, range(1), context)
    run_to_end(trained, context)
    parameters, scale = trained.trained(), SCALINGS[recipe.scaling]
    return Student(lambda images: network.logits(parameters, scale(images), shared=True)[0], context.device, 1, CHUNK)
