"""Train the student of a release, a network, from its public part and released labels alone, and keep its weights."""

from dataclasses import replace
from pathlib import Path

from lib.core.command import Job, Training, command, run
from lib.core.files import fingerprint
from lib.pate.networks import train_student
from lib.release.kinds import KINDS
from lib.release.loader import Student
from lib.release.student import keep, read_lessons
from lib.training.context import resumed


@command
def main(
    samples: Path,
    labels: Path,
    model: dict,
    classes: int,
    largest: int,
    job: Job,
    training: Training,
    weights: Path,
    record: Path,
) -> None:
    """Write the weights, and the record with the accuracy in percent.

    samples: public part of public_part. labels: released labels of aggregate. model: the model's block of the
    configuration. classes: number of classes. largest: the pixel value that becomes 1. weights: the .safetensors to
    write. record: the record to write.
    """
    lessons = read_lessons(samples, labels)
    # keyed as the student of the tables is: it is the same one
    draws = replace(job, job=("train_student", *job.job[1:]))
    given = fingerprint(x=lessons.x, y=lessons.y)
    with resumed(draws, training, __file__, lessons.fingerprint, "steps", given=given) as context:
        trained = train_student(model, lessons.x, lessons.y, lessons.public, classes, largest, context)
        assert trained.dense is not None  # of `gan` alone, which a release can hold
        student = Student(KINDS[model["kind"]], classes, float(trained.white), trained.dense())
        inputs = [samples, labels]
        keep(student, lessons, model, weights, record, inputs, device=training.device, **job.identity())


if __name__ == "__main__":
    run(main)
