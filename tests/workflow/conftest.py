"""Finished runs that the tests share: each is made once, and copied by whoever changes something."""

import json
import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock

from lib.plan.data_needs import mark_without_data
from tests.workflow import quick
from tests.workflow.loaded_jobs import loaded_jobs
from tests.workflow.running import TINY, Pending, Project

# Loaded by every Python that a job starts: writes which files below the root of the project the process
# imported or opened, and the file that its output went to, by which the job is known.
RECORDER = """
import atexit, builtins, json, os, sys, time

if "RECORD_TO" in os.environ:
    root = os.path.dirname(os.path.abspath(__file__)) + os.sep
    opened, written, packages = set(), set(), set()
    plain = builtins.__import__

    # not what is loaded: the process may be a fork of one that has loaded more
    def noted(name, globals=None, *more, **named):
        if (globals or {}).get("__name__", "").partition(".")[0] in ("__main__", "lib", "pate_accountant", "scripts"):
            packages.add(name.partition(".")[0])
        return plain(name, globals, *more, **named)

    def hook(event, arguments):
        if event == "open" and isinstance(arguments[0], (str, os.PathLike)):
            path = os.path.abspath(arguments[0])
            writing = isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
            # by this job for itself; the digest that lies beside a table
            # of other jobs: what Snakemake and their logs say of them
            own = ("__pycache__", "/checkpoints/", ".csv.sha256", "/.snakemake/", "/logs/")
            kept = any(part in path for part in own)
            if writing:
                written.add(path)
            elif path.startswith(root) and not kept and path not in written:
                opened.add(path[len(root):])

    def write():
        files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
        # some of torch's modules have a name for their file and no file
        modules = {os.path.abspath(file) for file in files if file and os.path.isfile(file)}
        content = {
            "log": os.fstat(1).st_ino,  # where a rule sends what its script prints
            "packages": sorted(packages),
            "modules": sorted(file[len(root):] for file in modules if file.startswith(root)),
            "opened": sorted(file for file in opened if os.path.isfile(root + file)),  # what is left of them
        }
        name = f"{os.getpid()}-{time.monotonic_ns()}.json"  # numbers of processes come again
        with open(os.path.join(os.environ["RECORD_TO"], name), "w") as stream:
            json.dump(content, stream)

    sys.addaudithook(hook)
    builtins.__import__ = noted
    atexit.register(write)
"""


@dataclass(frozen=True)
class Job:
    """A job that ran: its rule, the inputs and outputs it declared, and the files it really used.

    packages: those of others that the project's modules imported on the way.
    """

    rule: str
    inputs: frozenset[str]
    outputs: frozenset[str]  # and the benchmark file, which other jobs may read
    modules: frozenset[str]
    opened: frozenset[str]
    packages: frozenset[str]


@dataclass(frozen=True)
class Recorded:
    """A finished run, and its jobs."""

    project: Project
    jobs: tuple[Job, ...]


@pytest.fixture(scope="session")
def pristine(tmp_path_factory) -> Project:
    """A copy of the project in which nothing has run; for calls that change nothing."""
    return Project.copy(tmp_path_factory.mktemp("pristine") / "project", TINY)


@pytest.fixture(scope="session")
def plan_of(pristine, any_root) -> Callable[[str], Pending]:
    """Plan a preset once, as `quick.ARGUMENTS` says."""

    @cache
    def plan(preset: str) -> Pending:
        before = pristine.tree()
        planned = quick.plan_of(preset, Project(pristine.root), any_root)
        assert pristine.tree() == before, "a dry run creates files"
        return planned

    return plan


@pytest.fixture(scope="session")
def finished(recorded) -> Project:
    """A copy in which the tiny preset has run on one core; not to be changed."""
    return recorded.project


@pytest.fixture
def changed(finished, tmp_path) -> Project:
    """A copy of the finished run to change at will."""
    return finished.duplicate(tmp_path / "project")


@pytest.fixture(scope="session")
def recorded(request, tmp_path_factory) -> Recorded:
    """That run, with a record of what each job imported and opened: made by one process, copied by each."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # of all processes
    kept = folder / "recorded.pickle"
    with FileLock(folder / "recorded.lock"):
        if not kept.exists():
            kept.write_bytes(pickle.dumps(_recorded(request.getfixturevalue("pristine"), folder)))
    made = pickle.loads(kept.read_bytes())
    return replace(made, project=made.project.duplicate(tmp_path_factory.mktemp("finished") / "project"))


def _recorded(pristine: Project, folder: Path) -> Recorded:
    """Run the tiny preset on one core in a copy below `folder`."""
    project = pristine.duplicate(folder / "finished" / "project")
    (project.root / "sitecustomize.py").write_text(RECORDER)
    records = folder / "records"
    records.mkdir()
    with loaded_jobs() as forked:
        # each job that ends would have Snakemake look over all that wait once more a timespan
        seldom = ("--max-jobs-per-timespan", "1000/5s")
        project.run(*seldom, "--cores", "1", "all", RECORD_TO=str(records), **forked)
    (project.root / "sitecustomize.py").unlink()
    by_log: dict[int, list[tuple[str, dict[str, str]]]] = {}
    for output, row in project.outputs("all").items():
        by_log.setdefault((project.root / row["log-file(s)"]).stat().st_ino, []).append((output, row))
    jobs = []
    for path in sorted(records.iterdir()):
        record = json.loads(path.read_text())
        rows = by_log.pop(record["log"])
        benchmark = rows[0][1]["log-file(s)"].replace("/logs/", "/benchmarks/").removesuffix(".log") + ".tsv"
        jobs.append(
            Job(
                rule=rows[0][1]["rule"],
                inputs=frozenset(rows[0][1]["input-file(s)"].split(",")),
                outputs=frozenset(output for output, _ in rows) | {benchmark},
                modules=frozenset(record["modules"]) - {"sitecustomize.py"},
                opened=frozenset(record["opened"]) - {"sitecustomize.py"},
                packages=frozenset(record["packages"]),
            )
        )
    assert not by_log, f"no record of {by_log}"
    return Recorded(project, tuple(jobs))


@pytest.fixture(scope="session")
def any_root(tmp_path_factory) -> Path:
    """The folder of the real files, or one that says that a dry run is to look for none."""
    if os.environ.get("DATA_ROOT"):
        return Path(os.environ["DATA_ROOT"]).resolve()
    folder = tmp_path_factory.mktemp("data_root")
    mark_without_data(folder)
    return folder
