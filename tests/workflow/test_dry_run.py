"""What Snakemake says of the workflow without running it, and what its rules and environments must have."""

import ast
import json
import os
import re
import shlex
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
import yaml

from lib.core.code_inputs import code_files
from lib.leaderboard.methods import KINDS
from lib.plan.config import layered
from lib.plan.configfiles import preset_files
from lib.plan.data_needs import mark_without_data
from lib.plan.leaderboard_checks import ONES_OWN
from lib.plan.rule_texts import rule_texts, script_of
from lib.training.device import DEVICES
from tests.offenders import each
from tests.workflow.quick import ARGUMENTS, PLAN, committed, rows_of
from tests.workflow.running import ROOT, Project

# what each rule says, and after what a variant says itself that of its rule
RULES = {name: rule.text + (rule_texts()[rule.like].text if rule.like else "") for name, rule in rule_texts().items()}
JOBS = sorted(name for name, text in RULES.items() if "shell:" in text)
# scripts that measure what was trained, on the CPU
MEASURED = {path.stem for path in (ROOT / "scripts").glob("measure_*.py")}
CPU_ONLY = {"aggregate_masks", *MEASURED}  # rules that compute with networks and train none
ENVIRONMENTS = sorted(path.name for path in (ROOT / "envs").glob("*.yaml"))


def test_the_entry_of_the_catalogue_plans_what_the_workflow_plans(pristine):
    """By `workflow/Snakefile`, which the catalogue of workflows asks for beside `config/README.md`."""
    assert (ROOT / "config" / "README.md").is_file()
    asked = ("--cores", "1", "--printshellcmds", "scalable_pate_table1")
    entry = Project(pristine.root).pending("--snakefile", "workflow/Snakefile", *asked)
    own = Project(pristine.root).pending(*asked)
    assert entry.counts == own.counts and entry.messages == own.messages
    entry_lines, own_lines = (sorted(re.findall(r"^.*python -m.*$", each.text, re.MULTILINE)) for each in (entry, own))
    assert entry_lines == own_lines != []


@pytest.mark.parametrize("preset", ARGUMENTS)
def test_a_preset_plans_the_committed_number_of_jobs_of_each_rule(plan_of, preset):
    expected = {row["rule"]: int(row[preset]) for row in rows_of(committed("jobs"))}
    assert plan_of(preset).counts == {rule: count for rule, count in expected.items() if count}, PLAN


def test_the_preset_votes_accounts_and_trains_nothing(pristine, any_root):
    planned = Project(pristine.root).pending("--configfile", "presets/votes.yaml", "--config", f"data_root={any_root}")
    tables = {"scalable_pate_table1", "scalable_pate_table2", "scalable_pate_epsilon", "scalable_pate_tails"}
    made = {"prepare_data", "count_votes", "account", "aggregate", "sanitize_epsilon", "claims", "datasets"}
    assert planned.rules == tables | made | {"paper_claims", "site_page", "site"}
    assert sum(planned.counts.values()) < 50


def test_the_preset_own_images_attacks_them_and_nothing_else(pristine, any_root):
    own = ("--configfile", "presets/own_images.yaml", "--config", f"data_root={any_root}")
    planned = Project(pristine.root).pending(*own, "--", "residual_perturbation_table3")
    trained = {"train_residual": 3 * 2 * 3, "train_residual_dp_sgd": 3 * 2}  # repetitions, sides, methods
    assert {rule: planned.counts[rule] for rule in trained} == trained
    assert planned.counts["prepare_data"] == planned.counts["draw_task"] == 1


def test_pate_in_the_preset_own_images_is_about_them_alone(pristine, any_root):
    own = ("--configfile", "presets/own_images.yaml", "--config", f"data_root={any_root}")
    planned = Project(pristine.root).pending(*own, "--", "scalable_pate")
    tables = {f"scalable_pate_{item}" for item in ("table1", "table2", "epsilon", "teachers", "tails")}
    assert {rule for rule in planned.rules if rule.startswith("scalable_pate_")} == tables
    assert planned.counts["prepare_data"] == 1 and planned.counts["split_data"] == 3
    chosen = layered(preset_files("own_images"))["scalable_pate"]
    runs = {*chosen["table1"], *chosen["table2"], *chosen["epsilon"]}
    assert {chosen["runs"][run]["ensemble"] for run in runs} == set(chosen["teachers"]) == {"own_images"}


@pytest.mark.parametrize("preset", ARGUMENTS)
def test_a_preset_chooses_methods_of_every_kind_for_the_leaderboard(preset):
    board = layered(preset_files(preset))["leaderboard"]
    kinds = {board["methods"][name]["kind"] for name in board["chosen"]}
    assert kinds == set(KINDS) - set(ONES_OWN) - ({"residual"} if board["features"] else set())


def test_units_together_are_told_what_they_are_told_alone(pristine):
    """The same units with the same settings: only how many processes there are is another."""
    targets = ("autoencoded_pate", "compressed_pate")

    def planned(together: bool) -> list[set[str]]:
        """The units of each process."""
        tasks = {name: {"together": together} for name in ("phantom", "phantom_whole")}
        project = Project(pristine.root).over({"preset": "together", "segmentation": {"tasks": tasks}})
        text = project.run("--dry-run", "--printshellcmds", "--", *targets)
        found = []
        for script, rest in re.findall(r"python -m scripts\.(\w+) (.*) > ", text):
            words = shlex.split(rest)
            if script != "compressed_pate_fig2" and (option := {"--units", "--encoders"} & set(words)):
                units = json.loads(words[words.index(option.pop()) + 1])
                of = [script, *(words[words.index(name) + 1] for name in ("--task", "--repetition", "--seed"))]
                found.append({json.dumps([*of, unit], sort_keys=True) for unit in units})
        return found

    together, alone = planned(True), planned(False)
    assert {len(units) for units in alone} == {1} and max(map(len, together)) > 1
    assert len(together) < len(alone) and set().union(*together) == set().union(*alone)


LEFT_OUT = {
    "preset": "left_out",
    "autoencoded_pate": {item: {"tasks": []} for item in ("results", "sensitivity", "pca")},
    "compressed_pate": {item: {"tasks": []} for item in ("fig1", "fig2", "fig3", "limits")},
}


def test_pate_for_masks_may_be_left_out(pristine):
    planned = Project(pristine.root).over(LEFT_OUT).pending("all")
    assert {"autoencoded_pate_fig1", "autoencoded_pate_fig2", "claims", "site_page", "site"} <= planned.rules
    assert not {"prepare_volumes", "autoencoded_pate_pca"} & planned.rules
    assert not [
        rule for rule in planned.rules if "mask" in rule or rule.startswith(("measure_", "compressed_pate_fig"))
    ]


def test_a_papers_claims_need_no_other_paper(pristine):
    planned = Project(pristine.root).pending("--", "compressed_pate_claims")
    assert {"paper_claims", "compressed_pate_limits", "compressed_pate_claims"} <= planned.rules
    assert planned.counts["paper_claims"] == 1
    others = ("scalable_pate", "dp_mac", "residual_perturbation", "leaderboard", "train_worlds", "claims")
    assert not [rule for rule in planned.rules if rule.startswith(others)]


def test_every_target_says_what_it_is(pristine):
    lines = [line for line in pristine.run("--list-target-rules").splitlines() if re.match(r"[a-z_0-9]+( |$)", line)]
    names = {line.split()[0] for line in lines}
    assert {"all", "scalable_pate", "scalable_pate_table1", "claims", "site"} <= names
    undescribed = [line for line in lines if not re.fullmatch(r"\S+ \(\S.{15,}\)", line)]
    assert undescribed == []
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    named = re.findall(
        r"snakemake --cores \d (?:[^#\n]*-- )?([a-z_0-9]+)(?![\w/])", "".join(map(Path.read_text, pages))
    )
    assert len(named) > 8 and set(named) <= names
    listed = pristine.run("--list-rules")
    assert all(re.search(rf"^{name} \(", listed, re.MULTILINE) for name in names)


def environments_of(body: str) -> set[str]:
    """The files of a rule's conda environment: one, or one a device."""
    literal, by_device = re.search(r'conda:\n +(?:"(?:\.\./)+envs/(.*)"|torch_environment\("(\w+)"\))', body).groups()
    return {literal} if literal else {f"{by_device}-{device}.yaml" for device in DEVICES}


@each(sorted(RULES.keys() - {"all"}))
def test_every_rule_declares_what_running_it_takes(name):
    directives = set(re.findall(r"^ +(\w+):(?: |$)", RULES[name], re.MULTILINE))
    assert directives == {"input"} or {"output", "conda", "params", "shell"} <= directives


@each(JOBS)
def test_every_job_runs_in_one_of_the_environments(name):
    assert environments_of(RULES[name]) <= set(ENVIRONMENTS)


def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(lines: list[str], separator: str) -> dict[str, str]:
    """Versions by package; every line must pin one exactly."""
    found = {}
    for line in lines:
        match = re.fullmatch(rf"([A-Za-z0-9._-]+){separator}(\d[0-9A-Za-z.+!]*)", line)
        assert match, f"{line!r} is no exact pin"
        found[normal(match[1])] = match[2]
    return found


def requirements(name: str) -> dict[str, str]:
    """The pins of a requirements file."""
    lines = [line.partition("#")[0].partition(";")[0].strip() for line in (ROOT / name).read_text().splitlines()]
    return pins([line for line in lines if line and not line.startswith("-")], "==")


@cache
def environment_pins(name: str) -> dict[str, str]:
    """The pins of a conda environment; it may name PyTorch's own index besides."""
    dependencies = yaml.safe_load((ROOT / "envs" / name).read_text())["dependencies"]
    conda = [item for item in dependencies if isinstance(item, str) and item != "pip"]
    nested = [item for part in dependencies if isinstance(part, dict) for item in part["pip"]]
    assert "python=3.11" in conda
    found = pins([item for item in conda if not item.startswith("python=")], "=")
    return found | pins([item for item in nested if item != TORCH_INDEX], "==")


TORCH_INDEX = "--extra-index-url https://download.pytorch.org/whl/cpu"


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_environments_pin_the_versions_of_the_requirements(name):
    pinned = environment_pins(name)
    assert pinned
    locked = re.findall(r"(?m)^([\w.-]+==[^\s;]+)", (ROOT / "requirements.lock").read_text())
    wanted = pins(locked, "==")
    for package, version in pinned.items():
        built_for = "+cpu" if package in ("torch", "torchvision") and name.endswith("-cpu.yaml") else ""
        assert version == f"{wanted.get(package)}{built_for}", package


@pytest.mark.parametrize("name", ["networks", "segmentation"])
def test_environments_of_the_devices_differ_in_the_build_of_torch_only(name):
    cpu, cuda = ((ROOT / "envs" / f"{name}-{device}.yaml").read_text().splitlines()[2:] for device in DEVICES)
    assert f"      - {TORCH_INDEX}" in cpu
    assert [line.removesuffix("+cpu") for line in cpu if TORCH_INDEX not in line] == cuda


# the package of a module that has another name
PACKAGES = {"sklearn": "scikit-learn", "yaml": "pyyaml", "PIL": "pillow", "markdown_it": "markdown-it-py"}


# Who runs a dataset's own module, and these modules.
READERS = ("download_data", "prepare_data")
SOURCES = sorted((ROOT / "lib" / "data" / "sources").glob("*.py"))


@cache
def modules_of(path: Path) -> frozenset[str]:
    """Find the packages that a file imports, by the first part of their names."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text())) if path.suffix == ".py" else []:
        if isinstance(node, ast.Import):
            modules |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules.add(node.module.partition(".")[0])
    return frozenset(modules)


def imported_packages(script: str, *more: Path) -> set[str]:
    """Packages that a script, `more` and all their modules import, by the names that indexes compare."""
    files = {file for start in (ROOT / "scripts" / f"{script}.py", *more) for file in code_files(start)}
    modules = frozenset().union(*map(modules_of, files))
    other = modules - sys.stdlib_module_names - {"lib", "pate_accountant", "scripts"}
    return {normal(PACKAGES.get(module, module)) for module in other}


@each(JOBS)
def test_environments_have_all_that_their_jobs_import(name):
    have = set.intersection(*(set(environment_pins(file)) for file in environments_of(RULES[name])))
    script = script_of(name)
    assert imported_packages(script, *(SOURCES if script in READERS else [])) - have == set()


def test_every_requirement_of_the_jobs_has_an_exact_pin():
    assert {"snakemake", "numpy", "scipy", "pandas", "dp-accounting"} <= set(requirements("requirements.txt"))


# What Snakemake asks conda before it plans, answered in its place.
CONDA = """#!/bin/sh
case "$1" in
  --version) echo conda 26.1.0 ;;
  info) echo '{"conda_prefix": "/nowhere", "platform": "linux-64"}' ;;
  config) echo '{"get": {"channel_priority": "strict"}}' ;;
  *) exit 1 ;;
esac
"""


@pytest.mark.parametrize("device", DEVICES)
def test_with_conda_every_job_has_the_environment_of_the_device(pristine, tmp_path, device):
    conda = tmp_path / "conda"
    conda.write_text(CONDA)
    conda.chmod(0o755)
    project = Project(pristine.root, pristine.overlays).over({"device": device})
    text = project.run("--dry-run", "--use-conda", PATH=f"{tmp_path}:{os.environ['PATH']}")
    made = {Path(path).name for path in re.findall(r"^Conda environment (.*) will be created\.$", text, re.MULTILINE)}
    others = {name for name in ENVIRONMENTS if name.endswith(tuple(f"-{other}.yaml" for other in DEVICES))}
    assert made == set(ENVIRONMENTS) - {name for name in others if not name.endswith(f"-{device}.yaml")}


def test_the_preset_paper_names_its_device_and_shows_no_patient_on_a_page(pristine, any_root):
    """Whoever gives data_root by --config loses what a profile says, and not what the preset does."""
    arguments = ("--configfile", "presets/paper.yaml", "--config", f"data_root={any_root}")
    page = "results/paper/site/residual_perturbation.html"
    planned = Project(pristine.root).run("--dry-run", "-p", *arguments, "--", page)
    assert "--device cuda" in planned and "--device cpu" not in planned
    page = next(line for line in planned.splitlines() if "scripts.site_page " in line)
    assert "/fig1.png" in page and "/fig2.png" not in page


def test_the_profile_for_a_gpu_trains_every_network_on_it(pristine):
    options = ("--workflow-profile=profiles/gpu", "--cores=2", "--printshellcmds")
    planned = Project(pristine.root).pending(*options, "--", "dp_mac_table1a")
    trained = sum(count for rule, count in planned.counts.items() if rule in ("train_mac", "train_sgd", "train_cdbn"))
    # a command line may have many networks, one after the other
    assert len(re.findall(r"python -m scripts\.\w+ .*--device cuda", planned.text)) == trained > 0
    assert "--device cpu" not in planned.text


def test_small_networks_may_stay_on_the_cpu_beside_a_gpu(tmp_path):
    project = Project.copy(tmp_path / "project")
    # Snakemake says what a job asks for where it has no message of its own
    project.edit("rules/shared/jobs.smk", "    each.message = ", "    unused = ")
    options = ("--workflow-profile=profiles/gpu", "--cores=2", "--printshellcmds", "--config", "device=cuda")
    text = project.run("--dry-run", *options, "dp_mac={device: cpu}", "--", "dp_mac_table1a", "leaderboard")
    on = dict(re.findall(r"python -m scripts\.(\w+) .*--device (\w+)", text))
    assert (on["train_mac"], on["train_sgd"], on["train_worlds"]) == ("cpu", "cpu", "cuda")
    asked = dict(re.findall(r"^rule (\w+):\n(?: {4}.*\n)*? {4}resources: .*\bgpu=(\d)", text, re.MULTILINE))
    assert (asked["train_mac"], asked["train_sgd"], asked["train_worlds"]) == ("0", "0", "1")


def test_smoke_plans_every_rule_that_paper_plans(pristine, any_root, plan_of):
    smoke = ("--configfile", "presets/paper.yaml", "presets/smoke.yaml", "--config", f"data_root={any_root}")
    planned = Project(pristine.root).pending(*smoke, "--", "all")
    assert planned.rules == plan_of("paper").rules
    assert "--device cuda" not in planned.text


@pytest.mark.skipif(
    torch.cuda.is_available(), reason="without a GPU a job ends with the line that says which one it saw"
)
def test_jobs_that_share_a_machines_gpus_see_one_each(pristine, tmp_path):
    project = pristine.duplicate(tmp_path / "project").over({"device": "cuda"})
    done = project.snakemake("--cores", "3", "--resources", "gpu=3", "--", "dp_mac_fig1", CUDA_VISIBLE_DEVICES="4,5,6")
    assert done.returncode, done.stdout + done.stderr
    logs = [path.read_text() for path in (project.root / "results" / "tiny" / "logs").glob("train_*/**/*.log")]
    seen = [re.findall(r"no CUDA device is available here, of CUDA_VISIBLE_DEVICES=(\d+);", log) for log in logs]
    assert len(seen) >= 3, done.stdout + done.stderr
    assert all(len(found) == 1 and found[0] in "456" for found in seen)


@pytest.mark.parametrize("profile", sorted(path.parent.name for path in (ROOT / "profiles").glob("*/config.yaml")))
def test_every_profile_says_memory_and_time_of_jobs_whose_rules_do_not(profile):
    said = yaml.safe_load((ROOT / "profiles" / profile / "config.yaml").read_text())["default-resources"]
    assert {"mem_mb", "runtime", "gpu"} <= said.keys()


# where it runs, by the row of docs/running.md, and the plugin without which Snakemake knows nothing of it
PLACES = {
    "one machine with a GPU": None,
    "one machine with N GPUs": None,
    "Slurm": "snakemake_executor_plugin_slurm",
    "Kubernetes": "snakemake_executor_plugin_kubernetes",
}


@pytest.mark.parametrize(
    "place", [pytest.param(place, marks=[pytest.mark.long] * (place == "one machine with a GPU")) for place in PLACES]
)
def test_the_documented_commands_plan_device_memory_and_time_of_every_job_of_paper(pristine, any_root, tmp_path, place):
    if PLACES[place] and not find_spec(PLACES[place]):
        pytest.skip("needs the plugin: make test-cluster")
    page = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {place} \|.*$", page, re.MULTILINE)
    arguments = re.findall(r"`snakemake ([^`]*)`", row)[0].replace("gpu=N", "gpu=4").split()
    project = Project.copy(tmp_path / "project")
    data_root = any_root
    if place == "Kubernetes":  # files lie on the volume that holds the project
        arguments += [f"--default-storage-prefix={project.root}", f"--container-image=python@sha256:{'0' * 64}"]
        data_root = "data"
        mark_without_data(project.root / data_root)
    # Snakemake says what a job asks for where it has no message of its own
    project.edit("rules/shared/jobs.smk", "    each.message = ", "    unused = ")
    paper = ("--configfile", "presets/paper.yaml", "--config", f"data_root={data_root}", "device=cuda")
    text = project.run("--dry-run", "--printshellcmds", *arguments, *paper, "--", "all")
    jobs = re.findall(r"^(?:local)?rule (\w+):\n((?: {4}.*\n)+)(?:Shell command: (.*))?", text, re.MULTILINE)
    ran = [(rule, said, command) for rule, said, command in jobs if command]
    assert len(ran) > 1000
    trained = {"train_network_teachers", "train_mac", "train_residual", "train_mask_teachers", "train_worlds"}
    assert trained <= {rule for rule, _, command in ran if " --device cuda " in command}
    for rule, said, command in ran:
        assert re.search(r"mem_mb=[1-9]\d*, .*runtime=[1-9]\d*", said), f"{rule}: {said}"
        # an audit's record says where its runs were trained
        if " --device " in command and rule not in {*CPU_ONLY, "audit_residual"}:
            assert " --device cuda " in command, command
            assert re.search(r"gpu=1", said), f"{rule}: {said}"
    (patches,) = (command for rule, _, command in ran if rule == "residual_perturbation_fig2")
    assert "--dataset idc" in patches and "--data results/paper/private/data/idc.npz" in patches
