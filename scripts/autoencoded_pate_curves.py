"""How networks learned: loss and Dice of training patches over steps, against the labels that each was told."""

from pathlib import Path

import pandas as pd

from lib.core.command import command, run
from lib.core.files import atomic_path
from lib.reporting import plotting
from lib.reporting.claims.cells import read_table
from lib.segmentation.pictures import titled

SAID = {"truth/none": "student on true labels", "mean_mask/none": "student on the mean mask"}


def named(unit: str, labelling: str) -> str:
    """A network as a legend has it: labellings with noise end in `-eEPSILON`."""
    _, noisy, epsilon = labelling.rpartition("-e")
    return SAID.get(unit, f"student, ε = {epsilon}" if noisy else "student, no noise")


def draw(table: pd.DataFrame, *paths: Path) -> None:
    """Loss (left) and Dice (right) over steps, a line a network; teachers are grey."""
    with plotting.figure(1, 2, height=3.4) as (drawn, axes):
        for name, curve in table.groupby("network", sort=False):
            teacher = name.startswith("teacher")
            look = {"color": "0.75", "linewidth": 0.7, "linestyle": "-"} if teacher else {"linewidth": 1.4}
            label = "teachers, on true labels" if name == "teacher 0" else "" if teacher else name
            for axis, column in zip(axes, ("loss", "dice"), strict=True):
                axis.plot(curve["step"], curve[column], label=label, **look)
        axes[0].set(xlabel="training step", ylabel="training loss")
        axes[1].set(xlabel="training step", ylabel="Dice of training patches", ylim=(-0.02, 1))
        said = f"{titled(table['dataset'].iloc[0])}, first repetition; each network against the labels it learns from"
        drawn.suptitle(said, fontsize="medium")
        plotting.legend(drawn, axes[1:])
        plotting.save(drawn, *paths)


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
