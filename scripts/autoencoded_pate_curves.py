"""How networks learned: loss and Dice of training patches over steps, against the labels that each was told."""

from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting.claims.cells import read_table
from lib.reporting.plotting import figure, save

SAID = {"truth/none": "student on true labels", "mean_mask/none": "student on the mean mask"}


def named(unit: str, labelling: str) -> str:
    """A network as a legend has it: labellings with noise end in `-eEPSILON`."""
    _, noisy, epsilon = labelling.rpartition("-e")
    return SAID.get(unit, f"student, ε = {epsilon}" if noisy else "student, no noise")


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Loss (left) and Dice (right) over steps, a line a network; teachers are grey."""
    label = table["dataset"].iloc[0]
    with figure(1, 2, width=4.2, height=3.2) as (drawn, (left, right)):
        for name, curve in table.groupby("network", sort=False):
            grey = (
                {"color": "0.7", "linewidth": 0.7, "linestyle": "-"}
                if name.startswith("teacher")
                else {"linewidth": 1.2}
            )
            told = "teachers" if name == "teacher 0" else "_" if name.startswith("teacher") else name
            left.plot(curve["step"], curve["loss"], label=told, **grey)
            right.plot(curve["step"], curve["dice"], label=told, **grey)
        left.set(xlabel="step", ylabel="loss of training patches", title=label)
        right.set(xlabel="step", ylabel="Dice of training patches", title=label, ylim=(-0.02, 1))
        drawn.legend(*right.get_legend_handles_labels(), fontsize="small", ncols=4, loc="outside lower center")
        save(drawn, *paths)


@command
def main(label: str, teachers: list[Path], students: list[Path], numbers: Path, png: Path, pdf: Path) -> None:
    """Write the figure, and the numbers behind it.

    label: of the volumes. teachers, students: curves, .csv. numbers: the table to write, .csv. png, pdf: the figure to
    write.
    """
    own = pd.concat(map(read_table, teachers))
    lines = pd.concat(map(read_table, students))
    shown = pd.DataFrame(
        {
            "network": [
                *(f"teacher {number}" for number in own["teacher"]),
                *map(named, lines["unit"], lines["labelling"]),
            ],
            "step": [*own["step"], *lines["step"]],
            "loss": [*own["loss"], *lines["loss"]],
            "dice": [*own["dice"], *lines["dice"]],
        }
    )
    with atomic_path(numbers) as temporary:
        shown.assign(dataset=label).to_csv(temporary, index=False, float_format="%.6g")
    draw(read_table(numbers), png, pdf)


if __name__ == "__main__":
    run(main)
