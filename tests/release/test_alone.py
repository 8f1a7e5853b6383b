"""The verifier and the signer run from the files and packages that their README names, without the workflow."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
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


PYTHON = """#!/bin/sh
# python -m scripts.NAME OPTION...
name=${{2#scripts.}}
shift 2
exec {} -c {} {} "$name" "$@"
"""


@pytest.fixture
def bash(copy, folder, tmp_path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Call a command where RELEASE lies and `python` has the named packages alone; passphrases are answered."""
    shutil.copytree(folder, tmp_path / "RELEASE")
    python = PYTHON.format(*map(shlex.quote, (sys.executable, RUN, refused())))
    for name, text in {"python": python, "ask": "#!/bin/sh\necho some passphrase\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    more = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(copy)}
    environ = os.environ | more | {"SSH_ASKPASS": str(tmp_path / "ask"), "SSH_ASKPASS_REQUIRE": "force"}

    def called(line: str) -> subprocess.CompletedProcess[str]:
        words = ["bash", "-c", line]
        return subprocess.run(words, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)

    return called


@pytest.mark.slow
def test_a_release_is_signed_and_verified_as_the_readme_says(bash):
    lines = [line for block in re.findall(r"^```sh\n(.*?)^```$", README, re.M | re.S) for line in block.splitlines()]
    done = [(line, bash(line)) for line in lines if not line.startswith("pip install")]
    assert len(done) == 5 and not [(line, said) for line, said in done if said.returncode]
    (end,) = re.findall(r"`(consistent; .*)\.\.\.\)`", README)
    last, shown = done[-1]
    assert end in shown.stdout.splitlines()[-1]
    stranger = 'ssh-keygen -q -t ed25519 -N "" -f other && ssh-keygen -Y sign -n released-student -f other'
    assert not bash(f"{stranger} < RELEASE/SHA256SUMS > RELEASE/SHA256SUMS.sig").returncode
    shown = bash(last)
    (fault,) = re.findall(r"`(FAULT  signature: )\.\.\.`", README)
    assert shown.returncode == 1
    assert f"{fault}SHA256SUMS.sig: none of allowed_signers signed this release" in shown.stdout


@pytest.mark.slow
def test_what_is_refused_would_be_seen():
    assert {"torch", "sklearn", "pandas", "snakemake"} <= set(refused().split())
    assert not {"numpy", "scipy", "dp_accounting", "jsonschema", "yaml", "safetensors"} & set(refused().split())


def test_its_readme_names_every_option():
    source = (ROOT / SCRIPTS[0]).read_text(encoding="utf-8")
    for option in ("signer", "samples", "run", "largest_epsilon"):
        assert f"    {option}: " in source and f"`--{option.replace('_', '-')} " in README
