"""The jobs of a rule: each a process, or all of them one, where starting takes longer than their work."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from lib.plan.command_line import UNNAMED, command_line

RULES = (  # whose jobs may be one process
    "account",
    "train_network_student",
    "train_mask_dp_sgd",
    "train_mask_encoder",
    "train_mac",
    "train_sgd",
    "train_cdbn",
    "train_worlds",
    "draw_task",
    "train_residual",
    "predict_residual",
    "train_residual_dp_sgd",
    "predict_residual_dp_sgd",
    "attack_residual",
    "train_audited",
    "audit_residual",
)
Files = str | Callable[[Any], str | list[str]]  # a path with wildcards, or a function of them


class Jobs:
    """Files and command line of a rule's jobs; all that a job reads, writes and draws is the same either way.

    In one process they are done in turn: the command line has the options of each (`lib.core.command.calls`), and the
    rule has no wildcards, but the files of all.
    """

    def __init__(self, together: Iterable[Mapping[str, str]] | None = None) -> None:
        """together: the wildcards of the jobs that are one process; None: each is its own."""
        self._jobs = None if together is None else [SimpleNamespace(**wildcards) for wildcards in together]
        self._read: dict[str, Files] = {}

    def inputs(self, **named: Files) -> dict[str, Files]:
        """Named inputs of the rule, for `**`."""
        if self._jobs is None:
            return named
        self._read = named
        return {name: self._of_all(files) for name, files in named.items()}

    def output(self, pattern: str) -> str | list[str]:
        """Return an output of the rule, from that of a job."""
        return pattern if self._jobs is None else [path for job in self._jobs for path in _paths(pattern, job)]

    def files(self, inputs: Iterable[tuple[str, Any]], outputs: Iterable[tuple[str, Any]]) -> str:
        """Return the options for a job's named files. Of a rule that does all jobs: (name, path or paths)."""
        if self._jobs is None:
            return command_line([*inputs, *outputs], {})
        parted: list[list[tuple[str, list[str]]]] = [[] for _ in self._jobs]
        for name, found in [*inputs, *outputs]:
            if name in UNNAMED:
                continue
            # as the rule has them: where they are stored may be part of their paths
            paths = iter([found] if isinstance(found, str) else found)
            for job, own in zip(self._jobs, parted, strict=True):
                count = len(_paths(self._read[name], job)) if name in self._read else 1
                own.append((name, list(itertools.islice(paths, count))))
        return _numbered(command_line(own, {}) for own in parted)

    def settings(self, of_job: Callable[[Any], Mapping[str, Any]], wildcards: Any) -> str:
        """Return options for a job's settings by the plan, `of_job(wildcards)`; then those that follow are for all."""
        if self._jobs is None:
            return command_line((), of_job(wildcards))
        return f"{_numbered(command_line((), of_job(job)) for job in self._jobs)} --together all"

    def _of_all(self, files: Files) -> Callable[[Any], list[str]]:
        return lambda wildcards: [path for job in self._jobs or () for path in _paths(files, job)]


def _paths(files: Files, job: SimpleNamespace) -> Sequence[str]:
    """Return the paths of one job."""
    found = files(job) if callable(files) else files.format(**vars(job))
    return [found] if isinstance(found, str) else found


def _numbered(lines: Iterable[str]) -> str:
    return " ".join(f"--together {number} {line}" for number, line in enumerate(lines))
