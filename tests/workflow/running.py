"""Throw-away copies of the project, in which Snakemake runs as a user would run it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

import yaml

from tests.workflow.loaded import Loaded

ROOT = Path(__file__).resolve().parents[2]

# The whole workflow in seconds: one repetition, 10 teachers, few samples and queries, every stage. The pool keeps its
# size, so that the runs of the catalogue that are not chosen here stay valid.
TINY = {
    "preset": "tiny",
    "repetitions": 1,
    "together": [],
    "release": {"run": "digits_confident", "largest_epsilon": 1000},
    "ensembles": {"digits": {"teachers": 10, "private": 200, "public": 300, "test": 60}},
    "accounting": {"curve_points": 5},
    "scalable_pate": {
        "runs": {
            "digits_lnmax": {"queries": 20},
            "digits_confident": {
                "queries": 60,
                "threshold": 6,
                "sigma_threshold": 3.0,
                "sigma": 2.0,
                "max_answered": 40,
            },
        },
        "table1": ["digits_lnmax", "digits_confident"],
        "table2": ["digits_confident"],
        "epsilon": ["digits_lnmax", "digits_confident"],
        "selection": ["digits_confident"],
        "noiseless": [],
        "teachers": ["digits"],
        "search": {"runs": []},
        "fig1": {
            "students": ["digits_lnmax", "digits_confident"],
            "curves": ["digits_lnmax", "digits_confident"],
            "queries": 60,
        },
        "fig3": [],
        "fig4": {"left": None, "right": []},
        "fig5": {"runs": []},
    },
    "dp_mac": {
        "series": {
            "digits_dp_mac": {"train": 100, "test": 50, "recipe": {"epochs": 1, "z_steps": 2}},
            "digits_dp_sgd": {"train": 100, "test": 50, "recipe": {"epochs": 1}},
        },
        "curves": [
            {"series": "digits_dp_mac", "noise": "printed", "epsilon": [8, 1], "repetitions": 2},
            {"series": "digits_dp_sgd", "noise": "printed", "epsilon": [8], "repetitions": 1},
        ],
        # with its calibrations by far the longest job
        "budget": {
            "autoencoder": {"printed": [[8, 2.2]]},
            "classifier": {"printed": [[2, 1.7]]},
            "dp_sgd": {"printed": [[8, 1.3]]},
        },
        "fig3": {"curves": []},
        "fig4": {"curves": [["digits_dp_mac", "printed_8"]]},
        "sensitivity": [],
    },
    "residual_perturbation": {
        "sde": {"size": 32, "steps": 4},
        "theory": {
            "dp_sgd": {"runs": [{"dataset": "IDC", "samples": 1000, "epochs": 1, "published": 2.0}]},
            "rademacher": {"draws": 20, "paths": 20, "moves": 2},
        },
        "tasks": {
            "digits": {"quarter": 40, "test": 60, "recipe": {"epochs": 1, "milestones": []}, "dp_sgd": {"epochs": 1}}
        },
        "methods": {"control": {"memorise": 8, "recipe": {"epochs": 1}}},
        "networks": [
            {"task": "digits", "method": "plain", "gammas": [0], "members": 1, "repetitions": 1},
            {"task": "digits", "method": "strategy1", "gammas": [2.5], "members": 2, "repetitions": 1},
            {"task": "digits", "method": "dp_sgd", "gammas": [0], "members": 1, "repetitions": 1},
            {"task": "digits", "method": "control", "gammas": [0], "members": 1, "repetitions": 1},
        ],
        "attack": {"epochs": 1},
        "tables": {**dict.fromkeys(("table1", "table3", "table4", "table5", "skip", "readings"))},
        "tradeoff": None,
        "recipes": None,
        "figures": {
            **dict.fromkeys(("fig3", "fig4", "fig5", "fig7", "fig9", "fig10", "fig11")),
            "fig6": {"tasks": ["digits"]},
            "fig12": {"tasks": ["digits"], "method": "strategy1"},
        },
        "patches": "digits",
        "audit": {"chosen": []},
    },
    "segmentation": {
        "volumes": {"phantom_small": {"settings": {"shape": [16, 16, 16], "subjects": 9}, "shape": [16, 16, 16]}},
        "encoders": {"clip": {"widths": [2, 2], "recipe": {"epochs": 1}}},
        "tasks": {
            "phantom": {"parts": {"teachers": 2, "public": 2, "student": 3, "test": 2}, "apart": 1, "teachers": 2},
            "phantom_whole": {"parts": {"public": 4, "student": 3, "test": 2}, "apart": 1},
        },
    },
    "autoencoded_pate": {
        "fig2": {"samples": 1000, "bins": 10},
        "results": {"tasks": []},
        "sensitivity": {"tasks": []},
    },
    "compressed_pate": {
        "fig1": {"sigmas": [0.1, 1.0], "shown": 2},
        "fig2": {"tasks": []},
        "fig3": {"tasks": []},
        "limits": {"encoders": ["clip"], "teachers": [100]},
        "external": None,
    },
    "audit": {
        "repetitions": 2,
        "many_runs": {"sizes": [100]},
        "one_run": {"sizes": [100]},
        "code": {"runs": 200, "repeated": {"times": 1}},
    },
    "leaderboard": {
        "slots": 60,
        "canaries": 20,
        "public": 40,
        "test": 40,
        "worlds": 3,
        "targets": [0],
        "shard": 3,
        "epsilons": [8.0],
        "attacks": {"shadow": {"epochs": 1}},
        "teachers": {"count": 10},
        "methods": {"lnmax": {"queries": 20}},
        "chosen": ["plain", "lnmax"],
    },
}
# Written by a run beside its results, but different every time: folders, and what jobs cost, with its page.
NOT_RESULTS = {"benchmarks", "logs", "costs", "costs_of_teachers"}
COST = ("_cost.csv", "site/leaderboard.html")
LIMIT = 7200  # seconds for a call of one of our scripts: never reached unless it hangs


def project_files(root: Path = ROOT) -> list[Path]:
    """Files of the project, relative to it: what git tracks or would track; without git, all that is not generated."""
    if (root / ".git").exists() and shutil.which("git"):
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
        return sorted(path for path in map(Path, listed.split("\0")) if path.parts and (root / path).is_file())
    generated = {"results", "data", "__pycache__"}
    found = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
    return sorted(
        path
        for path in found
        if path.parts[0] not in generated and "__pycache__" not in path.parts and path.parts[0][0] != "."
    )


def environment(**more: str) -> dict[str, str]:
    """The environment of a user who has set nothing for Python, its threads or Snakemake."""
    ours = ("PYTHON", "SNAKEMAKE", "PYTEST", "OMP_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)} | more


@cache
def loaded(thread: int) -> Loaded:
    """The process that a thread's calls of Snakemake are forked from; it ends with this one."""
    return Loaded()


@dataclass(frozen=True)
class Project:
    """A copy of the project at `root`, and the configuration files laid over its config.yaml."""

    root: Path
    overlays: tuple[Path, ...] = ()

    @classmethod
    def copy(cls, root: Path, overlay: dict | None = None) -> "Project":
        """A new copy of the project's files, nothing else."""
        for path in project_files():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, target)
        return cls(root).over(overlay) if overlay else cls(root)

    def over(self, overlay: dict) -> "Project":
        """This copy, run with a further configuration file, which is written beside the copy."""
        path = self.root.with_name(f"{self.root.name}_{len(self.overlays)}_{abs(hash(json.dumps(overlay)))}.yaml")
        path.write_text(yaml.safe_dump(overlay))
        return replace(self, overlays=(*self.overlays, path))

    def duplicate(self, root: Path) -> "Project":
        """Copy this copy as it stands: results, Snakemake's records and times of change included."""
        shutil.copytree(self.root, root, copy_function=shutil.copy2)
        return replace(self, root=root)

    def command(self, *arguments: str) -> list[str]:
        """The command line, the overlays included; without the profile's wait at the end, as there are few jobs."""
        overlays = ["--configfile", *map(str, self.overlays)] if self.overlays else []
        return [sys.executable, "-m", "snakemake", "--max-jobs-per-timespan", "100/1s", *overlays, *arguments]

    def snakemake(self, *arguments: str, folder: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        """One call of Snakemake, finished; `more` are environment variables."""
        command = self.command(*arguments)
        with TemporaryDirectory() as printed:
            call = loaded(threading.get_ident()).call
            status = call(command[3:], folder or self.root, environment(**more), Path(printed))
            texts = ((Path(printed) / name).read_text() for name in ("out", "err"))
            return subprocess.CompletedProcess(command, status, *texts)

    def start(self, *arguments: str, output: TextIO | None = None, **more: str) -> subprocess.Popen:
        """One call of Snakemake in the background, with a process group of its own; `more` as above.

        output: the file that all it prints goes to.
        """
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.root,
            env=environment(**more),
            stdout=output or subprocess.DEVNULL,
            stderr=output or subprocess.DEVNULL,
            start_new_session=True,
        )

    def run(self, *arguments: str, **more) -> str:
        """A call that must succeed; returns all that it printed."""
        done = self.snakemake(*arguments, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    def pending(self, *arguments: str, **more) -> "Pending":
        """What a call would run."""
        return Pending(self.run("--dry-run", *arguments, **more))

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text that must be there."""
        content = (self.root / path).read_text()
        assert old in content, f"{path} has no {old!r}"
        (self.root / path).write_text(content.replace(old, new))

    def append(self, path: str, text: str) -> None:
        """Add to the end of a file."""
        with (self.root / path).open("a") as stream:
            stream.write(text)

    def outputs(self, *targets: str) -> dict[str, dict[str, str]]:
        """Snakemake's own table of outputs: for each file its rule, its inputs and so on."""
        lines = self.snakemake("--detailed-summary", *targets).stdout.splitlines()
        rows = [line.split("\t") for line in lines if "\t" in line]
        return {row[0]: dict(zip(rows[0], row, strict=True)) for row in rows[1:]}

    def tree(self) -> set[str]:
        """All files but caches and Snakemake's own."""
        found = {path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file()}
        return {str(path) for path in found if not {".snakemake", "__pycache__", ".git"} & set(path.parts)}

    def results(self) -> dict[str, bytes]:
        """Content of everything that a run writes for its readers, by path."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in sorted((self.root / "results").rglob("*"))
            if path.is_file()
            and not NOT_RESULTS & set(path.parts)
            and not path.name.startswith(".")
            and not path.as_posix().endswith(COST)
        }


@dataclass(frozen=True)
class Pending:
    """The jobs that a dry run announced."""

    text: str

    @cached_property
    def nothing(self) -> bool:
        """Whether all is up to date."""
        return "Nothing to be done" in self.text

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of jobs by rule, without the rules that only collect."""
        found = re.search(r"^job +count\n[- ]+\n(.*?)^total +(\d+)$", self.text, re.MULTILINE | re.DOTALL)
        assert self.nothing == (found is None), self.text
        if found is None:
            return {}
        counts = {name: int(count) for name, count in map(str.split, found[1].splitlines())}
        assert sum(counts.values()) == int(found[2]) > 0, self.text
        return {name: count for name, count in counts.items() if name not in ("all", "scalable_pate")}

    @cached_property
    def rules(self) -> set[str]:
        """The rules of these jobs."""
        return set(self.counts)

    @cached_property
    def messages(self) -> set[str]:
        """The message of each job that has one."""
        return set(re.findall(r"^Job \d+: (.*)$", self.text, re.MULTILINE))


def end_now(running: subprocess.Popen) -> None:
    """Kill a started call and all its jobs, if it still runs."""
    if running.poll() is None:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()


def assert_one_line(text: str, *parts: str) -> None:
    """The text has one line that begins with `error: `; it is the last one and holds all the parts."""
    lines = text.splitlines()
    assert lines and lines[-1].startswith("error: "), text
    assert sum(line.startswith("error: ") for line in lines) == 1, text
    assert "Traceback" not in text, text
    for part in parts:
        assert part in lines[-1], f"{part!r} is not in {lines[-1]!r}"
