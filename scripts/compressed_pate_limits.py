"""Where voting on whole masks can work: signal to noise and Dice over teachers, epsilon and the size of the code."""

import argparse
import dataclasses

import pandas as pd

from lib.accounting.encoded_mean import EncodedMeanNoise
from lib.reporting.plotting import figure, save
from lib.reporting.results import by_job, numbers
from lib.reporting.sweeps import averaged, read_sweeps
from lib.reporting.tables import write_table
from scripts import cli

STYLES = ("-", "--", ":", "-.")


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweeps", nargs="+", required=True, help="limits of each task, encoder and repetition, .csv")
    parser.add_argument("--students", nargs="*", required=True, help="records of students of the same tasks")
    cli.add_json(parser, "--tasks", "the tasks' blocks of the configuration, one for each of --sweeps")
    cli.add_json(parser, "--settings", "queries, delta, route")
    parser.add_argument("--output", required=True, help="the table, .csv")
    parser.add_argument("--privacy", required=True, help="the meaning of its epsilons, .csv")
    parser.add_argument("--png", required=True, help="the figure, .png")
    parser.add_argument("--pdf", required=True, help="the figure, .pdf")
    return parser.parse_args(argv)


def student_dice(students: list[str], task: str, row: pd.Series, settings: dict) -> tuple[float | None, float | None]:
    """Mean and spread of the Dice of students trained at a row's setting, where there are any."""
    for (_, name, _, encoder), found in by_job(students).items():
        for labelling in found[0]["parameters"]["labellings"] if (name, encoder) == (task, row["encoder"]) else ():
            same = all(labelling[key] == settings[key] for key in ("queries", "delta", "route"))
            if same and (labelling["epsilon"], labelling["teachers"]) == (row["epsilon"], row["teachers"]):
                return numbers(found, f"{labelling['name']} tuned_dice", private=True)
    return None, None


def main(argv: list[str] | None = None) -> None:
    """Write the table and the figure."""
    arguments = parse_arguments(argv)
    settings, names = arguments.settings, {task["label"]: task["name"] for task in arguments.tasks}
    table = averaged(read_sweeps(arguments.sweeps, arguments.tasks), ["encoder", "teachers", "epsilon"])
    rows = []
    for _, row in table.iterrows():
        made = row.to_dict()
        student = student_dice(arguments.students, names[row["dataset"]], row, settings)
        made |= dict(zip(("student_tuned_dice", "student_tuned_dice_spread"), student, strict=True))
        made |= {"queries": settings["queries"], "delta": settings["delta"], "epsilon": None, "teachers": None}
        if pd.notna(row["teachers"]):
            noise = EncodedMeanNoise(
                queries=settings["queries"], teachers=int(row["teachers"]), radius=row["radius"], sigma=row["sigma"]
            )
            # nobody is protected where true masks stand in for the answers: what so many teachers' answers would cost
            epsilon = dataclasses.replace(noise.statements(settings["delta"])[settings["route"]], guarantee=False)
            made |= {"epsilon": epsilon, "teachers": noise.teachers}
        rows.append(made)
    write_table(
        arguments.output, arguments.privacy, rows, key=("dataset", "encoder", "latent_dim", "teachers", "sigma")
    )
    datasets = list(names)
    with figure(len(datasets), 2, width=3.6, height=3.2) as (drawn, axes):
        for place, dataset in enumerate(datasets):
            left, right = axes[2 * place : 2 * place + 2]
            shown = table[table["dataset"] == dataset]
            for number, (name, codes) in enumerate(shown.groupby("encoder", sort=False)):
                free = codes[codes["teachers"].isna()].iloc[0]
                right.axhline(free["tuned_dice"], color=f"C{number}", linewidth=0.7)
                noisy = codes.dropna(subset=["teachers"])
                for style, (epsilon, curve) in zip(STYLES, noisy.groupby("epsilon"), strict=False):
                    curve = curve.sort_values("teachers")
                    label = rf"{name}, $L$ = {curve['latent_dim'].iloc[0]:g}, $\varepsilon$ = {epsilon:g}"
                    for axis, column in ((left, "signal_to_noise"), (right, "tuned_dice")):
                        axis.plot(curve["teachers"], curve[column], style, color=f"C{number}", marker=".", label=label)
            left.axhline(1.0, color="0.4", linewidth=0.8)
            left.set(xscale="log", yscale="log", xlabel="teachers $K$", title=dataset)
            left.set_ylabel("signal to noise of a code")
            right.set(xscale="log", xlabel="teachers $K$", ylabel="Dice of decoded masks", ylim=(0, 1))
        axes[0].legend(fontsize="xx-small")
        save(drawn, arguments.png, arguments.pdf)


if __name__ == "__main__":
    cli.run(main)
