"""Several jobs of one script in one process."""

import json
import subprocess
import sys
import types
from pathlib import Path

import pytest

from lib.core.errors import InputError
from lib.core.files import atomic_path
from scripts import in_turn

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def script(monkeypatch):
    """A script that writes a file, half of it where it is told that something is wrong; returns the calls of it."""
    calls = []

    def main(argv):
        calls.append(argv)
        *_, path, what = argv
        with atomic_path(path) as temporary:
            temporary.write_text("half")
            if what == "wrong":
                raise InputError(f"{path}: something is wrong")
            temporary.write_text(what)

    made = types.ModuleType("scripts.made_up")
    made.main = main
    monkeypatch.setitem(sys.modules, "scripts.made_up", made)
    return calls


def jobs(folder, *whats):
    return json.dumps([["--output", str(folder / str(number)), what] for number, what in enumerate(whats)])


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_jobs_run_in_their_order_with_what_they_share_before_what_is_their_own(script, tmp_path):
    in_turn.main(["made_up", jobs(tmp_path, "b", "a"), "--volumes", "x", "--shown", "-1"])
    shared = ["--volumes", "x", "--shown", "-1"]
    assert script == [[*shared, "--output", str(tmp_path / f"{number}"), what] for number, what in enumerate("ba")]
    assert contents(tmp_path) == {"0": "b", "1": "a"}


def test_an_error_in_the_second_ends_it_and_leaves_nothing_partial(script, tmp_path):
    with pytest.raises(InputError, match="1: something is wrong"):
        in_turn.main(["made_up", jobs(tmp_path, "first", "wrong", "third")])
    assert len(script) == 2
    assert contents(tmp_path) == {"0": "first"}


def test_no_jobs_and_nothing_shared(script):
    in_turn.main(["made_up", "[]"])
    assert script == []


def test_an_error_is_one_line(tmp_path):
    own = [["--answers", "a.npz", "--job", "measure", "--output", f"{tmp_path}/{name}.json"] for name in "ab"]
    shared = ["--preset=tiny", "--seed=1", "--dataset=made", f"--volumes={tmp_path}/none.json", "--task", "{}"]
    command = [sys.executable, "-m", "scripts.in_turn", "measure_mask_teachers", json.dumps(own), *shared]
    command += ["--repetition=1", "--device=cpu", "--threads=1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {tmp_path}/none.json") and done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
