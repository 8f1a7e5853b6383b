"""What the stages share: the checked configuration, the code a script runs, and where things lie."""

import csv
import json
import os
import re
import shlex
import sys
from pathlib import Path

import yaml

ROOT = Path(workflow.basedir)
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from lib.core.code_inputs import code_files
from lib.plan.config import check_config, fill_defaults
from lib.data import registry
from lib.core.errors import InputError


def refuse(error):
    """End with one line; Snakemake adds nothing to it."""
    sys.exit(f"error: {error}")


# the register of results is no setting: presets do not change it
register = config.pop("results")

try:
    schema = yaml.safe_load((ROOT / "schemas" / "config.schema.yaml").read_text())
    check_config(
        config, schema, {claim["id"] for claim in csv.DictReader((ROOT / "claims.csv").open(encoding="utf-8"))}
    )
    fill_defaults(config, schema)
except InputError as error:
    refuse(error)

# Scripts run as `python -m scripts.NAME`. Without conda they run in the interpreter that runs Snakemake, also where
# its environment was not activated.
prefix = f"set -euo pipefail; . {shlex.quote(str(ROOT / 'rules' / 'ended.sh'))}; "
prefix += f"export PYTHONPATH={shlex.quote(str(ROOT))}; "
# glibc keeps freed memory for the next step of a network instead of giving it back each time (a student of 48 x 48 x 32
# voxels: 24.7 s and not 26.6 s, the same bytes)
prefix += f"export MALLOC_MMAP_THRESHOLD_={2**30} MALLOC_TRIM_THRESHOLD_={2**30}; "
if not workflow.deployment_settings.deployment_method:
    prefix += f"export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH; "
shell.prefix(prefix)

RESULTS = f"results/{config['preset']}"
PRIVATE = f"{RESULTS}/private"
PATE = f"{RESULTS}/scalable_pate"
SEED = config["seed"]
MODELS = config["models"]
REPETITIONS = range(1, config["repetitions"] + 1)


# How a job that trains networks asks for a GPU. On Slurm `gpu` becomes --gpus and `gres` --gres, of which a job may
# have one; elsewhere `gpu` is what is counted.
CUDA = config["device"] == "cuda"
GPU = int(CUDA and not config["gres"])
GRES = config["gres"] if CUDA and config["gres"] else ""


def torch_environment(name):
    """The conda environment of that name with PyTorch for the configured device."""
    return str(ROOT / "envs" / f"{name}-{config['device']}.yaml")  # rules of any folder name it


def one_of(names):
    """A wildcard constraint that admits exactly these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    dataset=one_of(config["datasets"]),
    ensemble=one_of(config["ensembles"]),
    run=one_of(config["scalable_pate"]["runs"]),
    model=one_of(config["models"]),
    repetition=r"\d+",
    drawn=r"\d+",
    shard=r"\d+",


def code(script, *more):
    """The script and all the modules it imports, relative to the working folder; `more` for computed imports."""
    files = {file for name in (f"scripts/{script}.py", *more) for file in code_files(name)}
    return sorted(os.path.relpath(file) for file in files)


def log_of(*job):
    return f"{RESULTS}/logs/{'/'.join(job)}.log"


def benchmark_of(*job):
    return f"{RESULTS}/benchmarks/{'/'.join(job)}.tsv"


def compact(block):
    """A block of the configuration as text, which Snakemake compares."""
    return json.dumps(block, sort_keys=True)


def filled(places, wildcards):
    """The names in each of a job's places, the task first."""
    return [place.format(**dict(wildcards.items())).split("/") for place in places]


def listed(places, wildcards):
    """What a job makes, for its message."""
    return " ".join("/".join(names) for names in filled(places, wildcards))


def in_turn(jobs):
    """As text, what scripts/in_turn.py is told of each job: a mapping from options to a value or a list of them."""
    return compact(
        [
            [
                word
                for option, value in job.items()
                for word in (option, *([value] if isinstance(value, str) else value))
            ]
            for job in jobs
        ]
    )


def checkpoint_of(*job):
    """Where a job keeps the state of half-done work; no output, so that it survives a failure."""
    return f"{RESULTS}/checkpoints/{'/'.join(job)}.npz"


def verdicts():
    """Verdicts of the last `claims` of this preset by paper and table, escaped for the captions of the report."""
    path = Path(f"{RESULTS}/claims.csv")
    if not path.is_file():
        return {}
    tables = {claim["id"]: claim["table"] for claim in csv.DictReader((ROOT / "claims.csv").open(encoding="utf-8"))}
    found = {}
    for verdict in csv.DictReader(path.open(encoding="utf-8")):
        if verdict["verdict"] != "not run":
            escaped = {key: re.sub(r"([\\*_|`])", r"\\\1", value) for key, value in verdict.items()}
            for table in tables.get(verdict["id"], "").split(";"):
                found.setdefault(f"{verdict['paper']}.{table.removesuffix('_comparison')}", []).append(escaped)
    return found


config["verdicts"] = verdicts()

# ---------------------------------------------------------------- the plan, and what every rule says

from lib.plan.command_line import command_line
from lib.plan.plan import Plan

plan = Plan(config, register)
layout = plan.layout
config["captions"] = plan.results.captions()


def options(settings=None):
    """For `params`: a job's command line, from the named files of its rule and `settings`, a function of wildcards."""

    def of_job(wildcards, input, output, threads):
        given = settings(wildcards) if settings else {}
        more = {"threads": threads} if "device" in given else {}
        return command_line([*input.items(), *output.items()], given | more)

    return of_job


def asked(method):
    """A method of the plan as an input function: what it refuses ends the workflow with one line."""

    def of_job(wildcards):
        try:
            return method(wildcards)
        except InputError as error:
            refuse(error)

    return of_job


def table(name, *others):
    """Outputs of a result that is a table: its CSV, shown in the report, and `others` beside it (ITEM_OTHER.csv)."""
    return {"table": _reported(name, ".csv")} | {other: plan.results.file(name, f"_{other}.csv") for other in others}


def figure(name, *others):
    """Outputs of a result that is a figure: the numbers behind it, `others` beside them, PNG and PDF."""
    files = {other: plan.results.file(name, f"_{other}.csv") for other in others}
    pictures = {"png": _reported(name, ".png"), "pdf": plan.results.file(name, ".pdf")}
    return {"numbers": plan.results.file(name, ".csv")} | files | pictures


def _reported(name, suffix):
    row = plan.results.rows[name]
    labels = {"item": row["title"], "kind": row["shows"]}
    category = row["paper"].replace("_", " ")
    return report(
        plan.results.file(name, suffix),
        caption="../../report/caption.rst",
        category=f"{category[0].upper()}{category[1:]}",
        labels=labels,
    )
