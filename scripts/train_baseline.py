"""Train the non-private baseline: the student's model on all private samples with their true labels."""

from pathlib import Path

from lib.core.command import Job, command, run
from lib.core.records import write_record
from lib.core.seeding import integer_seed
from lib.data.pools import open_pool
from lib.models.classifiers import make_classifier
from lib.pate.classification import accuracy


@command
def main(data: Path, split: Path, model: dict, job: Job, record: Path) -> None:
    """Write the record with the baseline's accuracy in percent.

    data: prepared dataset of samples. split: indices of split_data. model: the model's block of the configuration.
    record: the record to write.
    """
    pool = open_pool(data, split)
    baseline = make_classifier(model, integer_seed(job.seed, *job.job))
    write_record(
        record,
        **job.identity(),
        fingerprint=pool.fingerprint,
        parameters=model,
        metrics={},
        private_metrics={"baseline_accuracy": accuracy(baseline, *pool.private(), *pool.test())},
    )


if __name__ == "__main__":
    run(main)
