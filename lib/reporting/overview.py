"""One figure of all papers: how far our numbers are from theirs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from lib.reporting.digits import as_read
from lib.reporting.headlines import measured


def points(verdicts: pd.DataFrame, outlines: Mapping[str, dict]) -> list[dict]:
    """Return the numbers that outlines choose (`overview`) and a run measured, a row each.

    Of each: paper, what, values, label, ratio, data, own. label: paper, what it is and `paper → here` in one line. own:
    whether it is of the paper's data. Several measured numbers of one claim are left out: none of them alone is ours.
    """
    rows = verdicts.set_index("id")
    found = []
    for paper, outline in outlines.items():
        for entry in outline["overview"]:
            row = rows.loc[f"{paper}.{entry['of']}"]
            if row["measured"] and ";" not in row["measured"]:
                here = float(row["measured"].split(" ")[0])
                values = f"{as_read(row['paper_value'])} → {measured(row)}"
                ratio, data = here / float(row["paper_value"]), row["data"].partition(" (")[0]
                said = {"paper": outline["name"], "what": entry["label"], "values": values}
                said["label"] = f"{outline['name']}: {entry['label']}  {values}"
                found.append(said | {"ratio": ratio, "data": data, "own": row["grade"] == "paper"})
    return found


def draw(found: list[dict], papers: Sequence[str], *paths: Path) -> None:
    """Draw a row for each number on a paper's own data: ours over the paper's, on a logarithmic axis.

    papers: names of all; one without such a number says so. Words stand above their row, so that the
    figure can be read on a narrow screen.
    """
    from lib.reporting.plotting import GREY, figure, save  # here, so that who lists the numbers waits for no matplotlib

    shown = [(paper, [each for each in found if each["own"] and each["paper"] == paper]) for paper in papers]
    # equality is in the middle, between names and values
    reach = 1.2 * max([2.0, *(max(each["ratio"], 1 / each["ratio"]) for _, rows in shown for each in rows)])
    bottom = sum(0.8 + (len(rows) or 0.8) for _, rows in shown)
    with figure(width=4.4, height=0.7 + 0.33 * bottom) as (drawn, (axis,)):
        place, across = 0.0, dict[str, Any](transform=axis.get_yaxis_transform(), va="center")
        axis.text(1, place, "paper → here", ha="right", color=GREY, **across)
        for paper, rows in shown:
            axis.text(0, place, paper, weight="bold", **across)
            place += 0.8
            for each in rows:
                axis.axhline(place + 0.45, color="0.9", lw=0.6, zorder=0)
                axis.plot(each["ratio"], place + 0.45, "o", color="C0", zorder=3)
                axis.text(0, place + 0.03, each["what"], **across)
                axis.text(1, place + 0.03, each["values"], ha="right", **across)
                place += 1
            if not rows:
                axis.text(0, place, "nothing on the paper's data", color=GREY, **across)
                place += 0.8
        axis.axvline(1, color="0.3", lw=1, zorder=1)
        axis.set(xscale="log", xlim=(1 / reach, reach))
        ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10) if 1 / reach <= tick <= reach]
        axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.minorticks_off()
        axis.set_yticks([])
        axis.spines["left"].set_visible(False)
        axis.set_ylim(max(bottom, 1), -0.5)
        axis.set_xlabel("our number divided by the paper's")
        save(drawn, *paths)
