"""What Snakemake says of the workflow without running it, and what its rules and environments must have."""

import ast
import re
import shutil
import sys

import pytest
import yaml
from jsonschema import Draft202012Validator

from lib.code_inputs import code_files
from tests.workflow.running import ROOT, Project

CONFIGURATION = yaml.safe_load((ROOT / "config.yaml").read_text())
SCHEMA = yaml.safe_load((ROOT / "schemas" / "config.schema.yaml").read_text())
RULE_FILES = sorted(path.name for path in (ROOT / "rules").glob("*.smk") if not path.stem.endswith("common"))
ENVIRONMENTS = sorted(path.name for path in (ROOT / "envs").glob("*.yaml"))


def test_a_dry_run_of_quick_plans_every_stage(pristine):
    planned = Project(pristine.root).pending("--cores", "1")
    repetitions = CONFIGURATION["repetitions"]
    chosen = CONFIGURATION["scalable_pate"]
    ensembles = {chosen["runs"][run]["ensemble"] for run in chosen["table1"]} | set(chosen["fig4"]["right"])
    assert planned.counts["split_data"] == planned.counts["count_votes"] == repetitions * len(ensembles)
    assert planned.counts["train_network_teachers"] == repetitions * len(chosen["fig4"]["right"])
    assert {f"scalable_pate_fig{number}" for number in (1, 3, 4, 5)} <= planned.rules
    assert {f"scalable_pate_{item}" for item in ("selection", "teachers", "search")} <= planned.rules
    assert planned.counts["train_noiseless_student"] == repetitions * len(chosen["noiseless"])
    assert planned.counts["aggregate"] >= repetitions * len(CONFIGURATION["scalable_pate"]["table1"])
    assert {"prepare_data", "scalable_pate_table1", "scalable_pate_table2", "claims", "datasets"} <= planned.rules


@pytest.mark.parametrize("preset", ["quick", "real", "paper"])
def test_a_dry_run_plans_every_curve_of_dp_mac(pristine, any_root, preset):
    real = ("--configfile", f"presets/{preset}.yaml", "--config", f"data_root={any_root}")
    planned = Project(pristine.root).pending(*(() if preset == "quick" else real), "--", "dp_mac")
    source = "config.yaml" if preset == "quick" else f"presets/{preset}.yaml"
    curves = yaml.safe_load((ROOT / source).read_text())["dp_mac"]["curves"]
    jobs = 0
    for curve in curves:
        together = CONFIGURATION["dp_mac"]["series"][curve["series"]]["side_by_side"]
        jobs += len(curve.get("epsilon", [None])) * (1 if together else curve["repetitions"])
    assert sum(planned.counts.get(rule, 0) for rule in ("train_mac", "train_sgd", "train_cdbn")) == jobs
    assert {f"dp_mac_fig{number}" for number in (1, 2, 3, 4)} <= planned.rules
    assert {"dp_mac_budget", "dp_mac_table1a", "dp_mac_table1b", "dp_mac_sensitivity"} <= planned.rules


@pytest.mark.parametrize("preset", ["quick", "real", "paper"])
def test_a_dry_run_plans_all_of_residual_perturbation(pristine, any_root, preset):
    real = ("--configfile", f"presets/{preset}.yaml", "--config", f"data_root={any_root}")
    planned = Project(pristine.root).pending(*(() if preset == "quick" else real), "--", "residual_perturbation")
    source = "config.yaml" if preset == "quick" else f"presets/{preset}.yaml"
    chosen = yaml.safe_load((ROOT / source).read_text())["residual_perturbation"]
    figures = {f"fig{number}" for number in range(1, 13)}
    tables = {*(f"table{number}" for number in range(1, 6)), "skip", "readings", "budget"}
    items = {*figures, *tables, "theory", "dp_sgd", "rademacher"} | ({"cost"} if chosen["cost"] else set())
    jobs = {"prepare_data", "draw_task", "train_residual", "train_residual_dp_sgd", "attack_residual", "audit_residual"}
    assert planned.rules == {"residual_perturbation", *jobs, *(f"residual_perturbation_{item}" for item in items)}
    mechanisms = CONFIGURATION["residual_perturbation"]["audit"]["mechanisms"]
    assert planned.counts["audit_residual"] == len(chosen["audit"]["chosen"]) * len(mechanisms)
    trained = sum(len(entry["gammas"]) for entry in chosen["networks"])
    assert planned.counts["train_residual"] + planned.counts["train_residual_dp_sgd"] == trained
    assert planned.counts["attack_residual"] == trained


def draws(name: str) -> int:
    """How often a run is accounted for: once for published votes, with a student in the loop every repetition."""
    run = CONFIGURATION["scalable_pate"]["runs"][name]
    ensemble = CONFIGURATION["ensembles"][run["ensemble"]]
    if "first_round" in run:
        return CONFIGURATION["repetitions"]
    return ensemble.get("draws", CONFIGURATION["repetitions"]) if ensemble["kind"] == "trained" else 1


@pytest.mark.parametrize("preset", ["real", "paper"])
def test_a_dry_run_of_a_preset_on_real_data_plans_every_stage(pristine, any_root, preset):
    arguments = ("--configfile", f"presets/{preset}.yaml", "--config", f"data_root={any_root}")
    planned = Project(pristine.root).pending(*arguments)
    chosen = yaml.safe_load((ROOT / "presets" / f"{preset}.yaml").read_text())["scalable_pate"]
    figures = chosen["fig1"]["students"] + chosen["fig1"]["curves"]
    accounted = chosen["table1"] + chosen["epsilon"] + chosen["selection"] + figures
    for rule, runs in (("sanitize_epsilon", chosen["table2"]), ("account", accounted)):
        assert planned.counts[rule] == sum(map(draws, set(runs)))
    assert {"prepare_data", "scalable_pate_table1", "scalable_pate_table2", "claims", "datasets"} <= planned.rules


def test_a_dry_run_creates_nothing(pristine):
    before = pristine.tree()
    pristine.run("--dry-run")
    assert pristine.tree() == before


def test_the_linter_finds_nothing(pristine):
    assert "your workflow is in a good condition" in pristine.run("--lint")


def test_every_target_says_what_it_is(pristine):
    lines = [line for line in pristine.run("--list-target-rules").splitlines() if re.match(r"[a-z_0-9]+( |$)", line)]
    names = {line.split()[0] for line in lines}
    assert {"all", "scalable_pate", "scalable_pate_table1", "claims", "reproduction"} <= names
    undescribed = [line for line in lines if not re.fullmatch(r"\S+ \(\S.{15,}\)", line)]
    assert undescribed == []
    listed = pristine.run("--list-rules")
    assert all(re.search(rf"^{name} \(", listed, re.MULTILINE) for name in names)


def rules_of(name: str) -> dict[str, str]:
    """The text of each rule of a file of rules, by name."""
    text = (ROOT / "rules" / name).read_text()
    starts = [*re.finditer(r"^( *)(?:rule|checkpoint) *(\w*):\n", text, re.MULTILINE)]
    found = {}
    for start in starts:
        body = re.match(rf"(?:{start[1]} +.*\n|\n)*", text[start.end() :])[0]
        found[start[2] or re.search(r'name:\s*f?"?([\w{}]+)', body)[1]] = body
    assert len(found) == len(starts)
    return found


@pytest.mark.parametrize("name", RULE_FILES)
def test_every_rule_declares_what_running_it_takes(name):
    rules = rules_of(name)
    assert rules
    for rule, body in rules.items():
        directives = set(re.findall(r"^ +(\w+):(?: |$)", body, re.MULTILINE))
        needed = {"input", "output", "log", "benchmark", "conda", "threads", "resources", "message", "shell"}
        assert needed <= directives, f"{rule} lacks {sorted(needed - directives)}"
        resources = set(re.findall(r"^ +(\w+)=(?:\d+|GPU),$", body.partition("resources:\n")[2], re.MULTILINE))
        assert {"mem_mb", "runtime", "gpu"} <= resources, f"{rule} has the resources {sorted(resources)} only"
        environment = re.search(r'conda:\n +"\.\./envs/(.*)"', body)[1]
        assert environment in ENVIRONMENTS, f"{rule}: {environment}"
        assert re.search(r"^ +code=.*\bcode\(", body, re.MULTILINE), f"{rule} does not declare the code it runs"
        assert "> {log} 2>&1" in body, f"{rule} does not keep what its script prints"


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


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_environments_pin_the_versions_of_the_requirements(name):
    environment = yaml.safe_load((ROOT / "envs" / name).read_text())
    conda = [item for item in environment["dependencies"] if isinstance(item, str) and item != "pip"]
    nested = [item["pip"] for item in environment["dependencies"] if isinstance(item, dict)]
    assert "python=3.11" in conda
    pinned = pins([item for item in conda if not item.startswith("python=")], "=")
    pinned |= pins([item for items in nested for item in items], "==")
    wanted = requirements("requirements.txt")
    assert pinned
    assert {package: wanted.get(package) for package in pinned} == pinned


# the package of a module that has another name
PACKAGES = {"sklearn": "scikit-learn", "yaml": "pyyaml", "PIL": "pillow"}


def imported_packages(script: str) -> set[str]:
    """Packages that a script and all its modules import, by the names that indexes compare."""
    modules = set()
    for path in code_files(ROOT / "scripts" / f"{script}.py"):
        for node in ast.walk(ast.parse(path.read_text())) if path.suffix == ".py" else []:
            if isinstance(node, ast.Import):
                modules |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules.add(node.module.partition(".")[0])
    other = modules - sys.stdlib_module_names - {"lib", "scripts"}
    return {normal(PACKAGES.get(module, module)) for module in other}


@pytest.mark.parametrize("name", RULE_FILES)
def test_environments_have_all_that_their_jobs_import(name):
    text = (ROOT / "rules" / name).read_text()
    # a rule made in a loop names its scripts elsewhere in its file
    scripts = {word for word in re.findall(r'"(\w+)"', text) if (ROOT / "scripts" / f"{word}.py").exists()}
    checked = set()
    for rule, body in rules_of(name).items():
        environment = yaml.safe_load((ROOT / "envs" / re.search(r'"\.\./envs/(.*)"', body)[1]).read_text())[
            "dependencies"
        ]
        items = [item for item in environment if isinstance(item, str)]
        items += [item for nested in environment if isinstance(nested, dict) for item in nested["pip"]]
        have = {normal(item.partition("=")[0]) for item in items}
        written = re.search(r'code\((?:"(\w+)"|\w+)', body)[1]
        for script in [written] if written else sorted(scripts):
            assert imported_packages(script) <= have, f"{rule}: {sorted(imported_packages(script) - have)} of {script}"
            checked.add(script)
    assert checked


def test_every_requirement_of_the_jobs_has_an_exact_pin():
    assert {"snakemake", "numpy", "scipy", "pandas", "dp-accounting"} <= set(requirements("requirements.txt"))


def test_conda_environments_are_accepted(pristine):
    if not shutil.which("conda"):
        pytest.skip("needs conda")
    assert pristine.pending("--use-conda").counts


def undescribed(block: object, schema: dict, where: str) -> list[str]:
    """Keys of the configuration without a description in the schema; fails for a key that it does not know."""
    if not isinstance(block, dict):
        return []
    conditional = [part for part in [schema, *schema.get("allOf", [])] if "then" in part]
    parts = [schema] + [part["then"] for part in conditional if Draft202012Validator(part["if"]).is_valid(block)]
    known = {name: key for part in parts for name, key in part.get("properties", {}).items()}
    found = []
    for name, value in block.items():
        below = known.get(name, schema.get("additionalProperties"))
        assert isinstance(below, dict), f"{where}{name} is not in the schema"
        target = SCHEMA["$defs"][below["$ref"].rpartition("/")[2]] if "$ref" in below else {}
        if name in known and not (below.get("description") or target.get("description")):
            found.append(f"{where}{name}")
        found += undescribed(value, target | below, f"{where}{name if name in known else '*'}.")
    return sorted(set(found))


def test_every_key_of_the_configuration_is_described_in_the_schema():
    assert undescribed(CONFIGURATION, SCHEMA, "") == []
