"""Tests that share what is dear to make share a process, and the long ones are run in parts."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.offenders import each
from tests.turns import split

HERE = Path(__file__).resolve().parent
TESTS = """
import pytest

@pytest.mark.long
@pytest.mark.parametrize("number", range({}))
def test_one(number): pass

def test_short(): pass
"""


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="needs several processes: make test")
def test_pytest_xdist_takes_the_groups(request):
    assert request.node.nodeid.endswith("@tests/test_tiers.py")


@pytest.fixture
def project(tmp_path) -> Path:
    """Seven long tests in two files, and two short ones, below this project's conftest.py."""
    (tmp_path / "tests").mkdir()
    for name in ("__init__.py", "conftest.py", "turns.py"):
        shutil.copy(HERE / name, tmp_path / "tests")
    shutil.copy(HERE.parent / "pyproject.toml", tmp_path)
    for name, number in {"test_b.py": 4, "test_a.py": 3}.items():
        (tmp_path / "tests" / name).write_text(TESTS.format(number))
    return tmp_path


def collected(project: Path, **variables: str) -> tuple[list[str], str]:
    """Return the tests that pytest would run, in its order, and all that it says."""
    line = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--collect-only"]
    kept = {name: value for name, value in os.environ.items() if name not in ("PARTS", "RUN_NUMBER")}
    done = subprocess.run(line, cwd=project, env=kept | variables, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if "::" in line], done.stdout + done.stderr


@pytest.mark.slow
def test_so_many_runs_as_there_are_parts_take_every_long_test_once(project):
    whole, _ = collected(project)
    short = [test for test in whole if test.endswith("test_short")]
    assert len(whole) == 9 and len(short) == 2
    (odd, said), (even, _) = (collected(project, PARTS="2", RUN_NUMBER=number) for number in ("7", "8"))
    assert sorted(odd + even) == sorted(whole + short)  # each run has those that are not long
    assert {len(odd), len(even)} == {5, 6} and set(short) == {*odd} & {*even}
    assert "make test-long RUN_NUMBER=1 PARTS=2" in said


@each(["0", "3/20", "-1", "two"])
def test_what_is_no_number_of_parts_is_refused(parts):
    with pytest.MonkeyPatch.context() as patch, pytest.raises(pytest.UsageError, match="a number of parts, 1 or more"):
        patch.setenv("PARTS", parts)
        split()
