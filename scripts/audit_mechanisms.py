"""Audit the project's own mechanisms, intact and with bugs put in on purpose: table and figure."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import torch
from matplotlib.axes import Axes

from lib.audit.bound import as_often_as_allowed
from lib.audit.catalogue import mechanisms
from lib.audit.trial import BUGS, INTACT, Audited, Trial
from lib.core.command import command, run
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import figure, save
from lib.reporting.tables import write_table, yes_no

# of an intact mechanism that is audited several times with fewer runs
AGAIN = ("repetitions", "repeated_runs", "repeated_highest", "above_promised", "holds")
# of the intact mechanism, then of each bug
MARKERS, COLOURS = ("o", "s", "^", "v", "D", "P", "X", "*"), ("k", "C0", "C1", "C2", "C3", "C4", "C5", "0.5")


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
    } | (again(trial, settings, seed, job) if bug == INTACT else dict.fromkeys(AGAIN))


def again(trial: Trial, settings: dict, seed: int, job: tuple[str, ...]) -> dict:
    """An intact mechanism audited again and again, with other draws: how many bounds lie above the promise."""
    repetitions, runs = settings["repeated"]["times"], settings["repeated"]["runs"]
    audits = [trial.audited(runs, settings["level"], seed, (*job, f"again {k}")) for k in range(repetitions)]
    above = sum(audit.caught for audit in audits)
    holds = yes_no(as_often_as_allowed(above, repetitions, settings["level"]))
    highest = max(audit.bound.epsilon for audit in audits)
    return dict(zip(AGAIN, (repetitions, audits[0].runs, highest, above, holds), strict=True))


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Promised epsilons and lower bounds, a line for each mechanism; a bound that is too large is filled."""
    rows = table.to_dict("records")
    names = list(dict.fromkeys((row["mechanism"], row["backend"]) for row in rows))
    with figure(width=6.8, height=1.2 + 0.45 * len(names)) as (drawn, axes):
        panel(axes[0], rows, names)
        save(drawn, *paths)


def panel(axis: Axes, rows: list[dict], names: list[tuple[str, str]]) -> None:
    """Rows of the table as points and lines; names: mechanisms and their backends, from top to bottom."""
    bugs = [INTACT, *BUGS]
    for row in rows:
        if row["caught"] == "n/a":
            continue
        number = bugs.index(row["bug"])
        # the kinds lie side by side within a mechanism's line
        place = names.index((row["mechanism"], row["backend"])) + (number - (len(bugs) - 1) / 2) * 0.1
        colour, promised = COLOURS[number], row["promised_epsilon"]
        axis.plot([promised, row["lower_bound"]], [place, place], "-", color=colour, linewidth=0.7)
        axis.plot(promised, place, "|", color="0.2", markersize=4)
        filled = colour if row["caught"] == "yes" else "w"
        axis.plot(row["lower_bound"], place, MARKERS[number], color=colour, markerfacecolor=filled, markersize=3.5)
    for place in range(1, len(names)):
        axis.axhline(place - 0.5, color="0.8", linewidth=0.5)
    axis.set(ylim=(len(names) - 0.5, -0.5), xlim=(-0.1, None), xlabel="epsilon")
    axis.set_yticks(range(len(names)), [f"{name.replace('_', ' ')}\n({backend})" for name, backend in names])
    axis.tick_params(axis="y", length=0, labelsize=7)
    axis.grid(axis="y", visible=False)
    axis.plot([], [], "|", color="0.2", markersize=6, label="promised")
    for number, bug in enumerate(bugs):
        label = "lower bound, intact" if bug == INTACT else bug.replace("_", " ")
        axis.plot([], [], MARKERS[number], color=COLOURS[number], markersize=4, label=label)
    axis.figure.legend(loc="outside upper center", ncols=3)


@command
def main(seed: int, settings: dict, table: Path, privacy: Path, png: Path, pdf: Path) -> None:
    """Write the table, the meaning of its epsilons, and the figure.

    seed: seed of the preset. settings: the block `audit.code` of the configuration. table: the CSV to write. privacy:
    the meaning of its epsilons.
    """
    torch.set_num_threads(1)  # networks of two weights
    rows = [row_of(one, bug, settings, seed) for one in mechanisms(settings["delta"]) for bug in (INTACT, *BUGS)]
    write_table(table, privacy, rows, key=("mechanism", "backend", "bug"))
    draw(read_table(table), png, pdf)


if __name__ == "__main__":
    run(main)
