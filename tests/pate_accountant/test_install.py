"""The accountant installs alone: no workflow, no torch."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import pate_accountant
from pate_accountant.rounding import rounded_up

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "pate_accountant"
# Raises where something is imported that the package does not require.
ALONE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"lib", "matplotlib", "pandas", "sklearn", "snakemake", "torch", "yaml"}:
            raise ImportError(f"{name} is not among what the package requires")

sys.meta_path.insert(0, Refuse())
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with the contents of the wheel, built from a copy of the files that it consists of."""
    folder = tmp_path_factory.mktemp("built")
    for name in ("pyproject.toml", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-c", "from setuptools import build_meta; build_meta.build_wheel('.')"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def python(site: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Python in another folder, with nothing but the package and what is installed."""
    environ = os.environ | {"PYTHONPATH": str(site)}
    return subprocess.run(
        [sys.executable, "-c", ALONE + code], cwd=site.parent.parent, env=environ, capture_output=True, text=True
    )


def test_the_wheel_holds_the_accountant_and_nothing_else(site):
    made = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    expected = {f"pate_accountant/{path.name}" for path in PACKAGE.glob("*.py")} | {"pate_accountant/py.typed"}
    assert {name for name in made if ".dist-info/" not in name} == expected


@pytest.mark.slow
def test_its_command_prices_and_its_examples_hold_without_the_workflow(site):
    script = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["price-votes"]
    module, function = script.split(":")
    plan = ["--plan", "--queries", "1000", "--mechanism", "gnmax", "--sigma", "40", "--delta", "1e-5"]
    code = f"""
import doctest, {module} as command
from pate_accountant import api, inverse, mechanism, price, votes_file, words
for each in (api, inverse, mechanism, price, votes_file, words):
    done = doctest.testmod(each, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert done.attempted and not done.failed, each
command.{function}({plan!r})
"""
    done = python(site, code)
    assert done.returncode == 0 and "You may announce: epsilon 4.984 at delta 1e-05, for 1000 queries" in done.stdout, (
        done.stdout + done.stderr
    )


@pytest.mark.slow
def test_the_example_of_the_readme_prints_what_it_says(site):
    (code,) = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len([line for line in code.splitlines() if line]) <= 6
    done = python(site, code)
    printed = [rounded_up(float(line), 3) for line in done.stdout.split()]
    assert printed == [float(said) for said in re.findall(r"# (\S+), rounded up", code)] and printed, done.stderr


def test_the_page_has_every_public_name():
    page = (ROOT / "docs" / "accountant.md").read_text(encoding="utf-8")
    assert not [name for name in pate_accountant.__all__ if f"`{name}" not in page]


def test_the_version_is_written_in_one_place(site):
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    done = python(site, "import pate_accountant; print(pate_accountant.__version__)")
    assert done.stdout.strip() == version, done.stderr


def test_what_is_blocked_here_would_be_seen(site):
    assert python(site, "import torch").returncode != 0
