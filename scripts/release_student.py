"""Train the student of a release from its public part and released labels alone, and keep its weights."""

from pathlib import Path

import numpy as np

from lib.core.command import Job, command, run
from lib.core.errors import InputError
from lib.core.seeding import integer_seed
from lib.models.classifiers import make_classifier
from lib.pate.classification import features
from lib.release.classifier_weights import classifier_weights
from lib.release.kinds import KINDS
from lib.release.loader import Student
from lib.release.student import keep, read_lessons


@command
def main(samples: Path, labels: Path, model: dict, classes: int, job: Job, weights: Path, record: Path) -> None:
    """Write the weights, and the record with the accuracy in percent.

    samples: public part of public_part. labels: released labels of aggregate. model: the model's block of the
    configuration. classes: number of classes. weights: the .safetensors to write. record: the record to write.
    """
    lessons = read_lessons(samples, labels)
    if len(np.unique(lessons.y)) < 2:
        raise InputError(f"{labels}: {len(lessons.y)} answers of one class; a student needs at least two")
    # keyed as the student of the tables is: it is the same one
    seed = integer_seed(job.seed, "train_student", *job.job[1:])
    trained = make_classifier(model, seed).fit(features(lessons.x), lessons.y)
    student = Student(KINDS[model["kind"]], classes, 1.0, classifier_weights(trained))
    keep(student, lessons, model, weights, record, [samples, labels], **job.identity())


if __name__ == "__main__":
    run(main)
