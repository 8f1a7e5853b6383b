"""The jobs of a preset as Snakemake plans them, without its data."""

import contextlib
import io
import itertools
import math
import shlex
from dataclasses import dataclass
from pathlib import Path

from snakemake.api import ConfigSettings, DAGSettings, OutputSettings, ResourceSettings, SnakemakeApi, StorageSettings
from snakemake.settings.types import Quietness

from lib.plan.needed import mark_without_data

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Job:
    """A planned job: its rule and the file in rules/ that it is in, wildcards, parameters, whether it asks for a GPU.

    minutes: that its rule allows it. memory: MiB that it asks for. parents: the jobs it waits for, by their places in
    the list of all. benchmark: its file below the working folder; None for rules that only collect.
    """

    rule: str
    file: str
    wildcards: dict[str, str]
    params: dict
    gpu: bool
    minutes: float
    memory: float
    parents: tuple[int, ...]
    benchmark: str | None

    def option(self, name: str) -> list[str]:
        """The words of an option of the command line of its script."""
        words = shlex.split(" ".join(self.params.get(part, "") for part in ("files", "settings")))
        return list(itertools.takewhile(lambda word: not word.startswith("--"), words[words.index(f"--{name}") + 1 :]))


def preset_files(preset: str) -> list[Path]:
    """The configuration files laid over config.yaml for a preset."""
    return [] if preset == "quick" else [ROOT / "presets" / f"{preset}.yaml"]


def planned(preset: str, folder: Path) -> tuple[list[Job], dict]:
    """All jobs of a preset on GPUs, each a process of its own, and its whole configuration.

    folder: to plan in.
    """
    mark_without_data(folder / "data")
    given = {"data_root": str(folder / "data"), "device": "cuda", "together": []}
    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
        workflow = api.workflow(
            resource_settings=ResourceSettings(cores=1),
            config_settings=ConfigSettings(configfiles=preset_files(preset), config=given),
            storage_settings=StorageSettings(),
            snakefile=ROOT / "Snakefile",
            workdir=folder,
        )
        # the API has no call that returns the graph, only some that print of it
        with contextlib.redirect_stdout(io.StringIO()):
            workflow.dag(DAGSettings(targets={"all"}, forceall=True)).summary()
        dag, config = workflow._workflow.dag, workflow._workflow.config
        jobs = list(dag.jobs)
        places = {job: place for place, job in enumerate(jobs)}
        found = [
            Job(
                rule=job.rule.name,
                file=str(Path(job.rule.snakefile).relative_to(ROOT)).removeprefix("rules/"),
                wildcards=dict(job.wildcards_dict),
                params=dict(job.params.items()),
                gpu=bool(job.resources.get("gpu")),
                minutes=float(job.resources.get("runtime", math.inf)),
                memory=float(job.resources.get("mem_mb", 0)),
                parents=tuple(places[parent] for parent in dag.dependencies[job]),
                benchmark=job.benchmark and str(job.benchmark),
            )
            for job in jobs
        ]
    return found, dict(config)
