"""The accountant installs alone: no workflow, no torch, and its own name in place of `lib`."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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
    """A folder with the package as it is built, made of a copy of what it is made of."""
    folder = tmp_path_factory.mktemp("built")
    for name in ("setup.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "lib", folder / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "setup.py", "--quiet", "build", "--build-lib", "site"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def python(site: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Python in another folder, with nothing but the package and what is installed."""
    environ = os.environ | {"PYTHONPATH": str(site)}
    return subprocess.run(
        [sys.executable, "-c", ALONE + code], cwd=site.parent.parent, env=environ, capture_output=True, text=True
    )


def test_it_holds_the_accountant_and_nothing_else(site):
    made = {path.relative_to(site).as_posix() for path in site.rglob("*.py")}
    rooms = {"accounting", "pricing"}
    expected = {f"pate_accountant/{room}/{path.name}" for room in rooms for path in (ROOT / "lib" / room).glob("*.py")}
    assert made == expected | {
        f"pate_accountant/{name}" for name in ("__init__.py", "core/__init__.py", "core/errors.py")
    }
    assert not [name for name in made if "from lib" in (site / name).read_text(encoding="utf-8")]


def test_its_command_prices_and_its_examples_hold_without_the_workflow(site):
    script = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["price-votes"]
    module, function = script.split(":")
    plan = ["--plan", "--queries", "1000", "--mechanism", "gnmax", "--sigma", "40", "--delta", "1e-5"]
    code = f"""
import doctest, {module} as command
from pate_accountant.pricing import mechanism, price, votes_file, words
for each in (mechanism, price, votes_file, words):
    done = doctest.testmod(each, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert done.attempted and not done.failed, each
command.{function}({plan!r})
"""
    done = python(site, code)
    assert done.returncode == 0 and "epsilon_data_independent" in done.stdout, done.stdout + done.stderr


def test_what_is_blocked_here_would_be_seen(site):
    assert python(site, "import torch").returncode != 0
