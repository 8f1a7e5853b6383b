"""Which data a run needs: what Snakemake plans to read, had it everything."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from lib.core.errors import InputError
from lib.data import check, registry
from lib.data.volumes import own
from lib.data.volumes.registry import VOLUMES
from lib.plan.config import ROOT, catalogue, expand_own_volumes, layered

# rules that read data, and the block of the configuration that names what they read
READERS = {"prepare_data": ("datasets",), "prepare_volumes": ("segmentation", "volumes")}
PLANNED = "WORKFLOW_IS_PLANNED"  # set for the dry run of `needed`, which asks no further one what it lacks


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
    for file in needed:
        path = folder / file
        if file.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()


def needed(configfiles: Iterable[Path], given: Iterable[str], targets: Iterable[str]) -> dict[str, list[str]]:
    """What each of READERS reads for some targets, sorted; planned by a dry run in a folder of its own.

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
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {PLANNED: "yes"})
    printed = done.stdout + done.stderr
    if done.returncode:
        last = [line for line in printed.splitlines() if line.strip()][-1:]
        raise InputError("; ".join(last).removeprefix("error: ") or "Snakemake cannot plan this")
    return {rule: sorted(set(re.findall(rf"^Job \d+: {rule} \w+=(\w+): ", printed, re.MULTILINE))) for rule in READERS}


def lacking(
    error: InputError, config: Mapping, configfiles: Iterable[Path], given: Mapping, targets: Iterable[str]
) -> str:
    """The line of a refusal for want of data: of all that lacks, where `error` is about one dataset.

    config: the whole configuration. configfiles, given, targets: those of the run that is refused.
    """
    if config["data_root"] is None or PLANNED in os.environ:
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
    """The state of all that READERS read. config: the whole configuration. read: decode datasets, too."""
    root = config["data_root"]
    found = [check.check_dataset(name, config["datasets"][name], root, read) for name in names["prepare_data"]]
    volumes = config["segmentation"]["volumes"]
    return found + [check.check_volumes(name, volumes[name], root) for name in names["prepare_volumes"]]
