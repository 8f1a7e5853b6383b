"""Compare the settings that the papers state (published/settings.csv) with those of a configuration."""

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lib.core.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "published" / "settings.csv"
UNSTATED = "unstated"  # the value of what a paper leaves open
CODE = "code"  # how `where` begins for what the authors' public code says, and the paper does not
DIFFERS = "differs:"  # how the note begins of what the preset `paper` has otherwise, before the reason
CLAIMED = ("paper", "shorter")  # protocols that promise every stated setting
# where a name that stands under a key is looked up; a task is one of its own paper's
CATALOGUES = {
    "model": "models",
    "student": "models",
    "baseline_model": "models",
    "ensemble": "ensembles",
    "right": "ensembles",
    "curves": "scalable_pate.runs",
    "selection": "scalable_pate.runs",
    "runs": "scalable_pate.runs",
    "network": "dp_mac.networks",
    "volumes": "segmentation.volumes",
}
TASKS = {"residual_perturbation": "residual_perturbation.tasks"}
# keys of what the networks of an attack's task are trained by, which a method may change; what is not stated of them
TRAINING = re.compile(r"residual_perturbation\.tables\.\w+\.task\.(recipe|dp_sgd)\.(\w+)")
PASSES = ("epochs", "milestones")
QUARTERS = {"MNIST": 15_000, "CIFAR10": 12_500, "CIFAR100": 12_500}  # images: a quarter of a training set


@dataclass(frozen=True)
class Setting:
    """A row of the table; `value` as the paper prints it, `key` the place of the configuration that must equal it.

    A key is joined by dots. It goes on through a name to what the name stands for (`student.hidden`), and finds an item
    of a list by its number, or by what it says (`series=usps_mac,noise=none`). Empty: nothing corresponds; `note` says
    why.
    """

    paper: str
    experiment: str
    setting: str
    value: str
    key: str
    where: str
    note: str

    @property
    def stated(self) -> bool:
        """Whether the paper, or its authors' code, says what the value is."""
        return self.value != UNSTATED

    @property
    def differs(self) -> bool:
        """Whether the preset `paper` is known to have another value."""
        return self.note.startswith(DIFFERS)

    def equals(self, found: object) -> bool:
        """Whether a value of the configuration is the one that is stated; True where none is."""
        return not self.stated or not self.key or yaml.safe_load(self.value) == found


@dataclass(frozen=True)
class Found:
    """A value of the configuration: where it stands once names are followed, and the protocol that speaks for it."""

    value: Any
    place: str
    protocol: str  # the key of that protocol, empty where there is none
    promised: bool  # whether it says that what is stated is kept


def settings(table: Path = TABLE) -> list[Setting]:
    """Return the rows of the table."""
    with table.open(encoding="utf-8", newline="") as stream:
        return [Setting(**row) for row in csv.DictReader(stream)]


def differences(config: Mapping, rows: Iterable[Setting] | None = None) -> list[tuple[Setting, Found]]:
    """Rows whose stated value a configuration does not have, with what it has; defaults must be filled in."""
    chosen = settings() if rows is None else rows
    compared = [(row, find(config, row.key)) for row in chosen if row.key and row.stated]
    return [(row, found) for row, found in compared if not row.equals(found.value)]


def check_protocols(config: Mapping) -> None:
    """Raise InputError, one line, where a block with the protocol of a paper has another setting than that states.

    A run of the catalogue that the preset does not choose says nothing. What a method changes about the training of a
    task's networks counts as the task's.
    """
    chosen = set(_texts({name: part for name, part in config["scalable_pate"].items() if name != "runs"}))
    for row, found in differences(config):
        run = re.match(r"scalable_pate\.runs\.(\w+)", found.place)
        if found.promised and (run is None or run[1] in chosen):
            raise _not_the_papers(found.place, found.value, row.value, row, found.protocol)
    _check_networks(config["residual_perturbation"])


def _not_the_papers(key: str, value: object, stated: str, row: Setting, protocol: str) -> InputError:
    return InputError(
        f"{key} = {value!r} is not the paper's: {stated} ({row.paper}, {row.where}); set {protocol} to `reduced`"
    )


def _check_networks(block: Mapping) -> None:
    """Check networks that are attacked, by their task's recipe with what their method changes.

    The positive control is ours. block: residual_perturbation.
    """
    rows = [row for row in settings() if row.paper == "residual_perturbation" and row.stated]
    for entry in block["networks"]:
        task, method = block["tasks"][entry["task"]], block["methods"][entry["method"]]
        if task["protocol"] not in CLAIMED or "memorise" in method:
            continue
        kind = "dp_sgd" if method["kind"] == "dp_sgd" else "recipe"
        place, changed = f"residual_perturbation.tasks.{entry['task']}", method.get("recipe", {})
        experiment, recipe = task.get("stands_for", task["label"]), task[kind] | changed
        for row in rows:
            if row.experiment == experiment and (fault := _fault(row, task, kind, recipe)):
                name, value, stated = fault
                of_method = f"residual_perturbation.methods.{entry['method']}.recipe.{name}"
                key = of_method if name in changed else f"{place}.{name if name in task else f'{kind}.{name}'}"
                raise _not_the_papers(key, value, stated, row, f"{place}.protocol")


def _fault(row: Setting, task: Mapping, kind: str, recipe: Mapping) -> tuple[str, object, str] | None:
    """Return a setting in which a task's networks differ from a row: name, theirs, the stated one; else None.

    kind: recipe or dp_sgd. recipe: by which they are trained, what their method changes included.
    """
    part = TRAINING.fullmatch(row.key)
    if part is not None and part[1] == kind:
        name, open_ = part[2], kind == "recipe" and task["protocol"] == "shorter" and part[2] in PASSES
        return None if open_ or row.equals(recipe.get(name)) else (name, recipe.get(name), row.value)
    if row.setting == "images a model is trained on" and task["quarter"] is not None:
        return "quarter", task["quarter"], row.value
    if row.setting == "updates" and kind == "recipe" and task["protocol"] == "paper":
        epochs = int(row.value) // math.ceil(QUARTERS[row.experiment] / recipe["batch"])
        stated = f"{row.value} updates, which are {epochs} epochs, the first half of them at one rate"
        if recipe["epochs"] < epochs:
            return "epochs", recipe["epochs"], stated
        if min(recipe.get("milestones", []), default=epochs) < epochs // 2:
            return "milestones", recipe["milestones"], stated
    return None


def _texts(block: object) -> Iterator[str]:
    """Every text in a block."""
    parts = block.values() if isinstance(block, dict) else block if isinstance(block, list) else ()
    for part in parts:
        yield from [part] if isinstance(part, str) else _texts(part)


def check_device(config: Mapping) -> None:
    """Raise InputError where a preset that needs a GPU would be trained on the CPU."""
    if config["device"] == "cpu" and not config["allow_cpu"]:
        raise InputError(
            f"device = 'cpu': the preset {config['preset']} would train for years; allowed is cuda, or allow_cpu=true "
            "beside device=cpu"
        )


def find(config: Mapping, key: str) -> Found:
    """Return the value at the key of a row; None, which promises nothing, where a part before the last is missing."""
    block: Any = config
    place: list[str] = []
    protocol, text = "", None
    for part in key.split("."):
        if block is None:  # no student, say, of whom nothing can be said
            return Found(None, key, "", False)
        if isinstance(block, str):
            block, place = _followed(config, block, place)
        if isinstance(block, list):
            part, block = _item(block, part)
        else:
            if named := _protocol(config, block, place, part):
                protocol, text = named
            block = block.get(part)
        place = [*place, part]
    return Found(block, ".".join(place), protocol, text in CLAIMED)


def _followed(config: Mapping, name: str, place: list[str]) -> tuple[Any, list[str]]:
    """Resolve a name by the key that it stands under, and where that is."""
    under = next(part for part in reversed(place) if not part.isdigit())
    tasks = TASKS.get(place[0], "segmentation.tasks")
    catalogue = tasks if under in ("task", "tasks") else CATALOGUES[under]
    block: Any = config
    for part in catalogue.split("."):
        block = block[part]
    return block.get(name), [*catalogue.split("."), name]


def _item(items: list, part: str) -> tuple[str, Any]:
    """Find the item of a list with this number, or the first that says what the part asks for; return both."""
    if re.fullmatch(r"\d+", part):
        return part, items[int(part)] if int(part) < len(items) else None
    wanted = dict(pair.split("=") for pair in part.split(","))
    for number, item in enumerate(items):
        if all(str(item.get(name)) == value for name, value in wanted.items()):
            return str(number), item
    return part, None


def _protocol(config: Mapping, block: Mapping, place: list[str], part: str) -> tuple[str, str] | None:
    """Return the key of the protocol that speaks for one part of a block, and what it says."""
    here = ".".join(place)
    if place[:2] == ["scalable_pate", "runs"] and len(place) == 3:
        if part == "student" and "student_protocol" in block:
            return f"{here}.student_protocol", block["student_protocol"]
        return f"ensembles.{block['ensemble']}.protocol", config["ensembles"][block["ensemble"]]["protocol"]
    if part.startswith("baseline") and "baseline_protocol" in block:
        return f"{here}.baseline_protocol", block["baseline_protocol"]
    return (f"{here}.protocol", block["protocol"]) if "protocol" in block else None
