"""How much a job computes: floating-point operations counted on its very network, or voxels and samples it goes over.

Counted are forward and backward passes of training, which are nearly all of it: not optimisers, noise, and predictions.
"""

import itertools
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from bench.presets import Job
from lib.core.model_kinds import SUPERVISED
from lib.data.volumes.decathlon import DecathlonBrainTumour
from lib.data.volumes.folders import BRATS_2013, BRATS_2019, LGG
from lib.data.volumes.phantom import PhantomSource
from lib.encoders.build import design_of
from lib.leaderboard.settings import settings_at
from lib.models.resnet8 import ResNet8
from lib.models.student_vat import BATCH, VatClassifier
from lib.models.unet3d import UNet3D
from lib.plan.residual_perturbation import entry_of
from lib.segmentation.patches import fitting_patch
from lib.students.networks import teacher_network

# height, width and channels of a dataset's images, and how many are for training
IMAGES = {
    "digits": ((8, 8), 1, None),
    "mnist": ((28, 28), 1, 60_000),
    "notmnist": ((28, 28), 1, None),
    "open_glyph": ((28, 28), 1, None),
    "svhn": ((32, 32), 3, 73_257),
    "cifar10": ((32, 32), 3, 50_000),
    "cifar100": ((32, 32), 3, 50_000),
    "cifar100_subset": ((32, 32), 3, None),
    "idc": ((50, 50), 3, None),
    "tissue_patches": ((50, 50), 3, None),
    "textured_shapes_10": ((32, 32), 3, None),
    "textured_shapes_100": ((32, 32), 3, None),
}
CHANNELS = {
    "brain_phantom": len(PhantomSource.channels),
    "msd_brain_tumour": len(DecathlonBrainTumour.channels),
    "brats2019": len(BRATS_2019.channels),
    "brats2013": len(BRATS_2013.channels),
    "lgg_mri": len(LGG.channels),
}
SIDES = 2  # target and shadow
STUDENTS = (
    "train_network_student",
    "train_noiseless_network_student",
    "train_network_baseline",
    "release_network_student",
)


@dataclass(frozen=True)
class Work:
    """What a job computes. kind: jobs of one rule and kind cost the same for the same amount.

    amount: floating-point operations where `steps` is given; steps: of optimisers, one after the other.
    """

    kind: str
    amount: float
    steps: int | None = None


def flops(run: Callable[[], torch.Tensor]) -> int:
    """Operations (two to a multiplication with an addition) of a forward and a backward pass of what `run` returns.

    Nothing is computed: what `run` works on is on torch's device `meta`, which has shapes only.
    """
    with FlopCounterMode(display=False) as counter:
        run().sum().backward()
    return counter.get_total_flops()


@cache
def teacher_flops(model: str, shape: tuple[int, ...], classes: int) -> float:
    """Of a teacher for one sample; model: its block of the configuration, as text."""
    network = teacher_network(json.loads(model), shape, classes)
    single = network.initial(np.random.default_rng(0))
    parameters = {
        name: torch.zeros(1, *array.shape, device="meta", requires_grad=True) for name, array in single.items()
    }
    return flops(lambda: network.logits(parameters, torch.zeros(1, 1, *shape, device="meta")))


@cache
def resnet8_flops(sides: tuple[int, int], channels: int, classes: int, widths: tuple[int, ...]) -> float:
    """Of a ResNet8 for one image."""
    network = ResNet8(channels, classes, np.random.default_rng(0), widths).to("meta")
    return flops(lambda: network(torch.zeros(1, channels, *sides, device="meta")))


@cache
def unet_flops(channels: int, outputs: int, widths: tuple[int, ...], patch: tuple[int, int, int]) -> float:
    """Of a 3D U-Net for one patch."""
    network = UNet3D(channels=channels, outputs=outputs, widths=widths)
    network = network.module(np.random.default_rng(0)).to("meta")
    return flops(lambda: network(torch.zeros(1, channels, *patch, device="meta")))


@cache
def autoencoder_flops(settings: str, shape: tuple[int, int, int, int]) -> float:
    """Of an autoencoder for one volume, slice by slice where it has two dimensions."""
    design = design_of(json.loads(settings), shape)
    network = design.network(np.zeros(shape[0]), np.random.default_rng(0)).to("meta")
    piece = torch.zeros(1, *design.shape[: 1 + design.dimensions], device="meta")
    return design.pieces * flops(lambda: network.decode(network.encode(piece)[:, : design.latent_dim]))


def teachers(job: Job, config: dict) -> Work:
    """Teachers trained many at once."""
    ensemble = config["ensembles"][job.wildcards["ensemble"]]
    model, (first, last) = config["models"][ensemble["model"]], map(int, job.option("teachers"))
    single = teacher_flops(json.dumps(model), IMAGES[ensemble["dataset"]][0], ensemble["classes"])
    steps, count = model["recipe"]["steps"], last - first
    groups = math.ceil(count / model["together"])
    return Work(model["kind"], single * count * steps * model["recipe"]["batch"], groups * steps)


def network_student(job: Job, config: dict) -> Work:
    """A student that is a network, or a baseline: convolutional, by VAT or on labels alone; a GAN; a teacher's kind."""
    model = told(job, "model")
    sides, channels, _ = IMAGES[job.option("dataset")[0]]
    if model["kind"] in SUPERVISED:
        shape, recipe = sides if channels == 1 else (*sides, channels), model["recipe"]
        single = teacher_flops(json.dumps(model), shape, int(*job.option("classes")))
        return Work(model["kind"], single * recipe["steps"] * recipe["batch"], recipe["steps"])
    labelled, unlabelled = model["labelled_batch"], model["unlabelled_batch"]
    if model["kind"] == "gan":
        ensemble = config["scalable_pate"]["runs"][job.wildcards["run"]]["ensemble"]
        steps = model["epochs"] * math.ceil(config["ensembles"][ensemble]["public"] / unlabelled)
        widths = (math.prod(sides) * channels, *model["hidden"], int(*job.option("classes")))
        once = 2 * sum(math.prod(pair) for pair in itertools.pairwise(widths))
        # forward and backward on labels, the pool and what is generated; then forward on the pool, both on generated
        return Work("GAN", once * (3 * (labelled + 2 * unlabelled) + 4 * unlabelled) * steps, steps)
    single = vat_flops(json.dumps(model), sides, channels, int(*job.option("classes")))
    # the pool: both passes for the entropy, both but for weights for a direction, both for the perturbation
    times = 0 if model["method"] == "supervised" else 8 / 3 * unlabelled
    return Work("convolutional", single * (labelled + times) * model["steps"], model["steps"])


@cache
def vat_flops(model: str, sides: tuple[int, int], channels: int, classes: int) -> float:
    """Of the network of VAT students for one image."""
    block = json.loads(model)
    names = ("blocks", "top")
    layers = [block[name] for name in names]
    network = VatClassifier(
        channels, *layers, classes, block["slope"], 0.0, block["momentum"], np.random.default_rng(0)
    ).to("meta")
    return flops(lambda: network(torch.zeros(2, channels, *sides, device="meta"), BATCH)) / 2


def quarter_of(task: dict, method: dict) -> int:
    """Images that one network of an attack is trained on."""
    if method.get("memorise"):
        return method["memorise"]
    if task["quarter"]:
        return task["quarter"]
    return (sum(task["patients"]["train"]) if "patients" in task else IMAGES[task["dataset"]][2]) // 4


def residual(job: Job, config: dict) -> Work:
    """ResNet8 of a target or its shadow in one repetition: the members of an ensemble, or one by DP-SGD."""
    block = config["residual_perturbation"]
    task, method = block["tasks"][job.wildcards["task"]], block["methods"][job.wildcards["method"]]
    private = job.rule == "train_residual_dp_sgd"
    recipe = task["dp_sgd" if private else "recipe"] | method.get("recipe", {})
    trained = entry_of(block["networks"], *(job.wildcards[name] for name in ("task", "method", "gamma")))
    rows = quarter_of(task, method)
    sides, channels, _ = IMAGES[task["dataset"]]
    single = resnet8_flops(sides, channels, task["classes"], tuple(task["widths"]))
    steps = recipe["epochs"] * math.ceil(rows / recipe["batch"])
    return Work("ResNet8", single * trained["members"] * recipe["epochs"] * rows, steps)


def audit(job: Job, config: dict) -> Work:
    """ResNet8 with a canary and without, some together, or by DP-SGD one after the other."""
    task, private = config["residual_perturbation"]["audit"]["tasks"][job.wildcards["task"]], False
    recipe = task["recipe"]
    if job.wildcards["mechanism"] == "dp_sgd":
        recipe, private = task["sgd"]["recipe"], True
    sides, channels, _ = IMAGES[task["dataset"]]
    single = resnet8_flops(sides, channels, task["classes"], (16, 32, 64))
    first, last = map(int, job.option("runs"))
    sides_of_audit = 1 if "canaries" in task else SIDES
    runs, rows = sides_of_audit * (last - first), task["samples"]
    turns = runs if private else sides_of_audit * math.ceil((last - first) / task["together"])
    steps = recipe["epochs"] * math.ceil(rows / recipe["batch"]) * turns
    return Work("DP-SGD" if private else "ResNet8", single * runs * recipe["epochs"] * rows, steps)


def attack(job: Job, config: dict) -> Work:
    """A classifier on what networks say: samples of all ensembles and repetitions."""
    block = config["residual_perturbation"]
    task, method = block["tasks"][job.wildcards["task"]], block["methods"][job.wildcards["method"]]
    entry = entry_of(block["networks"], *(job.wildcards[name] for name in ("task", "method", "gamma")))
    sizes = sum(size <= entry["members"] for size in block["sizes"])
    return Work("samples", quarter_of(task, method) * entry["repetitions"] * (entry["members"] + sizes))


def told(job: Job, option: str) -> Any:
    """What a job's script is told by an option: a number, or a block."""
    return json.loads(*job.option(option))


def volumes_of(job: Job, config: dict) -> tuple[dict, dict, tuple[int, int, int]]:
    """A job's segmentation task, its volumes' block, and their sides in voxels."""
    task = config["segmentation"]["tasks"][job.wildcards["task"]]
    volumes = config["segmentation"]["volumes"][task["volumes"]]
    return task, volumes, tuple(volumes["shape"])


def unet(job: Job, config: dict) -> tuple[dict, str, float]:
    """A segmentation task, what kind of network it has, and its operations for one patch."""
    task, volumes, sides = volumes_of(job, config)
    outputs = 1 if task["classes"] == 1 else task["classes"] + 1
    patch = fitting_patch(task["teacher"]["patch"], sides)
    single = unet_flops(CHANNELS[volumes["name"]], outputs, tuple(task["widths"]), patch)
    return task, unet_kind(task["widths"]), single


def unet_kind(widths: Sequence[int]) -> str:
    """U-Nets of the same widths: wider ones compute more in the same time."""
    return f"U-Net from {widths[0]}"


def mask_teachers(job: Job, config: dict) -> Work:
    """3D U-Nets one after the other."""
    task, kind, single = unet(job, config)
    steps = (told(job, "last") - told(job, "first")) * task["teacher"]["steps"]
    return Work(kind, single * steps * task["teacher"]["batch"], steps)


def mask_students(job: Job, config: dict) -> Work:
    """A 3D U-Net for each way to label the student's volumes."""
    task, kind, single = unet(job, config)
    steps = sum(len(unit["labellings"]) for unit in told(job, "units")) * task["student"]["steps"]
    return Work(kind, single * steps * task["student"]["batch"], steps)


def mask_dp_sgd(job: Job, config: dict) -> Work:
    """A 3D U-Net by DP-SGD on all private patients."""
    task, kind, single = unet(job, config)
    recipe = told(job, "sgd")["recipe"]
    patients = task["parts"]["teachers"] + task["parts"]["student"]
    steps = recipe["epochs"] * math.ceil(patients / recipe["batch"])
    return Work(kind, single * recipe["epochs"] * patients, steps)


def mask_encoder(job: Job, config: dict) -> Work:
    """Autoencoders of masks, beside which other encoders are nothing; those alone by the voxels they are fitted to."""
    task, _, sides = volumes_of(job, config)
    works = [encoder_work(task, sides, settings) for _, settings in told(job, "encoders")]
    trained = [work for work in works if work.steps is not None]
    kind = " and ".join(sorted({work.kind for work in trained or works}))
    steps = sum(work.steps for work in trained) if trained else None
    return Work(kind, sum(work.amount for work in trained or works), steps)


def encoder_work(task: dict, sides: tuple[int, int, int], settings: dict) -> Work:
    """Of one encoder of a segmentation task."""
    masks = task["parts"][task["encoder_part"]]
    if settings["kind"] != "autoencoder":
        return Work(settings["kind"], math.prod(sides) * masks)
    shape = (1 if task["classes"] == 1 else task["classes"] + 1, *sides)
    single, recipe = autoencoder_flops(json.dumps(settings), shape), settings["recipe"]
    pieces = masks * (design_of(settings, shape).pieces)
    steps = recipe["epochs"] * math.ceil(pieces / recipe["batch"])
    return Work(f"autoencoder {settings['dimensions']}D", single * recipe["epochs"] * masks, steps)


def voxels(job: Job, config: dict) -> Work:
    """Voxels of all volumes of a segmentation task."""
    task, _, sides = volumes_of(job, config)
    return Work("voxels", math.prod(sides) * sum(task["parts"].values()))


def voxels_by(option: str) -> Callable[[Job, dict], Work]:
    """The same, once for each unit of a shard, which `option` tells of."""

    def of_job(job: Job, config: dict) -> Work:
        once = voxels(job, config)
        return Work(once.kind, once.amount * len(told(job, option)))

    return of_job


def world_votes(job: Job, config: dict) -> Work:
    """Teachers of some worlds of the leaderboard."""
    board = config["leaderboard"]
    model, (first, last) = config["models"][board["teachers"]["model"]], map(int, job.option("shard"))
    count = (last - first) * board["teachers"]["count"]
    if "recipe" not in model:
        return Work(model["kind"], count)
    sides, channels, _ = IMAGES[board["dataset"]]
    shape = sides if channels == 1 else (*sides, channels)
    single, steps = teacher_flops(json.dumps(model), shape, board["classes"]), model["recipe"]["steps"]
    groups = math.ceil(board["teachers"]["count"] / model["together"]) * (last - first)
    return Work(model["kind"], single * count * steps * model["recipe"]["batch"], groups * steps)


def world_models(job: Job, config: dict) -> Work:
    """A method of the leaderboard in some worlds, one after the other: a small dense network, or a ResNet8."""
    board, (first, last) = config["leaderboard"], map(int, job.option("shard"))
    method = settings_at(json.loads(*job.option("method")), float(job.wildcards["budget"].replace("none", "nan")))
    sides, channels, _ = IMAGES[board["dataset"]]
    trained, rows = method.get("student", method), method.get("queries", board["slots"])
    if method["kind"] == "residual":
        single = resnet8_flops(sides, channels, board["classes"], tuple(method["widths"]))
    else:
        widths = (math.prod(sides) * channels, *trained["hidden"], board["classes"])
        single = 6 * sum(math.prod(pair) for pair in itertools.pairwise(widths))  # two forward, four backward
    recipe = trained["recipe"]
    steps = (last - first) * recipe["epochs"] * math.ceil(rows / recipe["batch"])
    return Work(method["kind"], single * (last - first) * recipe["epochs"] * rows, steps)


def world_attacks(job: Job, config: dict) -> Work:
    """Both candidates of every slot in every world, for each entry."""
    board = config["leaderboard"]
    return Work("samples", 2 * board["slots"] * board["worlds"] * len(job.option("entries")))


COUNTED: dict[str, Callable[[Job, dict], Work]] = {
    "count_world_votes": world_votes,
    "train_worlds": world_models,
    "attack_worlds": world_attacks,
    "train_network_teachers": teachers,
    **dict.fromkeys(STUDENTS, network_student),
    "train_residual": residual,
    "train_residual_dp_sgd": residual,
    "train_audited": audit,
    "attack_residual": attack,
    "train_mask_teachers": mask_teachers,
    "train_mask_students": mask_students,
    "train_mask_dp_sgd": mask_dp_sgd,
    "train_mask_encoder": mask_encoder,
    "aggregate_masks": voxels_by("units"),
    **dict.fromkeys(("measure_limits", "measure_reconstruction"), voxels_by("encoders")),
    **dict.fromkeys(("measure_components", "measure_mask_teachers"), voxels),
}


def work_of(job: Job, config: dict) -> Work:
    """A job's work; where none is counted, jobs of one thing (say a series, or a run) count as equal."""
    if job.rule in COUNTED:
        return COUNTED[job.rule](job, config)
    return Work(next(iter(job.wildcards.values()), "") if job.gpu else "", 1.0)
