"""What is installed is what a person pinned, by the SHA-256 of every file, from nowhere in particular."""

import importlib.metadata
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LOCKED = {
    "requirements.lock": ["requirements.txt"],
    "requirements-dev.lock": ["requirements.txt", "requirements-dev.txt"],
    "requirements-cluster.lock": ["requirements.txt", "requirements-slurm.txt", "requirements-kubernetes.txt"],
}


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
    needed = {
        normal(re.match(r"[\w.-]+", line)[0]) for name in wanted for line in importlib.metadata.requires(name) or []
    }
    assert found.keys() - wanted.keys() <= needed


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
