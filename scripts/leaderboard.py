"""All methods side by side: accuracy, what attacks achieve, what an audit shows, what was accounted for."""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes

from lib.core.command import command, run
from lib.leaderboard.statements import stated
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.reporting.records import read_record
from lib.reporting.results import data_name
from lib.reporting.spread import mean_and_spread, student_interval
from lib.reporting.tables import write_table

NONE = "none"  # the budget of what promises nothing
# lines of the figure, and titles of the methods of which each shows the most accurate at every budget; all else stands
# in the table alone
LINES = {
    "no privacy": ("no privacy",),
    "residual perturbation": ("residual perturbation",),
    "DP-SGD without its noise": ("broken: DP-SGD without noise",),
    "DP-SGD, its best variant": ("DP-SGD", "DP-SGD started from public labels"),
    "DP-MAC, its best variant": ("DP-MAC", "DP-MAC started from public labels"),
    "PATE, its best mechanism": ("LNMax", "GNMax", "Confident-GNMax", "Interactive-GNMax", "encoded mean"),
}
PUBLIC = {"control: public data": "public data alone"}
MARKERS = "X*vsD^"
# what stands in the column, by the name of the statement that counts
GUARANTEES = {"guarantee": "yes", "claimed": "claimed"}


def strongest(scores: pd.DataFrame) -> pd.DataFrame:
    """Rows of the targets and of one attack, the one whose area is largest in the mean over the choosing worlds.

    Those are other trainings than the targets', so that the choice tells nothing of the targets' coins. Of attacks that
    are equally strong the first of ATTACKS is taken, whose order the rows have.
    """
    areas = scores[scores["choosing"]].groupby("attack", sort=False)["auc"].mean()
    return scores[~scores["choosing"] & (scores["attack"] == areas.idxmax())]


def of_attack(column: str, reached: pd.DataFrame, level: float) -> dict:
    """Mean of a column over the targets, with its spread and two intervals.

    `_low`, `_high`: the lowest and highest end of the targets' own intervals, of the draw of records. `_draws_low`,
    `_draws_high`: Student's interval of the mean over the draws of models, each target a training of its own.
    """
    values = reached[column].dropna().tolist()
    mean, spread = mean_and_spread(values)
    low, high = student_interval(values, level)
    return {
        column: mean,
        f"{column}_spread": spread,
        f"{column}_low": reached[f"{column}_low"].min(),
        f"{column}_high": reached[f"{column}_high"].max(),
        f"{column}_draws_low": low,
        f"{column}_draws_high": high,
    }


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
    privacy = stated(records[0]["parameters"]["spent"])
    accuracy, spread = mean_and_spread(found)
    best = strongest(scores)
    bounds = audit[audit["score"] == "lira"]
    first = bounds[bounds["target"] == settings["targets"][0]].iloc[0]
    level = first["level"]
    row = {
        "dataset": settings["label"],
        "method": entry["title"],
        "budget": entry["budget"],
        "epsilon": privacy.get("guarantee", privacy.get("claimed", privacy.get("joint"))),
        "epsilon_renyi": privacy.get("rdp"),
        "guarantee": next((word for name, word in GUARANTEES.items() if name in privacy), "no"),
        "delta": settings["delta"],
        "accuracy": accuracy,
        "accuracy_spread": spread,
        "gain": None,
        "attack": best["attack"].iloc[0],
    } | of_attack("auc", best, level)
    for rate in settings["rates"]:
        row |= of_attack(f"tpr_{rate:g}", best, level)
    return row | {
        "canary_auc": bounds["auc"].mean(),
        "lower_bound": first["lower_bound"],
        "lower_bound_mean": bounds["lower_bound"].mean(),
        "lower_bound_highest": bounds["lower_bound"].max(),
        "lower_bound_gaussian": first["lower_bound_gaussian"],
        "largest": first["largest"],
        "lower_bound_mechanism": release.get("lower_bound"),
        "largest_mechanism": release.get("largest"),
        "level": level,
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


def lines_of(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the rows of each line of the figure, those of its most accurate method at each budget."""
    of_lines = {line: table[table["method"].isin(methods)] for line, methods in LINES.items()}
    return {line: rows.loc[rows.groupby("budget", sort=False)["accuracy"].idxmax()] for line, rows in of_lines.items()}


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Two panels over the promised epsilon: accuracy, and the area that the strongest attack reaches."""
    first = table.iloc[0]
    lines, budgets = lines_of(table), [*sorted(set(table["budget"]) - {NONE}, key=float), NONE]
    panels = {"accuracy": "test accuracy, %", "auc": "area under the strongest attack's ROC"}
    with plotting.figure(1, len(panels), height=3.6) as (drawn, axes):
        for axis, (column, label) in zip(axes, panels.items(), strict=True):
            for number, (title, own) in enumerate(lines.items()):
                if len(own):
                    place = own["budget"].map(budgets.index) + 0.06 * (number - 2)
                    draw_line(axis, place, own, column, {"color": f"C{number}", "marker": MARKERS[number]}, title)
            axis.set_xticks(range(len(budgets)), budgets)
            axis.set(xlim=(-0.5, len(budgets) - 0.5), xlabel=r"promised $\varepsilon$", ylabel=label)
        for name, title in PUBLIC.items():
            for accuracy in table["accuracy"][table["method"] == name]:
                axes[0].axhline(accuracy, color=plotting.GREY, linestyle="--", linewidth=1, label=title, zorder=0)
        plotting.guessing(axes[1])
        said = f"{first['dataset']}, {first['slots']:,} private records, {plotting.at_delta(first['delta'])}"
        drawn.suptitle(said, fontsize="medium")
        plotting.legend(drawn, axes)
        plotting.save(drawn, *paths)


def draw_line(axis: Axes, place: pd.Series, own: pd.DataFrame, column: str, look: dict, label: str) -> None:
    """A method's points with their intervals, or their spread where a column has none."""
    if f"{column}_low" in own:
        reach = [own[column] - own[f"{column}_low"], own[f"{column}_high"] - own[column]]
    else:
        reach = own[f"{column}_spread"]
    style = "none" if (own["budget"] == NONE).all() else "-"
    axis.errorbar(
        place, own[column], reach, linestyle=style, markersize=5, capsize=2, elinewidth=1, label=label, **look
    )


@command
def main(
    records: list[Path],
    scores: list[Path],
    audits: list[Path],
    releases: Path,
    entries: list,
    settings: dict,
    table: Path,
    privacy: Path,
    png: Path,
    pdf: Path,
) -> None:
    """Write the table and the figure.

    records: records of training, entry by entry, shard by shard of worlds. scores: what attacks achieve, a file a shard
    of entries. audits: what canaries show. releases: what the audits of mechanisms show, for
    entries that release more than a model. entries: method, budget, and the method's block of each. settings: label,
    slots, canaries, worlds, targets, delta, rates. table: the CSV to write. privacy: the meaning of its epsilons. png,
    pdf: the figure to write.
    """
    shards = len(records) // len(entries)
    read = [list(map(read_record, records[k * shards : (k + 1) * shards])) for k in range(len(entries))]
    scored, audited = (of_entries(paths, entries) for paths in (scores, audits))
    released = read_table(releases).set_index("entry").to_dict("index")
    rows = [
        row_of(entry, own, found, audit, released.get(f"{entry['method']}/{entry['budget']}", {}), settings)
        for entry, own, found, audit in zip(entries, read, scored, audited, strict=True)
    ]
    add_gain(rows, entries)
    write_table(table, privacy, rows, key=("dataset", "method", "budget"))
    draw(read_table(table), png, pdf)


def of_entries(paths: list[Path], entries: list[dict]) -> list[pd.DataFrame]:
    """The rows of each entry in what the attacks on all shards of entries wrote."""
    parts = dict(iter(pd.concat(map(read_table, paths)).groupby("entry")))
    return [parts[f"{entry['method']}/{entry['budget']}"] for entry in entries]


if __name__ == "__main__":
    run(main)
