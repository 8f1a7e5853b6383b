"""Which data a run needs: what Snakemake plans to read where nothing looks for files of data."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from lib.core.errors import InputError
from lib.data import check
from lib.plan.config import ROOT, layered
from lib.plan.segmentation_checks import check_patients

READERS = ("prepare_data", "prepare_volumes")  # the rules that read data
# rules whose jobs divide the patients of a task; the table of sensitivity, which has no task in its name, does so too
_TASKS = r"(?:\w+_masks?(?:_\w+)?|measure_(?:reconstruction|limits|components)) (?:\w+=[^,:]*,)*task=(\w+)[,:]"
_SENSITIVITY = "autoencoded_pate_sensitivity"
_UNSEEN = ".plan_without_data"  # in a folder of `mark_without_data`


def mark_without_data(folder: Path) -> None:
    """Make a folder a data_root to plan with: no plan looks for files below it, and no job can read any."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _UNSEEN).touch()


def without_data(root: str | Path) -> bool:
    """Whether a data_root is of `mark_without_data`: planned with, and never read."""
    return (Path(root) / _UNSEEN).exists()


def needed(configfiles: Iterable[Path], given: Iterable[str], targets: Iterable[str]) -> dict[str, list[str]]:
    """Return what each of READERS reads for some targets, and the `tasks` on volumes, sorted, by a dry run.

    configfiles, given: of --configfile and --config, without a data_root. Raises InputError with what Snakemake says
    where it cannot plan.
    """
    with TemporaryDirectory() as folder:
        mark_without_data(Path(folder))
        command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--directory", folder]
        command += ["--dry-run", "--forceall", "--nolock", "--cores", "1"]
        files = [str(Path(file).resolve()) for file in configfiles]
        command += ["--configfile", *files] * bool(files)
        command += ["--config", *given, f"data_root={folder}", "--", *targets]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    printed = done.stdout + done.stderr
    if done.returncode:
        said = re.findall(r"^(?:error: .*|\w*(?:Error|Exception)\b.*(?:(?<=:)\n.*)?)", printed, re.MULTILINE)
        raise InputError(" ".join("".join(said[-1:]).removeprefix("error: ").split()) or "Snakemake cannot plan this")
    patterns = {rule: rf"{rule} \w+=(\w+): " for rule in READERS} | {"tasks": _TASKS}
    found = {what: set(re.findall(rf"^Job \d+: {each}", printed, re.MULTILINE)) for what, each in patterns.items()}
    if re.search(rf"^Job \d+: {_SENSITIVITY} ", printed, re.MULTILINE):
        found["tasks"] |= set(layered(configfiles)["autoencoded_pate"]["sensitivity"]["tasks"])
    return {what: sorted(names) for what, names in found.items()}


def lacking(
    error: InputError, config: Mapping, configfiles: Iterable[Path], given: Mapping, targets: Iterable[str]
) -> str:
    """Return the line of a refusal for want of data: of all that lacks, where `error` is about one dataset.

    config: the whole configuration. configfiles, given, targets: those of the run that is refused.
    """
    if config["data_root"] is None:
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
    """Return the state of all that `needed` names. config: the whole configuration. read: decode datasets, too."""
    root, block = config["data_root"], config["segmentation"]
    found = [check.check_dataset(name, config["datasets"][name], root, read) for name in names["prepare_data"]]
    for name in names["prepare_volumes"]:
        tasks = {task: block["tasks"][task] for task in names["tasks"] if block["tasks"][task]["volumes"] == name}
        found.append(_enough(check.check_volumes(name, block["volumes"][name], root), tasks))
    return found


def _enough(found: check.Finding, tasks: Mapping[str, dict]) -> check.Finding:
    """Return the finding of volumes, too few where a task needs more patients."""
    if found.lacks:
        return found
    try:
        for name, task in tasks.items():
            check_patients(f"segmentation.tasks.{name}", task, found.patients)
    except InputError as error:
        return replace(found, state=check.TOO_FEW, detail=str(error))
    return found
