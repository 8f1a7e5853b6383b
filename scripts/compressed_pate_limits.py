"""Where voting on whole masks can work: signal to noise and Dice over teachers, epsilon and the size of the code."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from lib.core.command import command, run
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import GREY, figure, legend, save
from lib.reporting.results import by_job
from lib.reporting.results import numbers as mean_of
from lib.reporting.sweeps import averaged, read_sweeps
from lib.reporting.tables import write_table
from pate_accountant.encoded_mean import EncodedMeanNoise
from pate_accountant.ledger_statements import encoded_statements
from pate_accountant.rounding import rounded_up, shown

STYLES = ("-", "--", ":", "-.")


def student_dice(
    students: Sequence[Path], task: str, row: pd.Series, settings: dict
) -> tuple[float | None, float | None]:
    """Mean and spread of the Dice of students trained at a row's setting, where there are any."""
    for (_, name, source, encoder), found in by_job(students).items():
        for labelling in (
            found[0]["parameters"]["labellings"] if (name, source, encoder) == (task, "labels", row["encoder"]) else ()
        ):
            same = all(labelling[key] == settings[key] for key in ("queries", "delta", "route"))
            if same and (labelling["epsilon"], labelling["teachers"]) == (row["epsilon"], row["teachers"]):
                return mean_of(found, f"{labelling['name']} tuned_dice", private=True)
    return None, None


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """A row a dataset: signal to noise of codes (left) and Dice of decoded masks (right) over teachers."""
    datasets = table["dataset"].unique()
    with figure(len(datasets), 2, height=3.4) as (drawn, axes):
        for dataset, left, right in zip(datasets, axes[::2], axes[1::2], strict=True):
            chosen = table[table["dataset"] == dataset]
            several = chosen["encoder"].nunique() > 1
            for number, (name, codes) in enumerate(chosen.groupby("encoder", sort=False)):
                free = codes[codes["teachers"].isna()].iloc[0]
                same = f"{name}, " if several else ""
                looks: dict[str, Any] = {"color": f"C{number}", "linewidth": 0.7, "linestyle": "-"}
                right.axhline(free["tuned_dice"], label=f"{same}without noise", **looks)
                noisy = codes.dropna(subset=["teachers"])
                budgets = noisy["epsilon"].map(lambda epsilon: rounded_up(epsilon, 4))  # noise is calibrated to these
                for style, (budget, curve) in zip(STYLES, noisy.groupby(budgets), strict=False):
                    curve = curve.sort_values("teachers")
                    label = rf"{same}$L$ = {curve['latent_dim'].iloc[0]:g}, $\varepsilon$ = {shown(budget)}"
                    for axis, column in ((left, "signal_to_noise"), (right, "tuned_dice")):
                        looks = {"color": f"C{number}", "marker": ".", "capsize": 2, "elinewidth": 1}
                        y, spread = curve[column], curve[f"{column}_spread"]
                        axis.errorbar(curve["teachers"], y, spread, linestyle=style, label=label, **looks)
            left.axhline(1.0, color=GREY, linestyle=":", linewidth=1, label="as much noise as signal")
            left.set(xscale="log", yscale="log", xlabel="teachers $K$", title=dataset)
            left.set_ylabel("signal to noise of a code")
            right.set(xscale="log", xlabel="teachers $K$", ylabel="Dice of decoded masks", ylim=(0, 1), title=dataset)
        legend(drawn, axes)
        save(drawn, *paths)


@command
def main(
    sweeps: list[Path],
    tasks: list,
    settings: dict,
    numbers: Path,
    privacy: Path,
    png: Path,
    pdf: Path,
    students: Sequence[Path] = (),
) -> None:
    """Write the table and the figure.

    sweeps: limits of each task, shard of encoders and repetition, .csv. tasks: the tasks' blocks of the configuration,
    one for each of the sweeps. settings: queries, delta, route. numbers: the table to write, .csv. privacy: the
    meaning of its epsilons to write, .csv. png, pdf: the figure to write. students: records of students of the same
    tasks.
    """
    names = {task["label"]: task["name"] for task in tasks}
    table = averaged(read_sweeps(sweeps, tasks), ["encoder", "teachers", "epsilon"])
    rows = []
    for _, row in table.iterrows():
        made = row.to_dict()
        student = student_dice(students, names[row["dataset"]], row, settings)
        made |= dict(zip(("student_tuned_dice", "student_tuned_dice_spread"), student, strict=True))
        made |= {"queries": settings["queries"], "delta": settings["delta"], "epsilon": None, "teachers": None}
        if pd.notna(row["teachers"]):
            noise = EncodedMeanNoise(
                queries=settings["queries"], teachers=int(row["teachers"]), radius=row["radius"], sigma=row["sigma"]
            )
            # nobody is protected where true masks stand in for the answers: what so many teachers' answers would cost
            epsilon = dataclasses.replace(
                encoded_statements(noise, settings["delta"])[settings["route"]], proved_bound=False
            )
            made |= {"epsilon": epsilon, "teachers": noise.teachers}
        rows.append(made)
    write_table(numbers, privacy, rows, key=("dataset", "encoder", "latent_dim", "teachers", "sigma"))
    draw(read_table(numbers), png, pdf)


if __name__ == "__main__":
    run(main)
