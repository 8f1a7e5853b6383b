"""All methods side by side: accuracy, what attacks achieve, what an audit shows, what was accounted for."""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from lib.accounting.statement import PrivacyStatement
from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import figure, save
from lib.reporting.records import read_record
from lib.reporting.results import data_name
from lib.reporting.spread import mean_and_spread
from lib.reporting.tables import write_table

CURVE = "lira_online"
BEYOND = 2  # times what the audit can show, beyond which a promised epsilon has no place on the axis
NEAR = 0.02  # from an AUC of 0.5, within which its axis is about linear; where most rows are
AREAS = (0.5, 0.52, 0.55, 0.6, 0.7, 0.8, 1)
NONE = "none"  # the budget of what promises nothing
FILLED = "os^DvPX"  # of methods with budgets
HOLLOW = "v^P*sX<>dh"  # of all others; a hollow diamond is a bound
# what stands in the column, by the name of the statement that counts
GUARANTEES = {"guarantee": "yes", "claimed": "claimed"}


def strongest(scores: pd.DataFrame) -> pd.DataFrame:
    """Rows of the attack whose area is largest in the mean over the targets."""
    return scores[scores["attack"] == scores.groupby("attack")["auc"].mean().idxmax()]


def tighter(privacy: dict[str, PrivacyStatement]) -> PrivacyStatement | None:
    """The smaller of the epsilons by two routes, of which `guarantee` is the larger; None where nothing is promised."""
    if "guarantee" not in privacy:
        return None
    routes = (statement for name, statement in privacy.items() if name != "guarantee")
    return min(routes, key=lambda statement: statement.epsilon)


def row_of(
    entry: dict, records: list[dict], scores: pd.DataFrame, audit: pd.DataFrame, release: dict, settings: dict
) -> dict:
    """One row: a method at a budget.

    lower_bound is of the first target, named beforehand: each target's bound holds at the level by itself, and neither
    their mean nor the highest does.
    """
    found = [
        value for record in records for name, value in record["private_metrics"].items() if name.startswith("accuracy ")
    ]
    privacy = records[0]["privacy"]
    accuracy, spread = mean_and_spread(found)
    best = strongest(scores)
    auc, auc_spread = mean_and_spread(best["auc"].tolist())
    bounds = audit[audit["score"] == "lira"]
    first = bounds[bounds["target"] == settings["targets"][0]].iloc[0]
    row = {
        "dataset": settings["label"],
        "method": entry["title"],
        "budget": entry["budget"],
        "epsilon": privacy.get("guarantee", privacy.get("claimed", privacy.get("joint"))),
        "epsilon_tighter": tighter(privacy),
        "guarantee": next((word for name, word in GUARANTEES.items() if name in privacy), "no"),
        "delta": settings["delta"],
        "accuracy": accuracy,
        "accuracy_spread": spread,
        "gain": None,
        "attack": best["attack"].iloc[0],
        "auc": auc,
        "auc_spread": auc_spread,
        "auc_low": best["auc_low"].min(),
        "auc_high": best["auc_high"].max(),
    }
    online = scores[scores["attack"] == CURVE]
    for rate in settings["rates"]:
        row |= {
            f"tpr_{rate:g}": online[f"tpr_{rate:g}"].mean(),
            f"tpr_{rate:g}_low": online[f"tpr_{rate:g}_low"].min(),
            f"tpr_{rate:g}_high": online[f"tpr_{rate:g}_high"].max(),
        }
    return row | {
        "canary_auc": bounds["auc"].mean(),
        "lower_bound": first["lower_bound"],
        "lower_bound_mean": bounds["lower_bound"].mean(),
        "lower_bound_highest": bounds["lower_bound"].max(),
        "largest": first["largest"],
        "lower_bound_mechanism": release.get("lower_bound"),
        "largest_mechanism": release.get("largest"),
        "level": first["level"],
        "noise": "; ".join(f"{name} {value:.4g}" for name, value in records[0]["parameters"]["noise"].items()),
        "slots": settings["slots"],
        "canaries": settings["canaries"],
        "worlds": settings["worlds"],
        "targets": len(settings["targets"]),
        "data": data_name(records[0]),
        "sanitized": False,
    }


def add_gain(rows: list[dict], entries: list[dict]) -> None:
    """Accuracy beyond that of the control that saw all public labels and no private record, where it is chosen."""
    controls = [
        row["accuracy"]
        for row, entry in zip(rows, entries, strict=True)
        if entry.get("kind") == "untouched" and "queries" not in entry
    ]
    for row in rows if controls else ():
        row["gain"] = row["accuracy"] - controls[0]


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Accuracy against the strongest attack's AUC, and for each method epsilon promised and shown.

    A method with budgets is a line of one colour and marker, whose points grow with epsilon; all else is grey and
    hollow.
    """
    rows = table.to_dict("records")
    names = list(dict.fromkeys(row["method"] for row in rows))[::-1]
    budgets = list(dict.fromkeys(row["budget"] for row in rows if row["budget"] != NONE))
    lines = list(dict.fromkeys(row["method"] for row in rows if row["budget"] != NONE))
    looks = {name: {"color": f"C{place}", "marker": FILLED[place % len(FILLED)]} for place, name in enumerate(lines)}
    # first what every board has, so that its markers are the same on all
    others = [name for name in names[::-1] if name not in looks]
    others.sort(key=lambda name: not name.startswith(("broken:", "control:")))
    looks |= {
        name: {"color": "0.3", "marker": HOLLOW[place % len(HOLLOW)], "markerfacecolor": "w"}
        for place, name in enumerate(others)
    }
    sizes = {NONE: 6.0} | {budget: 3.5 + 1.5 * place for place, budget in enumerate(budgets)}
    with figure(1, 2, width=5.2, height=max(4.6, 1.2 + 0.32 * len(names))) as (drawn, (plane, ax)):
        _draw_plane(plane, table, looks, sizes)
        ax.set_title("epsilon: promised, and shown by audits")
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(-0.6, len(names) - 0.4)
        for row in rows:
            within = [other["budget"] for other in rows if other["method"] == row["method"]]
            y = names.index(row["method"]) + 0.22 * ((len(within) - 1) / 2 - within.index(row["budget"]))
            _draw_epsilons(ax, row, y, looks[row["method"]]["color"])
        ax.axvline(rows[0]["largest"], color="0.4", linewidth=0.8, linestyle=":")
        ax.set_xlabel("epsilon; dotted: most that the audit of a model can show")
        ax.set_xlim(left=-0.2)
        ax.plot([], [], "o", color="0.3", markersize=4, label="shown by the model")
        ax.plot([], [], "D", color="0.3", markersize=4, markerfacecolor="w", label="by what its mechanism releases")
        if budgets:
            said = f"larger points of a line: larger epsilon ({', '.join(budgets)})"
            plane.set_title("accuracy, and what the strongest attack finds\n" + said)
        handles, labels = (of_plane + of_ax for of_plane, of_ax in zip(*_legends(plane, ax), strict=True))
        drawn.legend(handles, labels, loc="outside lower center", ncols=5)
        save(drawn, *paths)


def _legends(*axes: Axes) -> list[tuple[list, list]]:
    return [ax.get_legend_handles_labels() for ax in axes]


def _draw_plane(ax: Axes, table: pd.DataFrame, looks: dict[str, dict], sizes: dict[str, float]) -> None:
    """Every row by AUC and accuracy; the axis of AUC is stretched about 0.5, where all that protects lies."""
    for method, own in table.groupby("method", sort=False):
        look = looks[method]
        ax.plot(own["auc"], own["accuracy"], "-", color=look["color"], linewidth=0.8, alpha=0.6)
        for row in own.to_dict("records"):
            reach = [[row["auc"] - row["auc_low"]], [row["auc_high"] - row["auc"]]]
            size = {"markersize": sizes[row["budget"]]}
            bars = {"xerr": reach, "yerr": row["accuracy_spread"], "elinewidth": 0.5}
            ax.errorbar(row["auc"], row["accuracy"], **bars, **look, **size, linestyle="none")
        ax.plot([], [], **look, markersize=5, linestyle="none", label=method)
    ax.axvline(0.5, color="0.4", linewidth=0.8, linestyle=":")
    ax.set_xscale("function", functions=(stretched, unstretched))
    ax.set_xticks(AREAS, [f"{area:g}" for area in AREAS])
    ends = stretched(np.array([table["auc_low"].min(), table["auc"].max()]))
    ax.set_xlim(*unstretched(np.add(ends, (-0.15, 0.15))))
    ax.set_xlabel("AUC of the strongest attack, stretched about guessing (dotted)")
    ax.set_ylabel("test accuracy, percent")


def stretched(area: np.ndarray) -> np.ndarray:
    """Where an AUC lies on its axis: about linear within NEAR of 0.5, logarithmic beyond."""
    return np.arcsinh((np.asarray(area) - 0.5) / NEAR)


def unstretched(place: np.ndarray) -> np.ndarray:
    """The AUC at a place of its axis."""
    return 0.5 + NEAR * np.sinh(place)


def _draw_epsilons(ax: Axes, row: dict, y: float, colour: str) -> None:
    """Audited and promised; beyond what the audit can show a promise cannot be contradicted, and is dashed."""
    bound, largest = row["lower_bound"], row["largest"]
    ax.plot(bound, y, "o", color=colour, markersize=4)
    if pd.notna(row["lower_bound_mechanism"]):
        ax.plot(row["lower_bound_mechanism"], y, "D", color=colour, markersize=4, markerfacecolor="w", zorder=3)
    if row["guarantee"] == "no":
        return
    promised = row["epsilon"]
    end = min(promised, BEYOND * largest)
    ax.plot([bound, min(promised, largest)], [y, y], "-", color=colour, linewidth=0.8)
    ax.plot([largest, max(end, largest)], [y, y], "--", color=colour, linewidth=0.8)
    ax.plot(end, y, "|" if promised == end else ">", color=colour, markersize=9 if promised == end else 4)


def curves_of(entries: list[dict], curves: list[pd.DataFrame], ordinary: int) -> pd.DataFrame:
    """ROC curves of the online attack, means over the targets: budget, method, fpr, tpr, and the least rate there is.

    ordinary: slots that are attacked; one non-member of so many is the least rate.
    """
    parts = []
    for entry, curve in zip(entries, curves, strict=True):
        mean = curve[curve["attack"] == CURVE].groupby("fpr", as_index=False)["tpr"].mean()
        parts.append(mean.assign(budget=entry["budget"], method=entry["title"], least=1 / ordinary))
    return pd.concat(parts, ignore_index=True)[["budget", "method", "fpr", "tpr", "least"]]


def draw_roc(table: pd.DataFrame, *paths: Path) -> None:
    """ROC curves on logarithmic axes, a panel a budget. Rates of 0 are left out."""
    ends = (table["least"].iloc[0], 1)
    panels = list(table.groupby("budget", sort=False))
    columns = min(3, len(panels))
    with figure(-(-len(panels) // columns), columns, width=3.3, height=3.4) as (drawn, axes):
        for ax in axes[len(panels) :]:
            ax.set_axis_off()
        for ax, (budget, own) in zip(axes, panels, strict=False):
            for method, curve in own.groupby("method", sort=False):
                ax.plot(curve["fpr"], curve["tpr"].where(curve["tpr"] > 0), label=method)
            ax.plot(ends, ends, color="0.4", linewidth=0.8, linestyle=":")
            ax.set(xscale="log", yscale="log", xlabel="false positive rate", xlim=ends, ylim=(ends[0], 1.2))
            ax.set_title("no budget" if budget == NONE else f"epsilon {budget}")
            for axis in (ax.xaxis, ax.yaxis):
                axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))
            # where no curve is
            corner = {"loc": "lower right", "handlelength": 1.2, "borderaxespad": 0, "labelspacing": 0.3}
            ax.legend(fontsize=6 if budget == NONE else 6.5, **(corner if budget == NONE else {"loc": "upper left"}))
        for ax in axes[::columns]:
            ax.set_ylabel("true positive rate")
        save(drawn, *paths)


@command
def main(
    records: list[Path],
    scores: list[Path],
    curves: list[Path],
    audits: list[Path],
    releases: Path,
    entries: list,
    settings: dict,
    table: Path,
    privacy: Path,
    png: Path,
    pdf: Path,
    roc: Path,
    roc_png: Path,
    roc_pdf: Path,
) -> None:
    """Write the table and the figures.

    records: records of training, entry by entry, shard by shard of worlds. scores: what attacks achieve, a file a shard
    of entries. curves: their ROC curves. audits: what canaries show. releases: what the audits of mechanisms show, for
    entries that release more than a model. entries: method, budget, and the method's block of each. settings: label,
    slots, canaries, worlds, targets, delta, rates. table: the CSV to write. privacy: the meaning of its epsilons. png,
    pdf: the table as a figure. roc: the ROC curves to write, .csv. roc_png, roc_pdf: these as a figure.
    """
    shards = len(records) // len(entries)
    read = [list(map(read_record, records[k * shards : (k + 1) * shards])) for k in range(len(entries))]
    scored, drawn, audited = (of_entries(paths, entries) for paths in (scores, curves, audits))
    released = read_table(releases).set_index("entry").to_dict("index")
    rows = [
        row_of(entry, own, scores, audit, released.get(f"{entry['method']}/{entry['budget']}", {}), settings)
        for entry, own, scores, audit in zip(entries, read, scored, audited, strict=True)
    ]
    add_gain(rows, entries)
    write_table(table, privacy, rows, key=("dataset", "method", "budget"))
    draw(read_table(table), png, pdf)
    with atomic_path(roc) as temporary:
        shown = curves_of(entries, drawn, settings["slots"] - settings["canaries"])
        shown.to_csv(temporary, index=False, float_format="%.6g")
    draw_roc(read_table(roc), roc_png, roc_pdf)


def of_entries(paths: list[Path], entries: list[dict]) -> list[pd.DataFrame]:
    """The rows of each entry in what the attacks on all shards of entries wrote."""
    parts = dict(iter(pd.concat(map(read_table, paths)).groupby("entry")))
    return [parts[f"{entry['method']}/{entry['budget']}"] for entry in entries]


if __name__ == "__main__":
    run(main)
