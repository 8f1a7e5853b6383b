"""The project's own mechanisms, audited intact and with bugs put in on purpose: table and figure."""

from pathlib import Path

import pandas as pd

from lib.audit.trial import INTACT
from lib.core.command import command, run
from lib.core.files import atomic_path, reading
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table

TITLES = {
    "lnmax": "LNMax",
    "gnmax": "GNMax",
    "confident_gnmax": "Confident-GNMax",
    "interactive_gnmax": "Interactive-GNMax",
    "dp_sgd": "DP-SGD",
    "dp_mac": "DP-MAC",
}
# label, marker and colour of each bug, in the order of BUGS and RUN_BUGS
SHOWN = {
    INTACT: ("without bugs", "o", "black"),
    "sigma_halved": ("half the noise", "s", "C0"),
    "sqrt2_forgotten": ("sensitivity too small by √2", "^", "C1"),
    "threshold_not_charged": ("threshold test not charged", "v", "C2"),
    "no_clipping": ("no clipping", "D", "C3"),
    "noise_reused": ("noise reused", "P", "C4"),
    "not_poisson": ("batches not Poisson samples", "X", "C5"),
    "add_or_remove_for_replace": ("add/remove noise for replace", "*", "0.55"),
    "noise_shared": ("one noise for all queries", "<", "C0"),
    "check_noise_shared": ("one noise for all checks", ">", "C1"),
    "plurality_confirmed": ("plurality confirmed", "p", "C2"),
    "answer_too_many": ("one answer too many", "h", "C3"),
    "biases_forgotten": ("norm without biases", "d", "C4"),
}


def joined(parts: list[Path]) -> str:
    """The lines of tables with the same columns, under one header; InputError names a part that was altered."""
    lines = []
    for part in parts:
        with reading(part, "CSV"):
            lines.append(part.read_text(encoding="utf-8").splitlines(keepends=True))
    return "".join(lines[0][:1] + [line for own in lines for line in own[1:]])


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Lower bounds over the promised epsilon, a line a mechanism: right of 1 the promise does not hold."""
    table = table[table["caught"] != "n/a"]
    names = list(dict.fromkeys(zip(table["mechanism"], table["backend"], strict=True)))
    intact = table[table["bug"] == INTACT].set_index(["mechanism", "backend"])
    with plotting.figure(height=1.3 + 0.3 * len(names)) as (drawn, (axis,)):
        kinds = [bug for bug in SHOWN if bug in set(table["bug"])]
        for number, bug in enumerate(kinds):
            own, (label, marker, colour) = table[table["bug"] == bug], SHOWN[bug]
            # the kinds lie side by side within a mechanism's line
            shift = (number - (len(kinds) - 1) / 2) * 0.06
            places = [names.index(name) + shift for name in zip(own["mechanism"], own["backend"], strict=True)]
            axis.plot(own["lower_bound"] / own["promised_epsilon"], places, marker, color=colour, ms=5, label=label)
        for place in range(1, len(names)):
            axis.axhline(place - 0.5, color="0.85", linewidth=0.5)
        axis.axvline(1, color="black", linewidth=1)
        axis.set_xlim(-0.1, axis.get_xlim()[1])
        axis.axvspan(1, axis.get_xlim()[1], color="0.95", zorder=-1)
        axis.text(1.1, -0.85, "right of this line the promise does not hold", va="center", fontsize=8)
        axis.set(ylim=(len(names) - 0.5, -1.1), xlabel=r"lower bound on $\varepsilon$ / promised $\varepsilon$")
        axis.set_yticks(range(len(names)), [titled(*name, intact.loc[name, "runs"]) for name in names])
        axis.tick_params(axis="y", length=0)
        axis.grid(axis="y", visible=False)
        plotting.legend(drawn, [axis], columns=4 if len(kinds) <= 8 else 3)
        plotting.save(drawn, *paths)


def titled(mechanism: str, backend: str, runs: int) -> str:
    """A mechanism as an axis names it."""
    return f"{TITLES.get(mechanism, mechanism.replace('_', ' '))}, {backend}, {runs:,.0f} runs"


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
