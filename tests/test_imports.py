"""The architecture, read from the source: which room may know of which, and what no file may mention."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from lib.core.code_inputs import code_files
from tests.offenders import each

ROOT = Path(__file__).resolve().parent.parent
LIB = ROOT / "lib"
ROOMS = sorted(path.name for path in LIB.iterdir() if (path / "__init__.py").is_file())
PACKAGE = "pate_accountant"  # the accountant, which installs alone
MODULES = sorted(path.relative_to(ROOT) for folder in (LIB, ROOT / PACKAGE) for path in folder.rglob("*.py"))
SCRIPTS = sorted(path.relative_to(ROOT) for path in (ROOT / "scripts").rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Dotted names of all that a file imports, relative imports resolved."""
    names = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            prefix = [*path.parts[: -node.level], node.module] if node.level else [node.module]
            stem = ".".join(filter(None, prefix))
            names |= {f"{stem}.{name.name}" for name in node.names}
    return names


def within(names: set[str], package: str) -> set[str]:
    return {name for name in names if name == package or name.startswith(f"{package}.")}


def test_there_is_something_to_look_at():
    assert {"data", "models", "pate", "training"} <= set(ROOMS)
    assert Path("pate_accountant/ledger.py") in MODULES and Path("scripts/account.py") in SCRIPTS
    assert "pate_accountant.gnmax" in imported(Path("pate_accountant/threshold.py"))
    assert "lib.core.errors.InputError" in imported(Path("lib/core/files.py"))


# Which rooms a room may import, below it in this table or not at all. A room that is not here may import nothing.
# what most that trains networks stands on
TRAINED = {"pate_accountant", "core", "data", "models", "reporting", "training"}
ROOMS_KNOWN = {
    "pate_accountant": set(),
    "core": {"pate_accountant"},  # of it the exception type alone: see below
    "models": {"core"},  # of it what makes MONAI start faster
    "training": {"pate_accountant", "core"},  # what a run is charged is part of how it is trained
    "data": {"pate_accountant", "core"},  # published votes are data, and their counts are checked as the ledger does
    "reporting": {"pate_accountant", "core"},
    "encoders": {"core", "models"},
    # no room that trains, or that a model is made of: a model is an array of what it predicts, training a callable
    "attacks": {"pate_accountant", "core", "data", "reporting"},
    "pate": {"pate_accountant", "core", "data", "encoders", "models", "training"},
    "release": {"pate_accountant", "core", "pate", "reporting"},
    # the papers: none knows another
    "dp_mac": TRAINED,
    "residual_perturbation": TRAINED | {"attacks"},  # its networks are audited by canaries
    "segmentation": TRAINED | {"encoders"},
    # compares the methods of all papers on one task
    "leaderboard": TRAINED | {"dp_mac", "encoders", "pate", "residual_perturbation"},
    # runs the mechanisms of all papers
    "audit": {"pate_accountant", "attacks", "core", "dp_mac", "leaderboard", "pate", "segmentation", "training"},
    # the settings that a configuration may have: classes of the papers, names and limits
    "plan": {"pate_accountant", "attacks", "core", "data", "dp_mac", "leaderboard", "pate", "release"}
    | {"encoders", "leaderboard", "residual_perturbation", "segmentation", "training"},
}
PAPERS = {"dp_mac", "residual_perturbation", "segmentation"}


def room_of(module: Path) -> str:
    """The room of a module of the library; the accountant is one."""
    return module.parts[0] if module.parts[0] == PACKAGE else module.parts[1]


def rooms_of(names: set[str]) -> set[str]:
    rooms = {name.split(".")[1] for name in within(names, "lib") if "." in name}
    return rooms | ({PACKAGE} if within(names, PACKAGE) else set())


@each(MODULES)
def test_a_room_imports_only_rooms_that_it_may_know(module):
    room = room_of(module)
    assert rooms_of(imported(module)) <= ROOMS_KNOWN.get(room, set()) | {room}


def test_rooms_know_each_other_one_way():
    assert set(ROOMS_KNOWN) == {*ROOMS, PACKAGE}
    order = list(ROOMS_KNOWN)
    for room, known in ROOMS_KNOWN.items():
        assert known <= set(order[: order.index(room)]), room


def test_no_paper_knows_another_and_what_they_share_knows_none():
    assert PAPERS <= set(ROOMS)
    assert [room for room, known in ROOMS_KNOWN.items() if known & PAPERS] == ["leaderboard", "audit", "plan"]


def test_every_arrow_between_rooms_is_seen():
    """What the tests above look at is what the modules say."""
    assert rooms_of(imported(Path("lib/dp_mac/backpropagation.py"))) >= {"dp_mac", "models", "training"}
    assert rooms_of(imported(Path("lib/dp_mac/mac_trainer.py"))) >= {"core", "dp_mac", "training"}
    assert rooms_of(imported(Path("lib/leaderboard/dp_mac.py"))) >= {"dp_mac", "leaderboard"}


@each(m for m in MODULES if room_of(m) == PACKAGE)
def test_what_installs_alone_knows_nothing_of_the_workflow(module):
    """The proofs rest on nothing that trains, loads or draws, and prices on the proofs."""
    assert not within(imported(module), "lib")


@each(m for m in MODULES if room_of(m) == "core")
def test_core_knows_of_the_accountant_the_exception_type_alone(module):
    names = imported(module)
    assert within(names, PACKAGE) == within(names, f"{PACKAGE}.errors")


@each(m for m in MODULES if room_of(m) == "attacks")
def test_attacks_know_files_and_tables_and_no_state_of_a_training(module):
    ours = within(imported(module), "lib.core") | within(imported(module), "lib.reporting")
    core, reporting = ("errors", "files", "keywords", "lean_torch", "seeding"), ("records", "spread", "tables")
    allowed = [f"lib.core.{name}" for name in core] + [f"lib.reporting.{name}" for name in reporting]
    assert ours == set().union(*(within(ours, name) for name in allowed))


@each(MODULES)
def test_the_library_knows_no_script_and_no_workflow(module):
    names = imported(module)
    for foreign in ("scripts", "snakemake", "tests"):
        assert not within(names, foreign)


@each(SCRIPTS)
def test_scripts_run_without_the_workflow(script):
    names = imported(script)
    assert not within(names, "snakemake") and not within(names, "tests")
    assert "snakemake." not in re.sub(r'""".*?"""', "", (ROOT / script).read_text(encoding="utf-8"), flags=re.DOTALL)


# and what they are trained on
TRAININGS = [s for s in SCRIPTS if s.name.startswith("train_") or s.stem in ("aggregate_masks", "count_votes")]


@each(TRAININGS)
def test_no_training_knows_of_statements_or_reports(script):
    """So that hours of training never go stale with what is said of them."""
    known = {path.relative_to(ROOT).as_posix() for path in code_files(script)}
    said = {path for path in known if path.startswith("lib/reporting/") or path.endswith("statements.py")}
    assert said | known & {"pate_accountant/statement.py"} == set()


def test_every_init_is_empty():
    inits = [path for folder in ("lib", "scripts", "tests") for path in (ROOT / folder).rglob("__init__.py")]
    assert len(inits) >= len(ROOMS) + 2
    assert [path for path in inits if path.stat().st_size] == []


def test_imports_run_one_way():
    """No two modules of the library import each other, directly or round about."""
    names = {".".join(m.with_suffix("").parts) for m in MODULES}
    needs = {
        ".".join(m.with_suffix("").parts): {
            known for name in imported(m) for known in (name, name.rpartition(".")[0]) if known in names
        }
        for m in MODULES
    }
    while ready := {name for name, wanted in needs.items() if not wanted}:
        needs = {name: wanted - ready for name, wanted in needs.items() if name not in ready}
    assert needs == {}


# ---------------------------------------------------------------- nothing of one machine

HOME = re.compile(r"(?<![\w.}\]])/(?:home|root|work|Users|mnt|scratch|tmp)/\w")


def tracked() -> list[Path]:
    """The files of the project: those that git knows, or all that are not made by running it."""
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        return [ROOT / name for name in listed.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        made = {"results", "data", "__pycache__"}
        parts = ((path, path.relative_to(ROOT).parts) for path in ROOT.rglob("*"))
        return [p for p, names in parts if not any(n in made or (n[0] == "." and len(n) > 1) for n in names)]


def test_no_file_mentions_a_place_on_one_machine():
    found = []
    for path in tracked():
        if not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in HOME.finditer(text)]
        if str(ROOT) in text and len(ROOT.parts) > 2:
            found.append(f"{path.relative_to(ROOT)}: the project's own folder")
    assert found == []


@pytest.mark.parametrize(
    "text", ["open('/hom" + "e/me/x')", "root: /roo" + "t/data", "/wor" + "k/here", " /Use" + "rs/me"]
)
def test_such_places_are_seen(text):
    assert HOME.search(text)


@pytest.mark.parametrize(
    "text", ["results/wor" + "k/x", "https://example.org/hom" + "e/x", "wor" + "k/x", "{root}/wor" + "k/x"]
)
def test_other_paths_are_left_alone(text):
    assert not HOME.search(text)
