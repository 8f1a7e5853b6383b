"""Draw the data of membership attacks: halves of a target and of a shadow, and a test set, anew in each repetition."""

import numpy as np
import pandas as pd

from lib.attacks.draw import draw_task
from lib.attacks.task import PARTS, joined
from lib.core.files import atomic_path
from lib.data.grouped import all_negative, group_table
from lib.data.samples import read_samples
from lib.reporting.records import write_record
from scripts import cli


def main(argv: list[str] | None = None) -> None:
    """Write the task, the record, and which patient is in which part where samples are patients'."""
    parser = cli.job_parser(__doc__)
    parser.add_argument("--data", required=True, help="prepared dataset of images")
    cli.add_json(parser, "--task", "the task's block of the configuration")
    parser.add_argument("--repetitions", type=int, required=True, help="number of draws")
    parser.add_argument("--samples", required=True, help="the draws to write, .npz")
    parser.add_argument("--patients", required=True, help="lists of patients to write, .csv; empty without any")
    parser.add_argument("--output", required=True, help="the record to write")
    arguments = parser.parse_args(argv)
    block, data = arguments.task, read_samples(arguments.data)
    named = {name: block[name] for name in ("quarter", "test", "largest")} | {"patients": block.get("patients")}
    draws, lists, deviations = [], [], {}
    for repetition in range(1, arguments.repetitions + 1):
        draw, groups = draw_task(
            arguments.data, data, **named, seed=arguments.seed, job=tuple(arguments.job), repetition=repetition
        )
        draws.append(draw)
        if groups is not None:
            lists.append(group_table(groups, data.groups, data.y).assign(repetition=repetition))
            for part, beyond in groups.deviation.items():
                for label, count in enumerate(beyond):
                    deviations[f"{repetition}.{part}.class {label} beyond the target"] = float(count)
    task = joined(draws)
    task.write(arguments.samples)
    with atomic_path(arguments.patients) as temporary:
        (pd.concat(lists) if lists else pd.DataFrame()).to_csv(temporary, index=False)
    found = {name: float(len(task.rows(1, name))) for name in PARTS} | deviations
    if block["classes"] == 2:
        shares = [all_negative(task.y[task.rows(draw, "test")]) for draw in task.repetitions]
        found["all_negative_accuracy"] = float(np.mean(shares))
    write_record(
        arguments.output,
        **cli.identity(arguments),
        fingerprint=task.fingerprint,
        parameters={"task": block, "repetitions": arguments.repetitions},
        metrics={},
        private_metrics=found,
    )


if __name__ == "__main__":
    cli.run(main)
