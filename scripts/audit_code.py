"""Audit some of the project's own mechanisms, intact and with bugs put in on purpose."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from lib.audit.bound import as_often_as_allowed
from lib.audit.catalogue import mechanisms
from lib.audit.trial import INTACT, Audited, Trial
from lib.core.command import command, run
from lib.core.errors import InputError
from lib.reporting.tables import write_table, yes_no

# of an intact mechanism that is audited several times with fewer runs
AGAIN = ("repetitions", "repeated_runs", "repeated_highest", "above_promised", "holds")


def row_of(one: Audited, bug: str, settings: dict, seed: int) -> dict:
    """One row: a mechanism with one bug, or intact; without numbers where it has no room for the bug."""
    trial, job = one.trials.get(bug), ("audit_mechanisms", one.name, one.backend, bug)
    found = trial and trial.audited(settings["runs"], settings["level"], seed, job)
    return {
        "mechanism": one.name,
        "backend": one.backend,
        "bug": bug,
        "promised_epsilon": trial
        and replace(trial.promised, proved_bound=trial.promised.proved_bound and bug == INTACT),
        "delta": found and found.delta,
        "lower_bound": found and found.bound.epsilon,
        "largest": found and found.bound.largest,
        "runs": found and found.runs,
        "level": settings["level"],
        "caught": yes_no(found.caught) if found else "n/a",
        "function": one.function,
        "no_room": one.no_room.get(bug),
    } | (again(trial, settings, seed, job) if trial and bug == INTACT else dict.fromkeys(AGAIN))


def again(trial: Trial, settings: dict, seed: int, job: tuple[str, ...]) -> dict:
    """An intact mechanism audited again and again, with other draws: how many bounds lie above the promise."""
    repetitions, runs = settings["repeated"]["times"], settings["repeated"]["runs"]
    audits = [trial.audited(runs, settings["level"], seed, (*job, f"again {k}")) for k in range(repetitions)]
    above = sum(audit.caught for audit in audits)
    holds = yes_no(as_often_as_allowed(above, repetitions, settings["level"]))
    highest = max(audit.bound.epsilon for audit in audits)
    return dict(zip(AGAIN, (repetitions, audits[0].runs, highest, above, holds), strict=True))


@command
def main(seed: int, settings: dict, part: list[int], table: Path, privacy: Path) -> None:
    """Write the table, and the meaning of its epsilons.

    seed: seed of the preset. settings: of the block `audit.code` of the configuration. part: which of how many parts of
    all mechanisms, in their order. table: the CSV to write. privacy: the meaning of its epsilons.
    """
    torch.set_num_threads(1)  # networks of two weights
    every = mechanisms(settings["delta"])
    number, parts = part
    if parts > len(every):
        raise InputError(f"audit.code.parts = {parts}: allowed is at most {len(every)}, a mechanism each")
    some = [every[place] for place in np.array_split(np.arange(len(every)), parts)[number]]
    rows = [row_of(one, bug, settings, seed) for one in some for bug in one.bugs]
    write_table(table, privacy, rows, key=("mechanism", "backend", "bug"))


if __name__ == "__main__":
    run(main)
