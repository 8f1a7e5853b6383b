"""Train a student on the labels that a mechanism released, and test it."""

from pathlib import Path

import numpy as np

from lib.core.command import Job, command, run
from lib.core.files import load_arrays, save_arrays
from lib.core.records import write_record
from lib.core.seeding import integer_seed
from lib.data.pools import open_pool
from lib.models.classifiers import make_classifier
from lib.pate.classification import accuracy, probabilities
from lib.pate.confident import NO_ANSWER


@command
def main(
    data: Path,
    split: Path,
    labels: list[Path],
    model: dict,
    classes: int,
    job: Job,
    record: Path,
    scores: Path,
    noiseless: bool = False,
) -> None:
    """Write the record with the student's accuracy and that of its labels, in percent.

    data: prepared dataset of samples. split: indices of split_data. labels: released labels of aggregate, one file a
    round. model: the model's block of the configuration. classes: number of classes. record: the record to write.
    scores: the .npz of its probabilities on the public pool to write. noiseless: the labels are not private, and so
    what is measured is not public.
    """
    pool = open_pool(data, split)
    released = [load_arrays(path, "labels", "rows") for path in labels]
    given, rows = (np.concatenate([part[name] for part in released]) for name in ("labels", "rows"))
    given, rows = given[given != NO_ANSWER], rows[given != NO_ANSWER]
    public, truth = pool.public()
    student = make_classifier(model, integer_seed(job.seed, *job.job))
    score = accuracy(student, public[rows], given, *pool.test())
    save_arrays(scores, probabilities=probabilities(student, public, classes))
    # a student saw public samples and released labels only, and is tested on samples that are nobody's
    found = {"student_accuracy": score, "label_accuracy": 100 * float((given == truth[rows]).mean())}
    write_record(
        record,
        **job.identity(),
        fingerprint=pool.fingerprint,
        parameters=model,
        metrics={} if noiseless else found,
        private_metrics=found if noiseless else {},
    )


if __name__ == "__main__":
    run(main)
