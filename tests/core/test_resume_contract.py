"""Every training that keeps its state: stopped after any of them, by whatever means, it goes on to the same bytes."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import torch

from lib.core.checkpoint import Checkpoint
from lib.core.files import load_arrays
from lib.dp_mac import cdbn
from lib.dp_mac import cdbn_published as published
from lib.dp_mac.backpropagation import train_dp_sgd
from lib.dp_mac.evaluation import squared_errors
from lib.dp_mac.mac_recipe import Learning, MacRecipe
from lib.dp_mac.mac_run import train
from lib.dp_mac.mac_trainer import Noise
from lib.dp_mac.network import MacNetwork
from lib.encoders.autoencoder import AutoencoderDesign
from lib.models.mlp import StackedMLP
from lib.models.teacher_cnn import StackedTeacherCNN
from lib.models.unet3d import UNet3D
from lib.pate import replicas
from lib.pate.gan_student import train_gan_student
from lib.pate.teacher_recipe import Recipe
from lib.pate.vat_student import train_vat_student
from lib.residual_perturbation.dp_sgd import train_residual_dp_sgd
from lib.residual_perturbation.network import PerturbedResNet8
from lib.residual_perturbation.noise import NoiseForm
from lib.residual_perturbation.residual_recipe import ResidualRecipe
from lib.residual_perturbation.training import Replica, train_residual
from lib.segmentation.dp_sgd import train_segmentation_dp_sgd
from lib.segmentation.mask_autoencoder import train_mask_autoencoder
from lib.segmentation.segmentation_recipes import AutoencoderRecipe, SegmentationRecipe, SegmentationSgdRecipe
from lib.segmentation.training import train_segmentation
from lib.training.context import Context
from lib.training.sgd_recipe import SgdRecipe
from tests.pate import test_gan, test_vat
from tests.segmentation.volumes import blobs

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("device")]

ROOT = Path(__file__).resolve().parents[2]
CPU = torch.device("cpu")
DRAWS = (1, ("job",))  # seed and job


@dataclass(frozen=True)
class Training:
    """One training, small; run(checkpoint=..., progress=...) gives all that it hands out, as arrays.

    states: how often it saves its state where that is always due. reports: the first number of each note of progress.
    """

    run: Callable[..., dict[str, np.ndarray]]
    states: int
    reports: list[int]


def context(**how):
    return Context(*DRAWS, CPU, **how)


def epochs(count: int) -> list[int]:
    return list(range(1, count + 1))


# ---------------------------------------------------------------- DP-MAC, and its networks by gradients

NETWORK = MacNetwork((6, 4, 3), output="binary_cross_entropy", bias=True)
RNG = np.random.default_rng(5)
X, Y = RNG.random((13, 6)), RNG.integers(0, 2, (13, 3)).astype(float)
MAC = MacRecipe(batch=4, epochs=2, z_steps=3, z_rate=0.02, w_steps=2, w_rate=0.01, w_decay=0.5)
SGD = SgdRecipe(batch=4, epochs=2, rate=0.5, decay=0.5, clip=0.3)
ADAM = replace(SGD, optimizer="adam", rate=0.05)


def measured(weights):
    inputs, targets = (torch.tensor(data, dtype=torch.float32, device=weights[0].device) for data in (X, Y))
    return {"error": squared_errors(NETWORK, weights, inputs, targets)}


def arrays_of(trained):
    weights = {f"weight {layer}": weight for layer, weight in enumerate(trained.weights)}
    return weights | trained.curves | {f"threshold of {kind}": values for kind, values in trained.thresholds.items()}


def mac(expansion="first", private=True, learning=None, **how):
    recipe, names = replace(MAC, expansion=expansion), ["one", "two", "three"]
    tops = {kind: np.full((3, NETWORK.layers), 0.05) for kind in recipe.coefficients}
    noise = Noise(np.array([0.7, 1.0, 2.0]), tops, learning=learning) if private else None
    return arrays_of(train(NETWORK, X, Y, recipe, noise, names, measured, context(**how)))


def by_gradients(recipe, sigma, **how):
    return arrays_of(train_dp_sgd(NETWORK, X, Y, recipe, sigma, measured, context(**how).of("one")))


# ---------------------------------------------------------------- residual perturbation

PIXELS = np.random.default_rng(3).integers(0, 256, (30, 6, 6, 2), np.uint8)
CLASSES = np.random.default_rng(4).integers(0, 3, 30)
RESNET = PerturbedResNet8(channels=2, classes=3, widths=(4, 6, 8))
GROUPED = replace(RESNET, norm="group", groups=2)


def residual(form, **how):
    network, recipe = (
        replace(RESNET, form=form),
        ResidualRecipe(epochs=2, batch=8, weight_decay=1e-3, milestones=(1,), rate=0.1),
    )
    # the same part with other gammas, and the same gamma with another part
    parts = [Replica("a", np.arange(20), 0.5), Replica("b", np.arange(20)), Replica("c", np.arange(10, 30), 0.5)]
    return train_residual(network, PIXELS, CLASSES, parts, recipe, context(**how)).arrays


def residual_dp_sgd(recipe, **how):
    replica = Replica("one", np.arange(5, 18))
    return train_residual_dp_sgd(GROUPED, PIXELS, CLASSES, replica, recipe, 1.3, context(**how)).arrays


# ---------------------------------------------------------------- volumes and masks

VOLUMES, LABELS = blobs(6)
UNET = UNet3D(channels=1, outputs=1, widths=(2, 2, 2, 2, 2))
MASKS = LABELS[:, None, 10:22, 10:22, 4:12] > 0


def segmentation(**how):
    recipe = SegmentationRecipe(steps=4, batch=1, patch=(32, 16, 16))
    weights, history = train_segmentation(UNET, VOLUMES, LABELS, np.array([3, 1]), recipe, context(**how))
    return weights | {"history": history}


def segmentation_dp_sgd(**how):
    recipe = SegmentationSgdRecipe(batch=1.5, epochs=1, rate=0.01, clip=0.01, patch=(32, 16, 16))
    rows, shares = np.array([4, 0, 3, 1]), np.array([0.1])
    return train_segmentation_dp_sgd(UNET, VOLUMES, LABELS, rows, recipe, 1.3, shares, context(**how))


def mask_autoencoder(dimensions, **how):
    design = AutoencoderDesign((1, 12, 12, 8), latent_dim=4, bound="ball", dimensions=dimensions, widths=(2, 3))
    recipe = AutoencoderRecipe(epochs=2, sigma=0.3, batch=2 if dimensions == 3 else 16, rate=3e-3)
    return train_mask_autoencoder(design, MASKS.astype(np.uint8), recipe, context(**how))


# ---------------------------------------------------------------- teachers and students

IMAGES = np.random.default_rng(2).integers(0, 256, (27, 8, 8), np.uint8)
ANSWERS = np.random.default_rng(6).integers(0, 3, 27)
MLP = StackedMLP(64, (12, 9), 3, slope=0.1)
CNN = StackedTeacherCNN((8, 8), 3, (6, 8), (12, 9), deviation=0.1)
BY_SGD = Recipe(steps=4, batch=6, rate=0.1, momentum=0.9, weight_decay=0.01, drops=(1, 3))
BY_ADAM = Recipe(steps=4, batch=6, rate=0.01, optimizer="adam", average=0.9999, scaling="whitened")


def teachers(network, recipe, **how):
    """Three of them, two at a time, so that stops fall into groups and between them, and into blocks and between."""

    def part(teacher):
        return IMAGES[: teacher**3], ANSWERS[: teacher**3]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replicas, "BLOCK", 3)
        labels = replicas.replica_labels(network, part, range(1, 4), IMAGES, recipe, context(**how), group=2)
    return {"labels": labels}


def student(train, settings, **how):
    trained = train(IMAGES[:7], ANSWERS[:7], IMAGES[7:], 3, 255, settings, context(**how))
    return {"probabilities": trained.predict_probabilities(IMAGES)}


# ---------------------------------------------------------------- the functional mechanism


def private_belief_network(**how):
    settings = cdbn.CdbnSettings(
        filters=(3, 2), sizes=(3, 3), stride=1, grid=2, clips=(1.0, 1.0, 1.0), hidden_steps=5, epochs=3, epoch_steps=2
    )
    return network_of(cdbn.train_cdbn, settings, lambda network: float(network.output.sum()), **how)


def published_belief_network(**how):
    settings = published.PublishedSettings(filters=(4, 6), size=3, batch=10, epochs=4)
    return network_of(published.train_published, settings, lambda network: float(network.dense[0].sum()), **how)


def network_of(train, settings, evaluate, **how):
    trained = train(settings, IMAGES[:, None] / np.float32(255), ANSWERS, 3, 0.5, evaluate, context(**how).of("one"))
    parts = {
        f"{name} {number}": part.detach().cpu().numpy()
        for name in ("hidden", "dense", "output")
        for number, part in enumerate(getattr(trained.network, name, ()))
        if torch.is_tensor(part)
    }
    return parts | {"curve": trained.curve}


TRAININGS = {
    "MAC": Training(partial(mac, private=False), 8, epochs(2)),
    "MAC, exact": Training(partial(mac, "exact", private=False), 8, epochs(2)),
    "DP-MAC, first order": Training(mac, 8, epochs(2)),
    "DP-MAC, second order": Training(partial(mac, "second"), 8, epochs(2)),
    "DP-MAC, thresholds learned": Training(
        partial(mac, "second", learning=Learning(epochs=1, bins=20, sigma=2.0)), 12, epochs(3)
    ),
    "DP-SGD": Training(partial(by_gradients, SGD, 1.3), 8, epochs(2)),
    "DP-SGD, Adam": Training(partial(by_gradients, ADAM, 1.3), 8, epochs(2)),
    "clipped": Training(partial(by_gradients, SGD, 0.0), 8, epochs(2)),
    "backpropagation": Training(partial(by_gradients, replace(SGD, clip=None), 0.0), 8, epochs(2)),
    "backpropagation, Adam": Training(partial(by_gradients, replace(ADAM, clip=None), 0.0), 8, epochs(2)),
    "residual": Training(partial(residual, NoiseForm()), 6, epochs(2)),
    "residual, std": Training(partial(residual, NoiseForm(scaling="std")), 6, epochs(2)),
    "residual DP-SGD": Training(partial(residual_dp_sgd, SGD), 8, epochs(2)),
    "residual DP-SGD, Adam": Training(partial(residual_dp_sgd, replace(ADAM, epochs=1)), 4, epochs(1)),
    "segmentation": Training(segmentation, 4, epochs(4)),
    "segmentation DP-SGD": Training(segmentation_dp_sgd, 3, epochs(1)),
    "mask autoencoder, 2": Training(partial(mask_autoencoder, 2), 6, epochs(2)),
    "mask autoencoder, 3": Training(partial(mask_autoencoder, 3), 6, epochs(2)),
    "teachers": Training(partial(teachers, MLP, BY_SGD), 8, [2, 3]),
    "teachers, Adam": Training(partial(teachers, MLP, BY_ADAM), 8, [2, 3]),
    "convolutional teachers": Training(partial(teachers, CNN, replace(BY_SGD, average=0.99)), 8, [2, 3]),
    "convolutional teachers, Adam": Training(partial(teachers, CNN, BY_ADAM), 8, [2, 3]),
    "GAN student": Training(partial(student, train_gan_student, test_gan.settings()), 8, epochs(8)),
    "VAT student": Training(partial(student, train_vat_student, test_vat.settings()), 6, epochs(6)),
    "belief network": Training(private_belief_network, 2, epochs(5)),
    "published belief network": Training(published_belief_network, 5, epochs(4)),
}

# ---------------------------------------------------------------- the contract


def digests(arrays) -> dict[str, str]:
    return {name: hashlib.sha256(np.ascontiguousarray(array)).hexdigest() for name, array in arrays.items()}


class Kept(Checkpoint):
    """A checkpoint that always is due and keeps the file of every state; after so many it kills the process."""

    def __init__(self, path: Path, key: str = "key", kill_after: int = 0) -> None:
        super().__init__(path, key, seconds=0)
        self.files, self.states, self._file, self._kill_after = [], [], path, kill_after

    def save(self, state):
        super().save(state)
        self.files.append(self._file.read_bytes())
        self.states.append(digests(load_arrays(self._file)))
        if len(self.states) == self._kill_after:
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Seen:
    """What a run gave, the states that it saved, with their files, and the notes of progress."""

    found: dict[str, str]
    states: list[dict[str, str]]
    files: list[bytes]
    reports: list[tuple[int, int]]


def seen(name: str, checkpoint: Kept | None) -> Seen:
    seed, reports = int(np.random.SeedSequence().generate_state(1)[0]), []
    torch.manual_seed(seed)  # a draw from a global generator would tell
    np.random.seed(seed)
    found = TRAININGS[name].run(checkpoint=checkpoint, progress=lambda done, total, *_: reports.append((done, total)))
    assert found
    states, files = (checkpoint.states, checkpoint.files) if checkpoint else ([], [])
    return Seen(digests(found), states, files, reports)


@cache
def undisturbed(name: str) -> Seen:
    """From start to end, with a state of another key in its place, which is none of its own."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "state.npz"
        with Checkpoint(path, "another") as checkpoint:
            checkpoint.save({"step": 1})
        with Kept(path) as checkpoint:
            return seen(name, checkpoint)


def check_the_rest(name: str, path: Path, done: int) -> None:
    """That the training goes on from the state on disk, the one after so many, and ends as if it never had stopped."""
    whole = undisturbed(name)
    with Kept(path) as checkpoint:
        rest = seen(name, checkpoint)
    assert rest.found == whole.found
    assert rest.states == whole.states[done:]
    assert rest.reports == whole.reports[len(whole.reports) - len(rest.reports) :]


@pytest.mark.parametrize("name", TRAININGS)
def test_keeping_its_state_changes_nothing_nor_does_a_state_of_another_key(name):
    whole, training = undisturbed(name), TRAININGS[name]
    assert len(whole.states) == training.states
    assert whole.reports == [(done, training.reports[-1]) for done in training.reports]
    assert replace(whole, states=[], files=[]) == seen(name, None)


@pytest.mark.long  # beside the one state after which it is killed
@pytest.mark.parametrize("name", TRAININGS)
def test_after_every_state_it_goes_on_to_the_same_bytes(name, tmp_path):
    for done, state in enumerate(undisturbed(name).files, start=1):
        path = tmp_path / f"{done}.npz"
        path.write_bytes(state)
        check_the_rest(name, path, done)


KILLED = """
import json, os, signal, sys
from pathlib import Path
from lib.training.device import choose_device
from tests.core.test_resume_contract import Kept, seen
choose_device("cpu", 1)
for number, (name, stop) in enumerate(json.loads(sys.argv[2]).items()):
    if not (child := os.fork()):  # before anything is trained here; the modules are loaded once for all
        with Kept(Path(sys.argv[1]) / f"{number}.npz", kill_after=stop) as checkpoint:
            seen(name, checkpoint)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL, name
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    """A folder with what is left of every training, killed halfway in a process of its own."""
    folder = tmp_path_factory.mktemp("killed")
    stops = {name: (training.states + 1) // 2 for name, training in TRAININGS.items()}
    subprocess.run([sys.executable, "-c", KILLED, str(folder), json.dumps(stops)], cwd=ROOT, check=True)
    return folder


@pytest.mark.parametrize(("number", "name"), list(enumerate(TRAININGS)), ids=list(TRAININGS))
def test_killed_it_goes_on_to_the_same_bytes(number, name, killed):
    check_the_rest(name, killed / f"{number}.npz", (TRAININGS[name].states + 1) // 2)
