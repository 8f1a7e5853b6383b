"""Check what no schema can of PATE for segmentation masks: parts that are there, and sizes that must fit."""

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from lib.core.errors import InputError
from lib.data.volumes import own
from lib.data.volumes.registry import VOLUMES, spec
from lib.encoders.autoencoder_form import AutoencoderForm
from lib.plan.segmentation_block import BUDGET

# words that stand where an encoder's name does in the paths of results, and in the tables of reconstructions
RESERVED = ("none", "components")
COMPONENTS = "pca"  # what a figure calls the components of blocks, however many the noise leaves


def check_segmentation(config: dict) -> None:
    """Raise InputError for the first fault in PATE for segmentation masks: key, value, and what is allowed."""
    block = config["segmentation"]
    for name, volumes in block["volumes"].items():
        _check_volumes(f"segmentation.volumes.{name}", volumes)
    for name in block["encoders"]:
        if name in RESERVED:
            raise InputError(f"segmentation.encoders.{name}: allowed are other names than {', '.join(RESERVED)}")
    for name, task in block["tasks"].items():
        _check_task(f"segmentation.tasks.{name}", task, block["volumes"])
    for key, names in _task_lists(config):
        labels = [block["tasks"][name]["label"] for name in names]
        if len(set(labels)) < len(labels):
            raise InputError(f"{key} = {names}: allowed are tasks whose labels differ, which are {', '.join(labels)}")
    for key, task, encoder in encoders_used(config):
        _check_pair(key, task, encoder, block)
    _check_results(config["autoencoded_pate"]["results"], block)
    _check_components(config, block)
    _check_fig2(config["compressed_pate"]["fig2"], block)
    _check_fig3(config["compressed_pate"]["fig3"], block)
    _check_external(config["compressed_pate"], block)
    _check_rising("compressed_pate.limits.epsilons", config["compressed_pate"]["limits"]["epsilons"])


def _task_lists(config: dict) -> Iterator[tuple[str, list[str]]]:
    """Key and names of every list of tasks."""
    for paper in ("autoencoded_pate", "compressed_pate"):
        for item, block in config[paper].items():
            if block and "tasks" in block:
                yield f"{paper}.{item}.tasks", block["tasks"]


def encoders_used(config: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Every task and encoder that are used together, with the key of the encoder.

    Of the table of Dice, an encoder after the first is left out of tasks that lack the classes that it keeps.
    """
    tasks, encoders = (config["segmentation"][name] for name in ("tasks", "encoders"))
    for paper, item in (("autoencoded_pate", "results"), ("compressed_pate", "fig2"), ("compressed_pate", "limits")):
        block = config[paper][item]
        for task in block["tasks"]:
            for place, name in enumerate(block["encoders"]):
                if item != "results" or place == 0 or keeps_classes(encoders[name], tasks[task]):
                    yield f"{paper}.{item}.encoders", task, name
    block = config["compressed_pate"]["fig3"]
    yield from ((key, task, name) for task in block["tasks"] for key, name in _of_fig3(block))


def keeps_classes(encoder: dict, task: dict) -> bool:
    """Whether a task has the classes that an encoder keeps: one is the whole of all, and every task has that."""
    return encoder.get("coded_classes", 1) in (1, task["classes"])


def _of_fig3(block: dict) -> list[tuple[str, str]]:
    """Key and name of every encoder of Figure 3."""
    key = "compressed_pate.fig3"
    curves = [(f"{key}.curves.{place}.encoder", curve["encoder"]) for place, curve in enumerate(block["curves"])]
    return [*curves, (f"{key}.noiseless", block["noiseless"])]


def _check_volumes(key: str, volumes: dict) -> None:
    """Require the settings that the collection needs, and no others."""
    if volumes["name"] == own.NAME:
        try:
            own.check_settings(volumes["settings"])
        except InputError as error:
            raise InputError(f"{key}: {error}") from error
        return
    spec, given = VOLUMES[volumes["name"]], volumes["settings"]
    if missing := [name for name in spec.needed if name not in given]:
        raise InputError(f"{key}.settings: lacks the key '{missing[0]}'; required: {', '.join(spec.needed)}")
    if unknown := sorted(set(given) - set(spec.settings)):
        allowed = ", ".join(spec.settings) or f"none, for {volumes['name']} is read from files"
        raise InputError(f"{key}.settings: unknown key '{unknown[0]}'; allowed: {allowed}")


def _check_task(key: str, task: dict, catalogue: dict) -> None:
    """Its volumes are enough, and tell its classes apart; its parts are there."""
    volumes, parts = catalogue[task["volumes"]], task["parts"]
    classes = spec(volumes["name"], volumes["settings"]).classes
    if task["classes"] not in (1, classes):
        allowed = " or ".join(map(str, sorted({1, classes})))
        raise InputError(f"{key}.classes = {task['classes']}: the labels of {volumes['name']} allow {allowed}")
    if task["coded_classes"] not in (1, task["classes"]):
        raise InputError(f"{key}.coded_classes = {task['coded_classes']}: allowed are 1, or classes, {task['classes']}")
    if task["encoder_part"] not in parts:
        raise InputError(f"{key}.encoder_part = {task['encoder_part']!r}: allowed: {', '.join(sorted(parts))}")
    check_patients(key, task, volumes["settings"].get("subjects", math.inf))
    if task["teachers"] is None:
        return
    if task["teachers"] > parts.get("teachers", 0):
        raise InputError(
            f"{key}.teachers = {task['teachers']}: allowed is at most parts.teachers = {parts.get('teachers', 0)}, "
            "one patient each"
        )
    if task["shard"] is None:
        raise InputError(f"{key}.shard = None: allowed is a number, the teachers a job, for there are teachers")


def check_patients(key: str, task: dict, found: float) -> None:
    """Raise InputError where a task's parts, in repetitions that share no patient, need more than there are."""
    parts, apart = task["parts"], task["apart"]
    needed = sum(parts.values())
    if needed * apart > found:
        raise InputError(
            f"{key}.parts = {parts} and {key}.apart = {apart}: {needed} patients in each of so many repetitions that "
            f"share none; segmentation.volumes.{task['volumes']} has {found} patients, allowed are {found // apart} in "
            "all parts"
        )


def _check_pair(key: str, name: str, encoder: str, block: dict) -> None:
    """Require an encoder that fits the masks of a task."""
    task, settings = block["tasks"][name], block["encoders"][encoder]
    shape, own = block["volumes"][task["volumes"]]["shape"], f"segmentation.encoders.{encoder}"
    if not keeps_classes(settings, task):
        allowed = " or ".join(map(str, sorted({1, task["classes"]})))
        raise InputError(f"{own}.coded_classes = {settings['coded_classes']}: {key} with {name} allows {allowed}")
    if settings.get("recipe", {}).get("sigma") == BUDGET and (
        key != "autoencoded_pate.results.encoders" or settings.get("dimensions", AutoencoderForm.dimensions) != 3
    ):
        raise InputError(
            f"{own}.recipe.sigma = {BUDGET}: {key} with {name} allows a number; {BUDGET} is allowed in "
            "autoencoded_pate.results.encoders, for encoders of dimensions = 3"
        )
    if settings.get("grid"):
        _check_sides(f"{own}.grid", settings["grid"], shape, f"{key} with {name}")
    if settings["kind"] != "pca":
        return
    if settings["block"]:
        _check_sides(f"{own}.block", settings["block"], shape, f"{key} with {name}")
        most, why = _dimension(task, settings["block"]), "the numbers of a block"
    else:
        most = task["parts"][task["encoder_part"]] - 1
        why = f"one less than the patients in the part {task['encoder_part']}"
    if settings["components"] > most:
        raise InputError(f"{own}.components = {settings['components']}: {key} with {name} allows {most}, {why}")


def _check_sides(key: str, sides: list[int], shape: list[int], user: str) -> None:
    if any(new > old for new, old in zip(sides, shape, strict=True)):
        raise InputError(f"{key} = {sides}: {user} allows at most {shape}, the voxels of its masks")


def _dimension(task: dict, sides: list[int]) -> int:
    """Numbers in a block of a task's masks."""
    return math.prod(sides) * (1 if task["coded_classes"] == 1 else task["coded_classes"] + 1)


def _check_trained(key: str, name: str, block: dict, parts: tuple[str, ...]) -> None:
    """Require images of a task whose networks are trained, and the parts that they see."""
    task = block["tasks"][name]
    if not block["volumes"][task["volumes"]]["images"]:
        raise InputError(f"{key} = {name!r}: networks are trained; allowed are tasks whose volumes have images: true")
    for part in parts:
        if part not in task["parts"]:
            raise InputError(f"{key} = {name!r}: allowed are tasks with a part {part}")


def _check_results(results: dict, block: dict) -> None:
    """Require teachers, a student, and patients for the baseline of the table of Dice."""
    key = "autoencoded_pate.results"
    for name in results["tasks"]:
        task = block["tasks"][name]
        if task["teachers"] is None:
            raise InputError(f"{key}.tasks = {name!r}: allowed are tasks with teachers")
        _check_trained(f"{key}.tasks", name, block, ("teachers", "student"))
        own = "dp_sgd" in task
        recipe, place = task["dp_sgd"] if own else results["dp_sgd"]["recipe"], f"segmentation.tasks.{name}.dp_sgd"
        patients = task["parts"]["teachers"] + task["parts"]["student"]
        if recipe["batch"] > patients:
            raise InputError(
                f"{place if own else f'{key}.dp_sgd.recipe'}.batch = {recipe['batch']}: {name} allows {patients}, all "
                "patients that it is trained on"
            )
    if results["tasks"] and not results["encoders"]:
        raise InputError(f"{key}.encoders = []: allowed is at least one, or no tasks")


def _check_components(config: dict, block: dict) -> None:
    """Principal components of whole volumes and of blocks, as their own figures and tables have them."""
    key, sensitivity = "autoencoded_pate.sensitivity", config["autoencoded_pate"]["sensitivity"]
    for name in sensitivity["tasks"]:
        task = block["tasks"][name]
        most = task["parts"][task["encoder_part"]] - 1
        if min(sensitivity["components"], default=0) > most or not sensitivity["components"]:
            raise InputError(
                f"{key}.components = {sensitivity['components']}: {name} allows {most}, one less than the patients in "
                f"the part {task['encoder_part']}"
            )
    paper = config["compressed_pate"]
    for name in (*paper["fig1"]["tasks"], *paper["fig2"]["tasks"], *config["autoencoded_pate"]["pca"]["tasks"]):
        task = block["tasks"][name]
        shape, most = block["volumes"][task["volumes"]]["shape"], _dimension(task, paper["fig1"]["block"])
        _check_sides("compressed_pate.fig1.block", paper["fig1"]["block"], shape, name)
        if paper["fig1"]["fixed"] > most:
            raise InputError(
                f"compressed_pate.fig1.fixed = {paper['fig1']['fixed']}: {name} allows {most}, the numbers of a block"
            )


def _check_fig2(figure: dict, block: dict) -> None:
    """One encoder is the naive approach, which all others are compared with."""
    key, names = "compressed_pate.fig2.encoders", figure["encoders"]
    if not figure["tasks"]:
        return
    naive = [name for name in names if block["encoders"][name]["kind"] == "identity"]
    if len(naive) != 1:
        raise InputError(f"{key} = {names}: allowed is exactly one of kind identity, which has {len(naive)}")
    if COMPONENTS in names:
        raise InputError(f"{key} = {names}: allowed are other names than {COMPONENTS}, the components of blocks there")


def _check_fig3(figure: dict, block: dict) -> None:
    """Volumes to label, and budgets and teachers to label them with."""
    key = "compressed_pate.fig3"
    if not figure["tasks"]:
        return
    for what in ("queries", "curves"):
        if not figure[what]:
            raise InputError(f"{key}.{what} = []: allowed is at least one, or no tasks")
    names = [(curve["teachers"], f"{curve['epsilon']:g}") for curve in figure["curves"]]
    if len(set(names)) < len(names):
        raise InputError(f"{key}.curves = {figure['curves']}: allowed is each number of teachers once a budget")
    _check_rising(f"{key}.queries", figure["queries"])
    for name in figure["tasks"]:
        _check_trained(f"{key}.tasks", name, block, ("student",))
        most = block["tasks"][name]["parts"]["student"]
        if max(figure["queries"]) > most:
            raise InputError(f"{key}.queries = {figure['queries']}: {name} allows {most}, its part student")


def _check_external(paper: dict, block: dict) -> None:
    """Students of Figure 3 can be tried on other volumes of the same shape, of which whole tumours are asked."""
    key, external = "compressed_pate.external", paper["external"]
    if external is None:
        return
    task, other = block["tasks"][external["task"]], block["volumes"][external["volumes"]]
    shape = block["volumes"][task["volumes"]]["shape"]
    if task["classes"] != 1:
        raise InputError(f"{key}.task = {external['task']!r}: allowed is a task of one class")
    if other["shape"] != shape or not other["images"]:
        raise InputError(
            f"{key}.volumes = {external['volumes']!r}: allowed are volumes with images: true, of the voxels {shape} of "
            f"{task['volumes']}"
        )


def _check_rising(key: str, values: list[float]) -> None:
    if any(after <= before for before, after in pairwise(values)):
        raise InputError(f"{key} = {values}: allowed are numbers that rise")
