"""What all rules share: the checked configuration, the plan made of it, and how a job is called."""

import contextlib
import io
import os
import re
import shlex
import sys
import time
from pathlib import Path

import yaml
from snakemake.cli import parse_args
from snakemake.io import strip_wildcard_constraints
from snakemake.resources import Resources

from lib.attacks.sides import SIDES
from lib.core.code_inputs import COMMIT, commit, digest
from lib.core.errors import InputError
from lib.data import registry
from lib.plan.command_line import Unsaid
from lib.plan.config import (
    LEDGER,
    ROOT,
    check_config,
    claim_ids,
    default_preset,
    expand,
    load_schema,
    register,
)
from lib.plan.dates import check_dates
from lib.plan.data_needs import lacking, without_data
from lib.plan.configfiles import check_overlays
from lib.plan.paper_settings import check_device, check_protocols
from lib.plan.plan import Plan
from lib.plan.results import PAPERS, TITLES
from lib.plan.schema import fill_defaults
from lib.plan.snakemake_records import code_parameter, empty_damaged
from lib.plan.strict_yaml import check_files, read_given
from lib.plan.targets import check_image, check_resources, check_targets
from lib.plan.shared_processes import Jobs

CLAIMS = [os.path.relpath(path) for path in LEDGER]


def refuse(error):
    """End with one line; Snakemake adds nothing to it."""
    sys.exit(f"error: {error}")


def asked_for():
    """Targets, values of --config, and the image of Kubernetes' pods, of Snakemake's command line and profile.

    Of a person, not of a job or program.
    """
    program = Path(sys.argv[0])
    if not workflow.is_main_process or "snakemake" not in (program.name, program.parent.name):
        return [], [], None
    with contextlib.redirect_stderr(io.StringIO()):  # it says again which profile there is
        arguments = parse_args(sys.argv[1:])[1]
    image = arguments.container_image if arguments.executor == "kubernetes" else None
    return arguments.targets, arguments.config or [], image


TARGETS, GIVEN, IMAGE = asked_for()

try:
    if IMAGE is not None:
        check_image(IMAGE)
    read_given(GIVEN)
    check_files(workflow.configfiles)
    check_overlays(workflow.overwrite_configfiles, workflow.config_settings.config, default_preset())
    expand(config)
    schema = load_schema()
    check_config(config, schema, claim_ids())
    fill_defaults(config, schema)
    check_protocols(config)
    check_device(config)
except InputError as error:
    refuse(error)

for record in empty_damaged(Path(".snakemake")):
    print(f"warning: {record}: damaged; what Snakemake knew of that file is lost", file=sys.stderr)

plan = Plan(config, register())

layout = plan.layout
config["captions"] = plan.results.captions()  # what report/caption.rst reads

# Scripts run as `python -m scripts.NAME`. Without conda they run in the interpreter that runs Snakemake, also where
# its environment was not activated.
prefix = f"set -euo pipefail; . {shlex.quote(str(ROOT / 'rules' / 'shared' / 'job.sh'))}; "
prefix += f"export PYTHONPATH={shlex.quote(str(ROOT))}"
prefix += "${{PYTHONPATH:+:$PYTHONPATH}}; "  # that of a person, too; Snakemake formats the prefix
# glibc keeps freed memory for the next step of a network instead of giving it back each time (a student of 48 x 48 x 32
# voxels: 24.7 s and not 26.6 s, the same bytes)
prefix += f"export MALLOC_MMAP_THRESHOLD_={2**30} MALLOC_TRIM_THRESHOLD_={2**30}; "
# read here, since in code_inputs, which all trainings import, it would make their results stale
VERSION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["version"]
prefix += f"export {COMMIT}={shlex.quote(f'{VERSION}+{commit()}')}; "
if not workflow.deployment_settings.deployment_method:
    prefix += f"export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH; "
shell.prefix(prefix)

# How a job that trains networks asks for a GPU, by the device that it trains on. On Slurm `gpu` becomes --gpus and
# `gres` --gres, of which a job may have one; elsewhere `gpu` is what is counted.
GPU = {"cpu": {"gpu": 0, "gres": ""}, "cuda": {"gpu": int(not config["gres"]), "gres": config["gres"] or ""}}


# Jobs that share a machine's GPUs, as many at once as the limit `gpu` says, each claim one (lib/training/device.py);
# Slurm and Kubernetes, where there is no such limit, show each job its own.
limit = workflow.global_resources.get("gpu")
if config["device"] == "cuda" and limit and (limit.value or 0) > 1:
    shell.prefix(f"{prefix}export GPU_SLOTS={limit.value} GPU_SLOTS_FOLDER=.snakemake/gpus; ")


def one_of(names):
    """A wildcard constraint that admits exactly these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    dataset=one_of(config["datasets"]),
    ensemble=one_of(config["ensembles"]),
    run=one_of(config["scalable_pate"]["runs"]),
    model=one_of(config["models"]),
    gamma=r"\d+(\.\d+)?",
    side=one_of(SIDES),
    repetition=r"\d+",
    drawn=r"\d+",
    shard=r"\d+",


def torch_environment(name):
    """The conda environment of that name with PyTorch for the configured device, relative to a folder of rules."""
    return f"../../envs/{name}-{config['device']}.yaml"


def code(script, *more):
    """For `params`: the digest of the script and of all that it imports; `more` for computed imports.

    Known before any job runs, and of no file: comments, docstrings and times of change make nothing stale.
    """
    files = [f"scripts/{script}.py", *more]
    return Unsaid(code_parameter(files, digest(*files))).of_job


def code_of_dataset(script):
    """The code of a script that reads the job's dataset, with the module that knows it."""

    def of_job(wildcards):
        files = [f"scripts/{script}.py", plan.data.module(wildcards)]
        return Unsaid(code_parameter(files, digest(*files)))

    return of_job


def jobs_of(rule, wildcards):
    """The jobs of a rule, all one process where the configuration says so; wildcards: those of each."""
    return Jobs(wildcards if rule in config["together"] else None)


def options(settings=None, jobs=Jobs()):
    """For `params`, with `**`: a job's command line, from the named files of its rule and what the plan gives it.

    settings: a function of the wildcards alone. Snakemake counts what a function makes of files among their changes,
    not among those of parameters: joined to the files, a changed setting would make nothing stale.
    """

    def of_files(wildcards, input, output):
        return jobs.files(input.items(), output.items())

    def of_settings(wildcards):
        return jobs.settings(settings, wildcards)

    return {"files": of_files} | ({"settings": of_settings} if settings else {})


def asked(method):
    """A method of the plan as an input function: what it refuses ends the workflow with one line."""

    def of_job(wildcards):
        try:
            return method(wildcards)
        except InputError as error:
            refuse(error)

    return of_job


def present(method):
    """A method that finds the files of a dataset as an input function: its line names all that lacks, not the first."""

    def of_job(wildcards):
        if config["data_root"] is not None and without_data(config["data_root"]):
            return []
        try:
            return method(wildcards)
        except InputError as error:
            given = workflow.overwrite_configfiles, workflow.config_settings.config, workflow.dag_settings.targets
            refuse(lacking(error, config, *given))

    return of_job


def table(name, *others):
    """Outputs of a result that is a table: its CSV, which pages show, and `others` beside it (ITEM_OTHER.csv)."""
    return {"table": plan.results.file(name, ".csv")} | _beside(name, others)


def figure(name, *others):
    """Outputs of a result that is a figure: the numbers behind it, `others` beside them, PNG and PDF."""
    return {"numbers": plan.results.file(name, ".csv")} | _beside(name, others) | pictures(name)


def pictures(name):
    """Outputs of a figure: PNG, shown in the report, and PDF."""
    return {"png": reported(name, plan.results.file(name, ".png")), "pdf": plan.results.file(name, ".pdf")}


def reported(name, path):
    """A picture of a result that the report shows with the result's caption."""
    row = plan.results.rows[name]
    labels = {"item": row["title"], "kind": "figure"}
    category = row["paper"].replace("_", " ")
    return report(
        path,
        caption="../../report/caption.rst",
        category=f"{category[0].upper()}{category[1:]}",
        labels=labels,
    )


def _beside(name, others):
    return {other: plan.results.file(name, f"_{other}.csv") for other in others}
