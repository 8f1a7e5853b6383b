"""Figure 1 of compressed PATE: how many principal components to keep, and the error that remains, over noise."""

from pathlib import Path
from typing import Any

import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import figure, legend, save
from lib.reporting.sweeps import averaged, read_sweeps

HOW = {"heuristic": "eq. (14)", "optimal": "exhaustive search"}
LOOKS: dict[str, dict[str, Any]] = {
    "heuristic": {"linestyle": "-"},
    "optimal": {"linestyle": "none", "marker": "o", "markersize": 6, "markerfacecolor": "none"},
}
NEXT = "_before"


def compared(numbers: pd.DataFrame) -> pd.DataFrame:
    """Every noise beside the next weaker one, in its `optimal_fraction_before`; the weakest of all is left out."""
    columns = ["optimal_fraction", "optimal_fraction_spread"]
    rows = []
    for _, levels in numbers.sort_values("sigma").groupby("dataset", sort=False):
        before = levels[columns].shift().add_suffix(NEXT)
        before = before.rename(columns={f"optimal_fraction_spread{NEXT}": f"optimal_fraction{NEXT}_spread"})
        levels = levels.join(before).iloc[1:]
        levels["below_rank"] = levels["below_rank"].map({1.0: "yes"}).fillna("no")  # in every repetition
        end = levels["sigma"].max()
        rows.append(levels.assign(strongest=["yes" if sigma == end else "no" for sigma in levels["sigma"]]))
    return pd.concat(rows, ignore_index=True)


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Error (left) and share of components kept (right) over noise, by both ways of choosing their number.

    Lines are of the rule, and hollow circles of the search, so that both are seen where they agree.
    """
    with figure(1, 2, height=3.4) as (drawn, axes):
        for number, (dataset, levels) in enumerate(table.groupby("dataset", sort=False)):
            for how, look in LOOKS.items():
                label = f"{dataset}, {HOW[how]}"
                for axis, column in zip(axes, ("mse", "fraction"), strict=True):
                    y, spread = levels[f"{how}_{column}"], levels[f"{how}_{column}_spread"]
                    bars: dict[str, Any] = {"color": f"C{number}", "capsize": 2, "elinewidth": 1}
                    axis.errorbar(levels["sigma"], y, spread, label=label, **bars, **look)
        for axis in axes:
            axis.set(xscale="log", xlabel=r"noise $\sigma$ on each number of the code")
        axes[0].set(yscale="log", ylabel="mean squared error a voxel")
        axes[1].set(ylabel="share of components kept, $L/D$")
        axes[1].set_yscale("symlog", linthresh=1e-4)
        axes[1].set_ylim(0, 1)
        legend(drawn, axes, columns=2)
        save(drawn, *paths)


@command
def main(sweeps: list[Path], tasks: list, numbers: Path, comparison: Path, png: Path, pdf: Path) -> None:
    """Write the figure, its numbers, and what the claims compare.

    sweeps: components of each task and repetition, .csv. tasks: the tasks' blocks of the configuration, one for each of
    the sweeps. numbers: the numbers behind the figure to write, .csv. comparison: what its claims compare, to write,
    .csv. png, pdf: the figure to write.
    """
    shown = averaged(read_sweeps(sweeps, tasks), ["sigma"])
    for path, table in ((numbers, shown), (comparison, compared(shown))):
        with atomic_path(path) as temporary:
            table.to_csv(temporary, index=False, float_format="%.6g")
    draw(read_table(numbers), png, pdf)


if __name__ == "__main__":
    run(main)
