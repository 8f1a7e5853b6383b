"""Draw the data of membership attacks: halves of a target and of a shadow, and a test set, anew in each repetition."""

from pathlib import Path

import numpy as np
import pandas as pd

from lib.attacks.draw import check_classes, draw_task
from lib.attacks.task import PARTS, joined
from lib.core.command import Job, command, run
from lib.core.files import atomic_path
from lib.core.records import write_record
from lib.data.grouped import all_negative, group_table
from lib.data.samples import read_samples


@command
def main(data: Path, task: dict, repetitions: int, job: Job, samples: Path, patients: Path, record: Path) -> None:
    """Write the draws, the record, and which patient is in which part where samples are patients'.

    data: prepared dataset of images. task: what is read of the task's block of the configuration. repetitions: number
    of draws. samples: the .npz of draws to write. patients: the .csv of lists of patients to write, empty without any.
    record: the record to write.
    """
    images = read_samples(data)
    check_classes(data, images.y, task["classes"], f"residual_perturbation.tasks.{job.job[0]}.classes")
    named = {name: task[name] for name in ("quarter", "test", "largest")} | {"patients": task.get("patients")}
    draws, lists, deviations = [], [], {}
    for repetition in range(1, repetitions + 1):
        draw, groups = draw_task(data, images, **named, draws=job, repetition=repetition)
        draws.append(draw)
        if groups is not None and images.groups is not None:
            lists.append(group_table(groups, images.groups, images.y).assign(repetition=repetition))
            for part, beyond in groups.deviation.items():
                for label, count in enumerate(beyond):
                    deviations[f"{repetition}.{part}.class {label} beyond the target"] = float(count)
    drawn = joined(draws)
    drawn.write(samples)
    with atomic_path(patients) as temporary:
        (pd.concat(lists) if lists else pd.DataFrame()).to_csv(temporary, index=False)
    found = {name: float(len(drawn.rows(1, name))) for name in PARTS} | deviations
    if task["classes"] == 2:
        shares = [all_negative(drawn.y[drawn.rows(draw, "test")]) for draw in drawn.repetitions]
        found["all_negative_accuracy"] = float(np.mean(shares))
    write_record(
        record,
        **job.identity(),
        fingerprint=drawn.fingerprint,
        parameters={"task": task, "repetitions": repetitions},
        metrics={},
        private_metrics=found,
    )


if __name__ == "__main__":
    run(main)
