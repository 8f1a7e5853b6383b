"""The undisturbed run that faults are compared with, and copies of it as a run leaves them half-way."""

import os
import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.workflow.running import TINY, Project

# Laid over the tiny preset: one job of a kind where one is enough, every stage still there.
SMALL = {
    "residual_perturbation": {
        "networks": [],
        "tables": {"table2": None},
        "figures": {"fig6": None, "fig12": None},
    },
    "scalable_pate": {
        "table1": ["digits_confident"],
        "epsilon": ["digits_confident"],
        "selection": [],
        "teachers": [],
        "fig1": {"students": [], "curves": []},
    },
    "dp_mac": {
        "curves": [{"series": "digits_dp_mac", "noise": "printed", "epsilon": [8, 1], "repetitions": 1}],
    },
    "leaderboard": {"chosen": ["lnmax"], "shard": 3},
}
SOME = 3  # jobs that are left to do when the run begins that is disturbed
MODULE, OFTEN = "lib/core/checkpoint.py", 0.0  # seconds between two states of a job: there is one after every step


@dataclass(frozen=True)
class Job:
    """A job of the undisturbed run."""

    rule: str
    outputs: tuple[str, ...]
    inputs: frozenset[str]
    log: str


@dataclass(frozen=True)
class Scene:
    """A finished run, its jobs, and what it wrote by path."""

    project: Project
    jobs: tuple[Job, ...]
    expected: dict[str, bytes]

    @classmethod
    def undisturbed(cls, folder: Path) -> "Scene":
        """Run the whole workflow in a copy of the project below `folder`."""
        project = Project.copy(folder / "undisturbed", TINY).over(SMALL)
        project.edit(MODULE, "seconds: float = 60.0", f"seconds: float = {OFTEN}")
        project.run("--cores", "2", "--", "all")
        return cls.of(project)

    @classmethod
    def of(cls, project: Project) -> "Scene":
        """The scene of a project in which the whole workflow has run."""
        by_log: dict[str, list[tuple[str, dict[str, str]]]] = {}
        for output, row in project.outputs("all").items():
            by_log.setdefault(row["log-file(s)"], []).append((output, row))
        jobs = tuple(
            Job(
                rows[0][1]["rule"],
                tuple(output for output, _ in rows),
                frozenset(rows[0][1]["input-file(s)"].split(",")),
                log,
            )
            for log, rows in sorted(by_log.items())
        )
        return cls(project, jobs, results(project))

    def ordered(self, draw: random.Random) -> list[Job]:
        """The jobs in an order in which a run may make them, drawn at random."""
        made_by = {output: job for job in self.jobs for output in job.outputs}
        waiting = list(self.jobs)
        done: set[Job] = set()
        order = []
        while waiting:
            ready = [job for job in waiting if {made_by[path] for path in job.inputs if path in made_by} <= done]
            order.append(draw.choice(ready))
            done.add(order[-1])
            waiting.remove(order[-1])
        return order

    def readers(self, path: str) -> list[Job]:
        """The jobs that read a file."""
        return [job for job in self.jobs if path in job.inputs]

    def after(self, jobs: Iterable[Job]) -> set[Job]:
        """These jobs and all that follow from them."""
        found, waiting = set(), list(jobs)
        while waiting:
            job = waiting.pop()
            if job not in found:
                found.add(job)
                waiting.extend(reader for path in job.outputs for reader in self.readers(path))
        return found

    def without(self, jobs: Iterable[Job], folder: Path) -> Project:
        """A copy as the run was before these jobs, from which all that they wrote and logged is gone."""
        project = self.project.duplicate(folder)
        for job in jobs:
            for path in (*job.outputs, job.log):
                (project.root / path).unlink(missing_ok=True)
        return project

    def halfway(self, draw: random.Random, folder: Path) -> tuple[Project, list[Job]]:
        """A copy as a run leaves it that was stopped anywhere, and the SOME jobs that come next."""
        order = self.ordered(draw)
        first = draw.randrange(len(order) - SOME + 1)
        return self.without(order[first:], folder), order[first : first + SOME]


def results(project: Project) -> dict[str, bytes]:
    """What a run wrote for its readers; the state of half-done jobs is not for them."""
    checkpoints = os.path.join("results", "tiny", "checkpoints")
    return {
        path: content
        for path, content in project.results().items()
        if path.startswith("results") and not path.startswith(checkpoints)
    }


def outputs(jobs: Iterable[Job]) -> list[str]:
    """What the jobs write."""
    return [path for job in jobs for path in job.outputs]


def named(jobs: Iterable[Job]) -> str:
    """The rules of the jobs."""
    return ", ".join(job.rule for job in jobs)
