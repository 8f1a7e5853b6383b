"""Which data a run needs: what Snakemake plans to read, had it everything."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from lib.core.errors import InputError
from lib.data import check, registry
from lib.data.volumes import own
from lib.data.volumes.registry import VOLUMES
from lib.plan.config import ROOT, catalogue, expand_own_volumes, layered
from lib.plan.segmentation_checks import check_patients

READERS = ("prepare_data", "prepare_volumes")  # the rules that read data
# rules whose jobs divide the patients of a task; the table of sensitivity, which has no task in its name, does so too
_TASKS = r"(?:\w+_masks?(?:_\w+)?|measure_(?:reconstruction|limits|components)) (?:\w+=[^,:]*,)*task=(\w+)[,:]"
_SENSITIVITY = "autoencoded_pate_sensitivity"
_EMPTY = ".files_without_content"  # in a folder of `make_empty_data`


def make_empty_data(folder: Path, datasets: Mapping | None = None, of_own: Iterable[Mapping] = ()) -> None:
    """Empty files with the names of all that is read below `data_root`: enough to plan any preset.

    datasets: those of a configuration, by default the catalogue's. of_own: settings of a person's own volumes. Raises
    InputError for a dataset that its module does not have.
    """
    needed = [f"{spec.folder}/{part}" for spec in VOLUMES.values() if spec.folder for part in spec.parts or ("",)]
    for name, entry in (catalogue()["datasets"] if datasets is None else datasets).items():
        if entry["source"] == "data_root":
            needed += registry.supporting(entry["module"], name, "data_root").layouts[0]
    needed += [f"{settings['folder']}/{settings.get('list', '')}" for settings in of_own]
    for file in (_EMPTY, *needed):
        path = folder / file
        if file.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()


def without_data(root: str | Path) -> bool:
    """Whether a data_root is of `make_empty_data`: planned with, and never read."""
    return (Path(root) / _EMPTY).exists()


def needed(configfiles: Iterable[Path], given: Iterable[str], targets: Iterable[str]) -> dict[str, list[str]]:
    """Return what each of READERS reads for some targets, and the `tasks` on volumes, sorted, by a dry run.

    configfiles, given: of --configfile and --config, without a data_root. Raises InputError with what Snakemake says
    where it cannot plan.
    """
    config = layered(configfiles)
    expand_own_volumes(config)
    volumes = config["segmentation"]["volumes"].values()
    with TemporaryDirectory() as folder:
        of_own = [block["settings"] for block in volumes if block["name"] == own.NAME]
        make_empty_data(Path(folder), config["datasets"], of_own)
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", folder]
        command += ["--dry-run", "--forceall", "--nolock", "--cores", "1"]
        files = [str(Path(file).resolve()) for file in configfiles]
        command += ["--configfile", *files] * bool(files)
        command += ["--config", *given, f"data_root={folder}", "--", *targets]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    printed = done.stdout + done.stderr
    if done.returncode:
        last = [line for line in printed.splitlines() if line.strip()][-1:]
        raise InputError("; ".join(last).removeprefix("error: ") or "Snakemake cannot plan this")
    patterns = {rule: rf"{rule} \w+=(\w+): " for rule in READERS} | {"tasks": _TASKS}
    found = {what: set(re.findall(rf"^Job \d+: {each}", printed, re.MULTILINE)) for what, each in patterns.items()}
    if re.search(rf"^Job \d+: {_SENSITIVITY} ", printed, re.MULTILINE):
        found["tasks"] |= set(config["autoencoded_pate"]["sensitivity"]["tasks"])
    return {what: sorted(names) for what, names in found.items()}


def lacking(
    error: InputError, config: Mapping, configfiles: Iterable[Path], given: Mapping, targets: Iterable[str]
) -> str:
    """The line of a refusal for want of data: of all that lacks, where `error` is about one dataset.

    config: the whole configuration. configfiles, given, targets: those of the run that is refused.
    """
    if config["data_root"] is None or without_data(config["data_root"]):
        return str(error)
    others = [f"{key}={json.dumps(value)}" for key, value in given.items() if key != "data_root"]
    try:
        found = findings(config, needed(configfiles, others, targets), read=False)
    except InputError:
        return str(error)  # something else is wrong as well, and will be said when this is right
    if not any(each.lacks for each in found):
        return str(error)
    return check.in_one_line(found, config["data_root"])


def findings(config: Mapping, names: Mapping[str, list[str]], read: bool = True) -> list[check.Finding]:
    """The state of all that `needed` names. config: the whole configuration. read: decode datasets, too."""
    root, block = config["data_root"], config["segmentation"]
    found = [check.check_dataset(name, config["datasets"][name], root, read) for name in names["prepare_data"]]
    for name in names["prepare_volumes"]:
        tasks = {task: block["tasks"][task] for task in names["tasks"] if block["tasks"][task]["volumes"] == name}
        found.append(_enough(check.check_volumes(name, block["volumes"][name], root), tasks))
    return found


def _enough(found: check.Finding, tasks: Mapping[str, dict]) -> check.Finding:
    """The finding of volumes, too few where a task needs more patients."""
    if found.lacks:
        return found
    try:
        for name, task in tasks.items():
            check_patients(f"segmentation.tasks.{name}", task, found.patients)
    except InputError as error:
        return replace(found, state=check.TOO_FEW, detail=str(error))
    return found
