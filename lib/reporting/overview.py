"""One figure of all papers: how far our numbers are from theirs."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from lib.reporting.digits import as_read
from lib.reporting.headlines import measured


def points(verdicts: pd.DataFrame, outlines: Mapping[str, dict]) -> list[dict]:
    """Return the numbers that outlines choose (`overview`) and a run measured: label, ratio, data, whether the paper's.

    Several measured numbers of one claim are left out: none of them alone is ours.
    """
    rows = verdicts.set_index("id")
    found = []
    for paper, outline in outlines.items():
        for entry in outline["overview"]:
            row = rows.loc[f"{paper}.{entry['of']}"]
            if row["measured"] and ";" not in row["measured"]:
                here = float(row["measured"].split(" ")[0])
                label = f"{outline['name']}: {entry['label']}  {as_read(row['paper_value'])} → {measured(row)}"
                ratio, data = here / float(row["paper_value"]), row["data"].partition(" (")[0]
                found.append({"label": label, "ratio": ratio, "data": data, "own": row["grade"] == "paper"})
    return found


def draw(found: list[dict], *paths: Path) -> None:
    """Draw a row for each number: ours over the paper's, on a logarithmic axis; equality is a line."""
    from lib.reporting.plotting import figure, save  # here, so that who lists the numbers waits for no matplotlib

    with figure(width=8.3, height=0.9 + 0.26 * len(found)) as (drawn, (axis,)):
        for own, face, name in ((True, "#0072B2", "the paper's data"), (False, "none", "less or substitute data")):
            shown = [(place, each["ratio"]) for place, each in enumerate(found) if each["own"] is own]
            if shown:
                heights, across = zip(*shown, strict=True)
                axis.plot(across, heights, "o", color="#0072B2", markerfacecolor=face, label=name)
        axis.axvline(1, color="0.3", lw=1)
        axis.set_xscale("log")
        ticks = [0.2, 0.3, 0.5, 0.8, 1, 1.25, 2, 3, 5]
        ratios = [1.0, *(each["ratio"] for each in found)]
        ticks = [tick for tick in ticks if min(ratios) / 1.3 <= tick <= max(ratios) * 1.3]
        axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.minorticks_off()
        axis.set_yticks(range(len(found)), [each["label"] for each in found])
        axis.invert_yaxis()
        axis.set_xlabel("our number divided by the paper's")
        axis.legend(loc="upper left")
        save(drawn, *paths)
