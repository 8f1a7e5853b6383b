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
from lib.plan.strict import check_files
from lib.data import registry
from lib.core.errors import InputError
from lib.release import files as release_files


def refuse(error):
    """End with one line; Snakemake adds nothing to it."""
    sys.exit(f"error: {error}")


try:
    check_files(workflow.configfiles)
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
NOISE_SEED = "null" if config["noise_seed"] is None else config["noise_seed"]
DATASETS, ENSEMBLES, MODELS = config["datasets"], config["ensembles"], config["models"]
RUNS = config["scalable_pate"]["runs"]
NETWORKS = [
    name for name, model in MODELS.items() if model["kind"] in ("mlp", "teacher_cnn", "teacher_resnet", "gan", "vat")
]
TRAINED = [name for name, ensemble in ENSEMBLES.items() if ensemble["kind"] == "trained"]
REPETITIONS = range(1, config["repetitions"] + 1)


# How a job that trains networks asks for a GPU. On Slurm `gpu` becomes --gpus and `gres` --gres, of which a job may
# have one; elsewhere `gpu` is what is counted.
CUDA = config["device"] == "cuda"
GPU = int(CUDA and not config["gres"])
GRES = config["gres"] if CUDA and config["gres"] else ""


def torch_environment(name):
    """The conda environment of that name with PyTorch for the configured device."""
    return f"../envs/{name}-{config['device']}.yaml"


def one_of(names):
    """A wildcard constraint that admits exactly these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    dataset=one_of(DATASETS),
    ensemble=one_of(ENSEMBLES),
    run=one_of(RUNS),
    model=one_of(MODELS),
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
    """A block of the configuration as text, which Snakemake compares.

    Braces about a word, which only text can have, are escaped: Snakemake would take them for a wildcard.
    """
    return re.sub(r"\{(?=\s*\w)", r"\\u007b", json.dumps(block, sort_keys=True))


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


def data_root(dataset):
    """The folder below which a dataset's files lie."""
    roots = {"download": f"{RESULTS}/downloads/{dataset}", "data_root": config["data_root"]}
    return roots.get(DATASETS[dataset]["source"])


def data_files(dataset):
    """The files a dataset is read from; ends the workflow with one line if they are not there."""
    entry = DATASETS[dataset]
    try:
        files = registry.required_files(dataset, entry["module"], entry["source"], data_root(dataset))
        return list(map(str, registry.watched(files)))
    except InputError as error:
        refuse(error)


def drawn_of(ensemble, repetition):
    """The draw of an ensemble that a repetition uses: published votes are number 0, others 1 to `draws`."""
    if ENSEMBLES[ensemble]["kind"] == "published":
        return 0
    return (int(repetition) - 1) % ENSEMBLES[ensemble].get("draws", len(REPETITIONS)) + 1


def votes_drawn(ensemble):
    """All draws of an ensemble that the repetitions use."""
    return sorted({drawn_of(ensemble, repetition) for repetition in REPETITIONS})


def votes_of(run, repetition):
    """The votes that one repetition of a run aggregates."""
    ensemble = RUNS[run]["ensemble"]
    return f"{PRIVATE}/votes/{ensemble}/{drawn_of(ensemble, repetition)}.npz"


def split_of(ensemble, repetition):
    """The split that one repetition uses: the one its teachers were trained on, if they were."""
    return f"{PRIVATE}/splits/{ensemble}/{drawn_of(ensemble, repetition) or repetition}.npz"


def accounted(run):
    """The repetitions in which a run's cost differs: those of its votes, or of the student that takes part."""
    return list(REPETITIONS) if "first_round" in RUNS[run] else votes_drawn(RUNS[run]["ensemble"])


def samples_of(ensemble):
    """The prepared samples of an ensemble: its own, or those that published votes are about."""
    return f"{PRIVATE}/data/{ENSEMBLES[ensemble].get('samples', ENSEMBLES[ensemble]['dataset'])}.npz"


def by_network(names, model_of):
    """Those of `names` whose model is a network, and the others."""
    networks = [name for name in names if model_of(name) in NETWORKS]
    return networks, [name for name in names if name not in networks]


def checkpoint_of(*job):
    """Where a job keeps the state of half-done work; no output, so that it survives a failure."""
    return f"{RESULTS}/checkpoints/{'/'.join(job)}.npz"


def rounds(run):
    """The names of a run and, before it, of the run that is its first round."""
    first = RUNS[run].get("first_round")
    return ([first] if first else []) + [run]


def described(run):
    """A run's block as text, with its first round's in place of its name."""
    *first, last = map(RUNS.get, rounds(run))
    return compact(last | ({"first_round": first[0]} if first else {}))


def first_round_files(run, repetition):
    """The first round's released labels, and its student's scores; nothing where there is no first round."""
    return [
        f"{PATE}/{part}/{name}/{repetition}.npz" for name in rounds(run)[:-1] for part in ("aggregated", "students")
    ]


def released_labels(run, repetition):
    """The labels that a run released in one repetition, a file a round."""
    return [f"{PATE}/aggregated/{name}/{repetition}.npz" for name in rounds(run)]


def earlier_options(files, rule):
    """The options that tell a script of the first round's files."""
    if not files:
        return ""
    labels, scores = files
    return f"--scores {scores}" + (f" --first-round {labels}" if rule == "aggregate" else "")


def ensemble_of(run):
    return ENSEMBLES[RUNS[run]["ensemble"]]


def accounts(runs):
    """Records of `account` for some runs."""
    return [f"{PATE}/accounts/{run}/{drawn}.json" for run in runs for drawn in accounted(run)]


def shards_of(ensemble):
    """(first teacher, the one after the last) of each shard."""
    teachers, size = ENSEMBLES[ensemble]["teachers"], ENSEMBLES[ensemble].get("shard", ENSEMBLES[ensemble]["teachers"])
    return [(first, min(first + size, teachers)) for first in range(0, teachers, size)]


def labels_or_votes(wildcards):
    ensemble = ENSEMBLES[wildcards.ensemble]
    if ensemble["kind"] == "published":
        return f"{PRIVATE}/data/{ensemble['dataset']}.npz"
    return [
        f"{PRIVATE}/teacher_labels/{wildcards.ensemble}/{wildcards.drawn}/{shard}.npz"
        for shard in range(len(shards_of(wildcards.ensemble)))
    ]


def all_votes_of(run):
    """Every draw of the votes that a run aggregates."""
    return [f"{PRIVATE}/votes/{RUNS[run]['ensemble']}/{drawn}.npz" for drawn in votes_drawn(RUNS[run]["ensemble"])]


def realised(stage, runs):
    """Records of every repetition of some runs at a stage: aggregated or students."""
    return [f"{PATE}/{stage}/{run}/{repetition}.json" for run in runs for repetition in REPETITIONS]


def runs_of(item, part=None):
    """The runs of a table or figure with all that a script needs to know of them, as text."""
    blocks = []
    for name in config["scalable_pate"][item][part] if part else config["scalable_pate"][item]:
        ensemble = ensemble_of(name) | {"name": RUNS[name]["ensemble"]}
        more = {"moments": config["accounting"]["moments"], "baseline": baseline_of(name)}
        if RUNS[name]["student"]:
            more["student_kind"] = MODELS[RUNS[name]["student"]]["kind"]
        blocks.append(RUNS[name] | {"name": name, "ensemble": ensemble} | more)
    return compact(blocks)


def baseline_of(run):
    """The model of the non-private baseline beside a run's student."""
    return ensemble_of(run).get("baseline_model", RUNS[run]["student"])


def inspected(ensembles):
    """Votes of some ensembles, a line a draw, with the samples they are about: (ensemble, votes, data, split)."""
    return [
        (name, f"{PRIVATE}/votes/{name}/{drawn}.npz", samples_of(name), split_of(name, drawn or 1))
        for name in ensembles
        for drawn in votes_drawn(name)
    ]


def selection_records(wildcards):
    """Records of every stage of the runs in the table of selection."""
    runs = config["scalable_pate"]["selection"]
    records = accounts(runs) + realised("students", [run for run in runs if RUNS[run]["student"]])
    records += [f"{PRIVATE}/selection/{run}/{repetition}.json" for run in runs for repetition in REPETITIONS]
    return records + [
        f"{PRIVATE}/noiseless_students/{run}/{repetition}.json"
        for run in config["scalable_pate"]["noiseless"]
        for repetition in REPETITIONS
    ]


def table1_records(wildcards):
    """Records of every stage of the runs in Table 1."""
    runs = config["scalable_pate"]["table1"]
    records = accounts(runs) + realised("aggregated", runs)
    for run in runs:
        if RUNS[run]["student"]:
            ensemble = RUNS[run]["ensemble"]
            model = baseline_of(run)
            records += realised("students", [run])
            splits = REPETITIONS if ENSEMBLES[ensemble]["kind"] == "published" else votes_drawn(ensemble)
            records += [f"{PATE}/baselines/{ensemble}/{model}/{repetition}.json" for repetition in splits]
    return sorted(set(records))


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
