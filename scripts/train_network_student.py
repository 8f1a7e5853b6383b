"""Train a student that is a network on released labels and unlabelled public samples, and test it."""

from pathlib import Path

import numpy as np

from lib.core.command import Job, Training, command, run
from lib.core.files import fingerprint, load_arrays, save_arrays
from lib.core.records import write_record
from lib.data.glyph_pool import open_any_pool
from lib.pate.confident import NO_ANSWER
from lib.pate.networks import train_student
from lib.training.context import resumed


@command
def main(
    data: Path,
    split: Path,
    model: dict,
    classes: int,
    largest: int,
    job: Job,
    training: Training,
    record: Path,
    labels: list[Path] | None = None,
    private: int | None = None,
    noiseless: bool = False,
    scores: Path | None = None,
) -> None:
    """Write the record with the accuracy in percent, and the probabilities on the public pool.

    data: prepared dataset of samples. split: split of split_data. model: the model's block of the configuration.
    classes: number of classes. largest: the pixel value that becomes 1. record: the record to write. labels: released
    labels of aggregate, one file a round. private: train on this many private samples instead: a baseline. noiseless:
    the labels are not private, and so what is measured is not public. scores: the .npz of its probabilities on the
    public pool to write.
    """
    pool = open_any_pool(data, split)
    public, truth = pool.public()
    hidden, metrics = {}, {}
    if private:
        x, y = pool.private(private)
    else:
        released = [load_arrays(path, "labels", "rows") for path in labels or ()]
        y, rows = (np.concatenate([part[name] for part in released]) for name in ("labels", "rows"))
        y, rows = y[y != NO_ANSWER], rows[y != NO_ANSWER]
        x = public[rows]
        metrics["label_accuracy"] = 100 * float((y == truth[rows]).mean())
    more = {"given": fingerprint(x=x, y=y), "division": fingerprint(**load_arrays(split))}
    with resumed(job, training, __file__, pool.fingerprint, "steps", **more) as context:
        student = train_student(model, x, y, public, classes, largest, context)
        accuracy = student.accuracy(*pool.test())
        if scores:
            save_arrays(scores, probabilities=student.predict_probabilities(public))
        if private:
            hidden["baseline_accuracy"] = accuracy
        else:
            metrics["student_accuracy"] = accuracy
        if noiseless:
            hidden, metrics = metrics, {}
        write_record(
            record,
            **job.identity(),
            fingerprint=pool.fingerprint,
            parameters=model,
            device=training.device,
            metrics=metrics,
            private_metrics=hidden,
        )


if __name__ == "__main__":
    run(main)
