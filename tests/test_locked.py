"""What is installed is what a person pinned, by the SHA-256 of every file, from nowhere in particular."""

import ast
import importlib.metadata
import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
LOCKED = {
    "requirements.lock": ["requirements.txt"],
    "requirements-dev.lock": ["requirements.txt", "requirements-dev.txt"],
    "requirements-cluster.lock": ["requirements.txt", "requirements-slurm.txt", "requirements-kubernetes.txt"],
}


# the package of a module that has another name
PACKAGES = {
    "dp_accounting": "dp-accounting",
    "fontTools": "fonttools",
    "markdown_it": "markdown-it-py",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}


def imported(path: Path) -> set[str]:
    """Dotted names of the modules that a file imports from elsewhere."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    return names | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(*files: str) -> dict[str, str]:
    """Versions by package, as a person wrote them or as they were locked."""
    text = "\n".join((ROOT / file).read_text(encoding="utf-8") for file in files)
    return {normal(name): version for name, version in re.findall(r"(?m)^([\w.-]+)==([^\s;]+)", text)}


@pytest.mark.parametrize("lock", LOCKED)
def test_every_pin_is_locked_at_its_version(lock):
    wanted, found = pins(*LOCKED[lock]), pins(lock)
    assert {name: found.get(name) for name in wanted} == wanted, "make lock"


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_what_is_locked_besides_is_needed_by_what_is_pinned(lock):
    wanted, found = pins(*LOCKED[lock]), pins(lock)
    needed, waiting = set(), set(wanted)
    while waiting:  # what these need, and so on
        needed |= waiting
        lines = [line for name in waiting for line in requires(name)]
        waiting = {normal(re.match(r"[\w.-]+", line)[0]) for line in lines} - needed
    assert found.keys() <= needed


def requires(name: str) -> list[str]:
    """Lines of what an installed package needs; none of one that is not needed here."""
    try:
        return importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:
        return []


@pytest.mark.slow
def test_what_is_pinned_by_hand_is_what_the_project_imports_or_starts():
    files = [path for folder in ("lib", "pate_accountant", "scripts") for path in (ROOT / folder).rglob("*.py")]
    names = {name.partition(".")[0] for path in files for name in imported(path)} - sys.stdlib_module_names
    packages = {normal(PACKAGES.get(name, name)) for name in names - {"lib", "pate_accountant", "scripts"}}
    # started, and the look of its output
    assert pins("requirements.txt").keys() == packages | {"snakemake", "snakemake-logger-plugin-rich"}


def test_all_locked_files_have_the_same_versions():
    locked = pins("requirements.lock")
    for other in LOCKED:
        assert {name: pins(other).get(name) for name in locked} == locked


@pytest.mark.parametrize(("version", "taken"), [((3, 10), False), ((3, 11), True), ((3, 13), True), ((3, 14), False)])
def test_make_refuses_a_python_that_is_not_supported_in_one_line(tmp_path, version, taken):
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\nif [ "$1" = -m ]; then echo "python $*"; exit 3; fi\n'
        f'exec {sys.executable} -c "import sys; sys.version_info = {version}; exec(sys.argv[1])" "$2"\n'
    )
    python.chmod(0o755)
    command = ["make", "--silent", "setup", f"PYTHON={python}", f"VENV={tmp_path / 'venv'}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode != 0 and ("-m venv" in done.stdout) == taken
    line = f"{python} is Python {version[0]}.{version[1]}; supported are 3.11 to 3.13: make PYTHON=python3.11"
    assert (line in done.stderr.splitlines()) != taken


@pytest.mark.parametrize("lock", LOCKED)
def test_every_package_has_its_digests_and_no_index_is_named(lock):
    text = (ROOT / lock).read_text(encoding="utf-8")
    packages = re.split(r"(?m)^(?=[\w.-]+==)", text)[1:]
    assert len(packages) == len(pins(lock)) > 100
    for package in packages:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", package), package
    assert "://" not in text and "--index" not in text and "--find-links" not in text


def test_setup_installs_nothing_without_a_digest():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "--require-hashes" in re.search(r"(?m)^INSTALL = .*$", makefile)[0]
    # the tools that make the locked files are no part of what runs
    installs = [line for line in makefile.splitlines() if "pip install" in line and not line.startswith("INSTALL")]
    assert len(installs) == 1 and "LOCK_VENV" in installs[0]


@pytest.mark.parametrize(
    ("program", "code", "said"),
    [
        ("exit 1", 2, "requirements-dev.lock is not checked: no list of advisories could be reached"),
        ("echo {} > results/audit.json; echo none found", 0, "none found"),
        ("echo {} > results/audit.json; echo one found; exit 1", 2, "one found"),
    ],
)
def test_an_audit_without_advisories_says_that_it_checked_nothing(program, code, said, tmp_path):
    audit = tmp_path / "venv" / "bin" / "pip-audit"
    audit.parent.mkdir(parents=True)
    audit.write_text(f"#!/bin/sh\n{program}\n")
    audit.chmod(0o755)
    (tmp_path / "venv" / ".installed").touch()
    command = ["make", "--file", str(ROOT / "Makefile"), "audit", "LOCK_VENV=venv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert said in done.stdout + done.stderr


def test_without_torch_nothing_is_installed_that_needs_it():
    """`make TORCH=none` leaves out whole blocks of the locked file; what remains requires none of them."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (left_out,) = re.findall(r"^WITHOUT = (.*)$", makefile, re.MULTILINE)
    (program,) = re.findall(r"\tawk '(.*)' requirements\.lock", makefile)
    program = program.replace("$$", "$").replace("$(WITHOUT)", left_out)
    line = ["awk", program, "requirements.lock"]
    kept = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    whole = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    names = {text: set(re.findall(r"(?m)^(\S+?)==", text)) for text in (kept, whole)}
    removed = names[whole] - names[kept]
    assert {"torch", "torchvision", "triton", "opacus", "monai"} < removed and "snakemake" in names[kept]
    assert kept.count("--hash=") > len(names[kept]) and all(f"{name}==" not in kept for name in removed)
    for name in names[kept]:
        try:
            required = map(Requirement, importlib.metadata.requires(name) or ())
        except importlib.metadata.PackageNotFoundError:  # of another platform
            continue
        needed = {each.name for each in required if each.marker is None or each.marker.evaluate({"extra": ""})}
        assert not removed & needed, name
