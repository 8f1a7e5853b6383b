"""The project's own mechanisms, audited intact and with bugs put in on purpose: table and figure."""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from lib.audit.trial import BUGS, INTACT
from lib.core.command import command, run
from lib.core.files import atomic_path, reading
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import figure, save

# of the intact mechanism, then of each bug
MARKERS, COLOURS = ("o", "s", "^", "v", "D", "P", "X", "*"), ("k", "C0", "C1", "C2", "C3", "C4", "C5", "0.5")


def joined(parts: list[Path]) -> str:
    """The lines of tables with the same columns, under one header; InputError names a part that was altered."""
    lines = []
    for part in parts:
        with reading(part, "CSV"):
            lines.append(part.read_text(encoding="utf-8").splitlines(keepends=True))
    return "".join(lines[0][:1] + [line for own in lines for line in own[1:]])


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
    runs = {(row["mechanism"], row["backend"]): row["runs"] for row in rows if row["bug"] == INTACT}
    axis.set_yticks(
        range(len(names)), [f"{each[0].replace('_', ' ')}\n({each[1]}, {runs[each]:,.0f} runs)" for each in names]
    )
    axis.tick_params(axis="y", length=0, labelsize=7)
    axis.grid(axis="y", visible=False)
    axis.plot([], [], "|", color="0.2", markersize=6, label="promised")
    for number, bug in enumerate(bugs):
        label = "lower bound, intact" if bug == INTACT else bug.replace("_", " ")
        face = "w" if bug == INTACT else COLOURS[number]
        axis.plot([], [], MARKERS[number], color=COLOURS[number], markerfacecolor=face, markersize=4, label=label)
    axis.figure.legend(loc="outside upper center", ncols=3)


@command
def main(tables: list[Path], privacies: list[Path], table: Path, privacy: Path, png: Path, pdf: Path) -> None:
    """Write the table, the meaning of its epsilons, and the figure.

    tables, privacies: of audit_code, part by part. table: the CSV to write. privacy: the meaning of its epsilons.
    """
    for path, parts in ((table, tables), (privacy, privacies)):
        with atomic_path(path) as temporary:
            temporary.write_text(joined(parts), encoding="utf-8")
    draw(read_table(table), png, pdf)


if __name__ == "__main__":
    run(main)
