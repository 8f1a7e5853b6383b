"""One figure of all papers: how far our numbers are from theirs."""

from collections.abc import Mapping
from pathlib import Path

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


def draw(found: list[dict], *paths: Path) -> None:
    """Draw a row for each number: ours over the paper's, on a logarithmic axis; equality is a line.

    Words stand above their row, not beside it, so that the figure can be read on a narrow screen.
    """
    from lib.reporting.plotting import figure, save  # here, so that who lists the numbers waits for no matplotlib

    heights, titles, place = [], {}, 0.0
    for each in found:
        if each["paper"] not in titles:
            titles[each["paper"]] = place
            place += 0.8
        heights.append(place + 0.45)
        place += 1
    with figure(width=4.4, height=0.9 + 0.33 * place) as (drawn, (axis,)):
        across = axis.get_yaxis_transform()
        for own, face, name in ((True, "#0072B2", "the paper's data"), (False, "white", "less or substitute data")):
            shown = [(each["ratio"], height) for each, height in zip(found, heights, strict=True) if each["own"] is own]
            if shown:
                axis.plot(*zip(*shown, strict=True), "o", color="#0072B2", markerfacecolor=face, label=name, zorder=3)
        for title, height in titles.items():
            axis.text(0, height, title, transform=across, va="center", weight="bold")
        for each, height in zip(found, heights, strict=True):
            axis.axhline(height, color="0.9", lw=0.6, zorder=0)
            axis.text(0, height - 0.42, each["what"], transform=across, va="center")
            axis.text(1, height - 0.42, each["values"], transform=across, va="center", ha="right")
        axis.axvline(1, color="0.3", lw=1, zorder=1)
        axis.set_xscale("log")
        ratios = [1.0, *(each["ratio"] for each in found)]
        ticks = [tick for tick in (0.2, 0.5, 1, 2, 5) if min(ratios) / 1.3 <= tick <= max(ratios) * 1.3]
        axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.minorticks_off()
        axis.set_yticks([])
        axis.spines["left"].set_visible(False)
        axis.set_ylim(max(place, 1), -0.5)
        axis.set_xlabel("our number divided by the paper's")
        if found:
            drawn.legend(loc="outside upper center", ncols=2)
        save(drawn, *paths)
