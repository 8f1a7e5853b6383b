"""The verifier and the signer run from the files and packages that their README names, without the workflow."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from lib.core.code_inputs import ROOT, code_files

SCRIPTS = ("scripts/verify_release.py", "scripts/sign_release.py")
README = (ROOT / "lib" / "release" / "README.md").read_text(encoding="utf-8")
RUN = """
import runpy, sys

refused, name, *options = sys.argv[1].split(), *sys.argv[2:]

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in refused:
            raise ImportError(f"{name} is not among the packages that the README names")

sys.meta_path.insert(0, Refuse())
sys.argv[1:] = options
runpy.run_module(f"scripts.{name}", run_name="__main__", alter_sys=True)
"""


def refused() -> str:
    """The modules of all packages that the README's line does not install."""
    (named,) = re.findall(r"^pip install \. (.*)$", README, re.MULTILINE)
    required = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    allowed, waiting = {"pate-accountant"}, [Requirement(each) for each in (*named.split(), *required)]
    while waiting:
        if (name := canonicalize_name(waiting.pop().name)) not in allowed:
            allowed.add(name)
            needed = map(Requirement, requires(name) or ())
            waiting += [each for each in needed if each.marker is None or each.marker.evaluate({"extra": ""})]
    found = packages_distributions().items()
    return " ".join(module for module, names in found if not allowed & set(map(canonicalize_name, names)))


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """The files that both programs are made of."""
    folder = tmp_path_factory.mktemp("alone")
    for path in {path for script in SCRIPTS for path in code_files(script)}:
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return folder


def call(copy: Path, name: str, *options: str) -> subprocess.CompletedProcess[str]:
    environ = os.environ | {"PYTHONPATH": str(copy)}
    line = [sys.executable, "-c", RUN, refused(), name, *options]
    return subprocess.run(line, cwd=copy, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_release_is_signed_and_verified_with_the_packages_that_are_named(copy, folder, tmp_path):
    key, allowed = tmp_path / "key", tmp_path / "allowed"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(key)], check=True)
    allowed.write_text(f"author@example.org {key.with_suffix('.pub').read_text()}")
    signed = call(copy, "sign_release", "--folder", str(folder), "--key", str(key))
    assert signed.returncode == 0, signed.stdout + signed.stderr
    done = call(copy, "verify_release", "--folder", str(folder), "--signer", str(allowed))
    assert done.returncode == 0 and "consistent; signed by author@example.org" in done.stdout, done.stdout + done.stderr


def test_what_is_refused_would_be_seen():
    assert {"torch", "sklearn", "pandas", "snakemake"} <= set(refused().split())
    assert not {"numpy", "scipy", "dp_accounting", "jsonschema", "yaml", "safetensors"} & set(refused().split())


def test_its_readme_names_every_option():
    source = (ROOT / SCRIPTS[0]).read_text(encoding="utf-8")
    for option in ("signer", "samples", "run", "largest_epsilon"):
        assert f"    {option}: " in source and f"`--{option.replace('_', '-')} " in README
